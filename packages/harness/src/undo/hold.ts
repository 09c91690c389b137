import { closeSync, mkdirSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { errnoOf } from '../files/trouble.ts'
import { listed } from './objects.ts'
import { ownName } from './own-name.ts'

/** A mark of a process that is dead, or older than this, stands for nobody, in milliseconds. */
const staleMs = 10 * 60_000
/** A writer whose process lives may have been asleep: what it counts on is not taken away from it, in milliseconds. */
const asleepMs = 24 * 3_600_000
/** How long a writer waits for a collector before it gives up, in milliseconds. */
const patienceMs = 5_000

/**
 * Who uses the store. Many may write at once; one may collect while nobody writes. Each puts down its own mark first
 * and then looks for those of the other kind, so that two who cannot be there together never both go on.
 */
export class Holds {
  readonly #writers: string
  readonly #collector: string
  readonly #patienceMs: number

  /** @param waitMs how long a writer waits for a collector, in milliseconds. */
  constructor(folder: string, waitMs = patienceMs) {
    this.#patienceMs = waitMs
    this.#writers = join(folder, 'writers')
    this.#collector = join(folder, 'collecting')
  }

  /** @returns undefined when somebody has collected for too long. */
  write<T>(work: () => T): T | undefined {
    mkdirSync(this.#writers, { recursive: true, mode: 0o700 })
    const until = Date.now() + this.#patienceMs
    for (;;) {
      const own = join(this.#writers, ownName())
      mark(own)
      try {
        if (!lives(this.#collector)) return work()
      } finally {
        rmSync(own, { force: true })
      }
      if (Date.now() > until) return undefined
      pause(20)
    }
  }

  /** @returns undefined when somebody else writes or collects. */
  collect<T>(work: () => T): T | undefined {
    if (!lives(this.#collector)) rmSync(this.#collector, { force: true })
    if (!mark(this.#collector)) return undefined
    try {
      const writers = listed(this.#writers).map((name) => join(this.#writers, name))
      if (writers.some((path) => lives(path, asleepMs))) return undefined
      for (const dead of writers) rmSync(dead, { force: true })
      return work()
    } finally {
      rmSync(this.#collector, { force: true })
    }
  }
}

/** @returns false when it is there already. */
export function mark(path: string): boolean {
  try {
    const file = openSync(path, 'wx', 0o600)
    writeSync(file, String(process.pid))
    closeSync(file)
    return true
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error
    return false
  }
}

/** Whether a mark is there and its process is. One without a number is just being written. */
export function lives(path: string, oldMs = staleMs): boolean {
  try {
    const { mtimeMs } = statSync(path)
    if (Date.now() - mtimeMs > oldMs) return false
    const pid = Number(readFileSync(path, 'utf8'))
    return pid === 0 || isRunning(pid)
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error
    return false
  }
}

/** Whether there is such a process on this machine. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return errnoOf(error) === 'EPERM'
  }
}

const nothing = new Int32Array(new SharedArrayBuffer(4))
/** On a thread of its own nobody else waits. */
const pause = (ms: number): void => void Atomics.wait(nothing, 0, 0, ms)
