import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type Effective, type Loaded, type LoadOptions, loadSettings } from '../../src/config/load.ts'

/** A home and a project in a folder of their own, removed when the test is over. */
export interface Place {
  readonly home: string
  readonly project: string
  /** Writes a file, `home/…` or `project/…`. */
  write(path: string, text: string, mode?: number): string
  load(options?: Partial<LoadOptions>): Promise<Loaded>
}

export function place(t: { after(undo: () => void): void }): Place {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'rein-config-')))
  t.after(() => rmSync(base, { recursive: true }))
  const home = join(base, 'home')
  const project = join(base, 'project')
  mkdirSync(project)
  const write = (path: string, text: string, mode = 0o644): string => {
    const file = join(base, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
    chmodSync(file, mode)
    return file
  }
  const usual: LoadOptions = {
    home,
    project,
    env: {},
    flags: [],
    cwd: project,
    ignoreProject: false,
    trust: [],
    consent: 'require',
    harmlessRow: () => false,
  }
  return { home, project, write, load: (options) => loadSettings({ ...usual, ...options }) }
}

export function ready(loaded: Loaded): Effective {
  if (loaded.kind === 'ready') return loaded.effective
  throw new Error(loaded.failure.message)
}

/** The lines of a refusal, without the folder. */
export function problems(loaded: Loaded, { home, project }: Place): readonly string[] {
  if (loaded.kind !== 'bad') throw new Error(`expected problems, not ${loaded.kind}`)
  return loaded.failure.message.split('\n').map((line) => line.replaceAll(home, 'home').replaceAll(project, 'project'))
}
