import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { nodeHasher } from '@rein/harness'
import { encodeLine, readLog, type SessionEvent } from '@rein/session'
import { parseCommandLine } from '../../src/args.ts'
import type { Cli, Command } from '../../src/cli.ts'
import { config } from '../../src/commands/config.ts'
import { demo } from '../../src/commands/demo.ts'
import { doctor } from '../../src/commands/doctor.ts'
import { exportCommand } from '../../src/commands/export.ts'
import { fork } from '../../src/commands/fork.ts'
import { redact } from '../../src/commands/redact.ts'
import { replay } from '../../src/commands/replay.ts'
import { rewind } from '../../src/commands/rewind.ts'
import { sessions } from '../../src/commands/sessions.ts'
import { show } from '../../src/commands/show.ts'
import { verify } from '../../src/commands/verify.ts'
import { session } from '../../src/session.ts'

const commands: Readonly<Record<string, Command>> = {
  '': session,
  resume: session,
  config,
  demo,
  doctor,
  export: exportCommand,
  fork,
  redact,
  replay,
  rewind,
  sessions,
  show,
  verify,
}

export interface Ran {
  readonly exit: number
  readonly out: string
  readonly err: string
}

/** A home, a folder for scratch projects and a project, of one test file, and the command run against them. */
export class Desk {
  readonly base = realpathSync(mkdtempSync(join(tmpdir(), 'rein-cli-')))
  readonly home = join(this.base, 'home')
  readonly tmp = join(this.base, 'tmp')
  readonly project = join(this.base, 'project')

  constructor() {
    for (const folder of [this.home, this.tmp, this.project]) mkdirSync(folder)
  }

  async run(argv: readonly string[], change: Partial<Cli> = {}): Promise<Ran> {
    const parsed = parseCommandLine(argv)
    if (!parsed.ok) return { exit: 2, out: '', err: JSON.stringify(parsed.problem) }
    const { args } = parsed
    const said = { out: '', err: '' }
    const cli: Cli = {
      env: { PATH: process.env['PATH'], TMPDIR: this.tmp },
      cwd: this.project,
      home: this.home,
      version: '0.0.0-test',
      stdin: process.stdin,
      out: async (text) => {
        said.out += text
      },
      err: (text) => {
        said.err += text
      },
      terminal: false,
      color: false,
      ...change,
    }
    const command = commands[args.command.split(' ', 1)[0] ?? '']
    if (!command) throw new Error(`no command ${args.command}`)
    return { exit: await command(cli, args), ...said }
  }

  /** The demo's session of this seed, in this home. Without snapshots of files: each process pays for their thread. */
  async demo(seed: number): Promise<void> {
    const { exit, err } = await this.run(['demo', '--seed', String(seed), '--quiet', '--plugin', 'snapshots=off'])
    if (exit !== 0) throw new Error(`the demo ended with ${exit}: ${err}`)
  }

  /** Below the home's `sessions/`. */
  paths(name: RegExp): readonly string[] {
    const root = join(this.home, 'sessions')
    const all = readdirSync(root, { recursive: true, encoding: 'utf8' })
    return all.filter((path) => name.test(path)).map((path) => join(root, path))
  }

  log(id: string): string {
    const [path] = this.paths(new RegExp(`/${id}\\.jsonl$`))
    if (path === undefined) throw new Error(`no log of ${id}`)
    return path
  }

  async events(id: string): Promise<readonly SessionEvent[]> {
    const bytes = readFileSync(this.log(id))
    const read = await readLog(once(bytes), { hasher: nodeHasher })
    if (!read.ok) throw new Error(read.failure.message)
    return read.value.events
  }

  /** Writes a log whose chain is whole, whatever it holds, as another session of the same directory. */
  write(like: string, id: string, events: readonly Pick<SessionEvent, 'type' | 'data'>[]): void {
    let previous = ''
    const lines = events.map(({ type, data, ...rest }, seq) => {
      const { line, hash } = encodeLine({ seq, time: 0, previous }, { type, data, ...rest }, nodeHasher)
      previous = hash
      return line
    })
    writeFileSync(this.log(like).replace(`${like}.jsonl`, `${id}.jsonl`), `${lines.join('\n')}\n`)
  }

  [Symbol.dispose](): void {
    rmSync(this.base, { recursive: true, force: true })
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

/** A whole chain over another prompt, of the same length, than the one that was sent. */
export function forged(events: readonly SessionEvent[]): readonly SessionEvent[] {
  return events.map((event): SessionEvent => {
    if (event.type !== 'user/message' || event.data.source.kind !== 'person') return event
    const content = event.data.content.map((part) =>
      part.type === 'text' ? { ...part, text: part.text.replace('fix', 'axe') } : part,
    )
    return { ...event, data: { ...event.data, content } }
  })
}
