import { spawn } from 'node:child_process'
import { StringDecoder } from 'node:string_decoder'
import type { Result } from '@rein/session'
import type { SpawnSpec } from './spawn.ts'

/** How a program that was read line by line ended. */
export interface LinesEnd {
  /** Null when it was stopped or killed. */
  readonly exitCode: number | null
  /** The beginning of what it wrote to stderr, up to 4,000 characters. */
  readonly errors: string
}

const MOST_ERRORS = 4000
/** Longest line given, in UTF-16 units; the rest of such a line is left out. */
const LONGEST = 64 * 1024

export interface LinesOptions {
  readonly signal: AbortSignal
  /** What ends a line. */
  readonly separator: '\n' | '\0'
}

/**
 * Run a program of our own (not the model's) and hand over its output by lines. `onLine` returns false to stop it.
 * Fails `TOOL_FAILED` when it cannot be started. @throws the signal's reason when it aborts.
 */
export async function eachLine(
  spec: SpawnSpec,
  onLine: (line: string) => boolean,
  { signal, separator }: LinesOptions,
): Promise<Result<LinesEnd>> {
  signal.throwIfAborted()
  const child = spawn(spec.file, spec.args, { cwd: spec.cwd, env: spec.env, stdio: ['ignore', 'pipe', 'pipe'] })
  const kill = () => child.kill('SIGKILL')
  signal.addEventListener('abort', kill, { once: true })
  const lines = new Lines(onLine, separator)
  let errors = ''
  child.stdout.on('data', (bytes: Buffer) => {
    if (!lines.push(bytes)) kill()
  })
  child.stderr.on('data', (bytes: Buffer) => {
    errors = (errors + bytes.toString()).slice(0, MOST_ERRORS)
  })
  const end = await new Promise<{ exitCode: number | null } | Error>((resolve) => {
    child.once('error', resolve)
    child.once('close', (exitCode) => resolve({ exitCode }))
  })
  signal.removeEventListener('abort', kill)
  signal.throwIfAborted()
  if (end instanceof Error)
    return {
      ok: false,
      failure: { code: 'TOOL_FAILED', message: `${spec.file} could not be started: ${end.message}.` },
    }
  lines.end()
  return { ok: true, value: { exitCode: end.exitCode, errors: errors.toWellFormed() } }
}

class Lines {
  readonly #decoder = new StringDecoder('utf8')
  readonly #onLine: (line: string) => boolean
  readonly #separator: string
  #rest = ''
  #going = true

  constructor(onLine: (line: string) => boolean, separator: string) {
    this.#onLine = onLine
    this.#separator = separator
  }

  /** @returns false once no more lines are wanted. */
  push(bytes: Buffer): boolean {
    const parts = this.#decoder.write(bytes).split(this.#separator)
    for (const [at, part] of parts.entries()) {
      if (!this.#going) break
      if (this.#rest.length < LONGEST) this.#rest += part.slice(0, LONGEST)
      if (at < parts.length - 1) this.#give()
    }
    return this.#going
  }

  end(): void {
    if (this.#rest !== '' && this.#going) this.#give()
  }

  #give(): void {
    this.#going = this.#onLine(this.#rest)
    this.#rest = ''
  }
}
