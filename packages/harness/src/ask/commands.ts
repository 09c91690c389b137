import type { PermissionMode } from '@rein/session'
import { destructive } from './destructive.ts'
import { shown } from './shown.ts'
import { allow, type Verdict } from './verdict.ts'

export interface CommandAccess {
  /** Shell text, as the model wrote it. */
  readonly command: string
  /** Absolute. */
  readonly cwd: string
}

export interface CommandSituation {
  readonly mode: PermissionMode
  /** What confines commands here, as found out. */
  readonly backend: 'none' | 'partial' | 'full'
  /** Whether somebody can be asked. */
  readonly person: boolean
  /** Whether a grant covers the command. */
  readonly granted: (command: string) => boolean
}

const unconfined = 'Nothing confines this command: there is no sandbox here.'

/** The table of what happens to a command, by mode, backend and whether a person is there. */
export function decideCommand(access: CommandAccess, situation: CommandSituation): Verdict {
  const { mode, backend, person, granted } = situation
  const { command } = access
  if (mode === 'full-access') {
    const what = person && !granted(command) ? destructive(command) : undefined
    return what === undefined ? allow : question(access, what)
  }
  // A grant was given to this very command after it was said that nothing confines it.
  if (backend !== 'none' || granted(command)) return allow
  if (person) {
    const asked = question(access, destructive(command))
    return { ...asked, what: `${asked.what} ${unconfined}` }
  }
  return {
    kind: 'deny',
    code: 'UNCONFINED',
    by: `mode ${mode}`,
    reason: `There is no sandbox here that could hold the command to ${mode}, and nobody to ask. Go on without it.`,
  }
}

/** `offer` is the session grant the dialog may offer: this very command, without asking, until the session ends. */
function question({ command, cwd }: CommandAccess, danger: string | undefined): Extract<Verdict, { kind: 'ask' }> {
  const visible = shown(command)
  return {
    kind: 'ask',
    what: danger === undefined ? `Run ${visible}?` : `Run ${visible}? It ${danger}.`,
    detail: {
      command,
      shown: visible,
      cwd,
      ...(danger === undefined ? {} : { danger }),
      offer: { scope: 'session', rule: command },
    },
  }
}
