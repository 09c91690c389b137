import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'

export const programPath = fileURLToPath(new URL('../bin/rein.js', import.meta.url))

/** A home and a project of a test's own, gone with it. */
export class Place implements Disposable {
  readonly folder: string
  readonly home: string
  readonly cwd: string

  constructor() {
    this.folder = mkdtempSync(join(tmpdir(), 'rein-cli-'))
    this.home = join(this.folder, 'home')
    this.cwd = join(this.folder, 'project')
    mkdirSync(this.home, { mode: 0o700 })
    mkdirSync(this.cwd)
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true })
  }
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>
  /** Written to stdin, which is then closed; `open` keeps an unwritten pipe open; default: nothing, closed. */
  readonly input?: string | 'open'
}

export interface Ran {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

/** The real program, running. */
export class Program implements Disposable {
  readonly child: ChildProcessByStdio<Writable, Readable, Readable>
  stdout = ''
  stderr = ''
  readonly ended: Promise<Ran>
  readonly #listeners = new Set<() => void>()

  constructor(place: Place, args: readonly string[], options: RunOptions = {}) {
    const { PATH = '' } = process.env
    const env = { PATH, HOME: place.folder, REIN_HOME: place.home, ...options.env }
    this.child = spawn(process.execPath, [programPath, ...args], {
      cwd: place.cwd,
      env,
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    this.child.stdin.on('error', () => undefined)
    this.child.stdout.setEncoding('utf8').on('data', (text: string) => this.#heard(() => (this.stdout += text)))
    this.child.stderr.setEncoding('utf8').on('data', (text: string) => this.#heard(() => (this.stderr += text)))
    if (options.input !== 'open') this.child.stdin.end(options.input ?? '')
    this.ended = new Promise((resolve) => {
      this.child.on('close', (code, signal) => {
        resolve({ code, signal, stdout: this.stdout, stderr: this.stderr })
      })
    })
  }

  /** Resolves once the output so far fits. */
  async until(fits: (program: Program) => boolean): Promise<void> {
    while (!fits(this)) {
      await new Promise<void>((resolve) => {
        this.#listeners.add(resolve)
      })
    }
  }

  [Symbol.dispose](): void {
    this.child.kill('SIGKILL')
  }

  #heard(take: () => void): void {
    take()
    const listeners = [...this.#listeners]
    this.#listeners.clear()
    for (const listener of listeners) listener()
  }
}

/** The real program from start to end. */
export async function rein(place: Place, args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  using program = new Program(place, args, options)
  return await program.ended
}

/** The last line of `--json`. */
export function resultOf({ stdout }: Pick<Ran, 'stdout'>): Record<string, unknown> {
  const line: Record<string, unknown> = JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '')
  return line
}
