import type { Plugin, RowSpec } from '@rein/kernel'
import { chunksRow } from './rows/chunks.ts'
import {
  basePromptRow,
  commandsRow,
  hooksRow,
  loopRow,
  promptRow,
  providersRow,
  secretsRow,
  sectionsRow,
  storeRow,
  toolsRow,
} from './rows/core.ts'
import { permissionsRow } from './rows/permissions.ts'
import { sandboxRow, shellRow } from './rows/shell.ts'
import { snapshotsRow } from './rows/snapshots.ts'
import { bashRow, editRow, globRow, grepRow, readRow, todoRow, writeRow } from './rows/tools.ts'

export type PresetName = 'standard' | 'headless' | 'minimal'

type Rows = Readonly<Record<string, Plugin>>

/** What every agent stands on. Order means nothing but for tools, whose order is that of the tool table. */
const core: Rows = {
  hooks: hooksRow,
  tools: toolsRow,
  commands: commandsRow,
  providers: providersRow,
  secrets: secretsRow,
  store: storeRow,
  sections: sectionsRow,
  'base-prompt': basePromptRow,
  prompt: promptRow,
  loop: loopRow,
  chunks: chunksRow,
  sandbox: sandboxRow,
  permissions: permissionsRow,
}

const reading: Rows = { read: readRow, glob: globRow, grep: grepRow, todo: todoRow }
const changing: Rows = { write: writeRow, edit: editRow, shell: shellRow, bash: bashRow }
/** Without it nothing that changes files can be taken back: not for a project to turn off. */
const keeping: Rows = { snapshots: snapshotsRow }

/**
 * Lists of plugin rows. `minimal` is safe, not only small: nothing in it can change a file or start a process.
 * `headless` has what `standard` has; what differs is that nobody can be asked.
 */
export const presets: Readonly<Record<PresetName, Rows>> = {
  standard: { ...core, ...reading, ...changing, ...keeping },
  headless: { ...core, ...reading, ...changing, ...keeping },
  minimal: { ...core, ...reading },
}

/** Rows a project may configure or turn off without consent: taking them away makes nothing less safe. */
export const harmlessRows: ReadonlySet<string> = new Set(Object.keys({ ...reading, ...changing }))

export const presetRows = (name: PresetName): readonly RowSpec[] =>
  Object.entries(presets[name]).map(([id, plugin]) => ({ id, plugin }))
