import { mkdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { type Amendment, type Failure, FailureError, type Lease, type Posted } from '@rein/session'
import { diskFailure } from '../disk-failure.ts'
import { taken, tornLog } from '../failures.ts'
import { amendFiles } from './beside.ts'
import { syncFolder } from './disk.ts'
import type { Ground, OwnLock } from './ground.ts'
import type { Inbox } from './inbox.ts'
import { LogFile, writeBytes, writeLines } from './log-file.ts'
import { copyPath, FOLDER_MODE, logPath, type Place, partPath } from './names.ts'
import { acknowledged, clean, looksHighest } from './one-writer.ts'

const ASIDE = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$/

export interface LeaseParts {
  readonly at: Place
  readonly ground: Ground
  readonly lock: OwnLock
  /** Epoch of the log to append to. */
  readonly log: number
  readonly file: LogFile
  readonly inbox: Inbox
}

export class JsonlLease implements Lease {
  readonly #parts: LeaseParts
  /** What is appended to: the log as acquired, or the one published since. */
  #file: LogFile
  /** New names in the folder that the next `sync` must make durable. */
  #unsyncedNames = true
  /** Why this lease can write no more. */
  #dead: Failure | undefined
  #released = false
  /** Writes one after the other; its end never rejects. */
  #queue: Promise<void> = Promise.resolve()

  constructor(parts: LeaseParts) {
    this.#parts = parts
    this.#file = parts.file
  }

  get id(): string {
    return this.#parts.at.id
  }

  get epoch(): number {
    return this.#parts.lock.epoch
  }

  bytes(): AsyncIterable<Uint8Array> {
    return this.#parts.file.blocks()
  }

  publish(lines: readonly string[], aside?: { readonly name: string; readonly bytes: Uint8Array }): Promise<void> {
    return this.#next(async () => {
      whole(lines)
      await this.#settled('could not publish the repaired log', () => this.#replace(lines, aside))
      await clean(this.#parts.ground, this.#parts.lock, this.epoch)
    })
  }

  async #replace(
    lines: readonly string[],
    aside: { readonly name: string; readonly bytes: Uint8Array } | undefined,
  ): Promise<void> {
    const { at } = this.#parts
    if (aside) await this.#keepAside(aside.name, aside.bytes)
    const path = logPath(at, this.epoch)
    await writeLines(copyPath(at, this.epoch), lines)
    await rename(copyPath(at, this.epoch), path)
    await syncFolder(at.folder)
    const file = new LogFile(path, lines.length)
    if (this.#file !== this.#parts.file) this.#file.close()
    this.#file = file
  }

  async #keepAside(name: string, bytes: Uint8Array): Promise<void> {
    if (!ASIDE.test(name)) throw new RangeError(`not a name for a side file: ${name}`)
    const folder = partPath(this.#parts.at, 'aside')
    await mkdir(folder, { recursive: true, mode: FOLDER_MODE })
    await writeBytes(join(folder, name), bytes)
    await syncFolder(folder)
  }

  append(expectedSeq: number, lines: readonly string[]): Promise<void> {
    return this.#next(async () => {
      whole(lines)
      const file = this.#file
      if (file.tail === 'torn') throw new FailureError(tornLog(this.id))
      const before = await file.lines()
      if (before !== expectedSeq) {
        throw new RangeError(
          `the log holds ${before} lines and the writer expected ${expectedSeq}: nothing was written`,
        )
      }
      await this.#settled('could not write to the session log', () => {
        if (lines.length > 0) file.append(lines, before)
      })
    })
  }

  sync(): Promise<void> {
    return this.#next(() =>
      this.#settled('could not bring the session log to the disk', async () => {
        await this.#file.sync()
        if (this.#unsyncedNames) await syncFolder(this.#parts.at.folder)
        this.#unsyncedNames = false
      }),
    )
  }

  async check(): Promise<void> {
    this.#alive()
    await this.#settled('could not look at the session lock', () => {})
  }

  /** Not queued behind a slow disk: a writer that waits for one is alive. */
  async renew(): Promise<void> {
    this.#alive()
    await this.#settled('could not renew the session lock', () => this.#parts.lock.renew())
  }

  async posted(): Promise<readonly Posted[]> {
    await this.check()
    return this.#parts.inbox.posted()
  }

  async settle(ids: readonly string[]): Promise<void> {
    await this.check()
    await this.#parts.inbox.settle(ids)
  }

  async amend(pieces: readonly Amendment[]): Promise<boolean> {
    await this.#next(async () => {
      // These files are those of every epoch: they are touched only by whom the session is.
      await this.check()
      const doing = 'could not rewrite what belongs to the session'
      await this.#settled(doing, () => amendFiles(this.#parts.at, pieces))
    })
    return true
  }

  onPosted(listener: () => void): Disposable {
    return this.#parts.inbox.onPosted(listener)
  }

  release(): Promise<void> {
    return this.#serial(async () => {
      if (this.#released) return
      this.#released = true
      this.#dead ??= { code: 'SESSION_TAKEN', message: `the right to write session ${this.id} was given back` }
      this.#file.close()
      this.#parts.file.close()
      try {
        this.#parts.lock.markReleased()
      } catch (cause) {
        // Unmarked, this writer counts as silent, and the next one copies instead of appending in place.
        process.emitWarning(`session ${this.id} could not be marked as released: ${String(cause)}`)
      } finally {
        this.#parts.lock.close()
      }
    })
  }

  #next(work: () => Promise<void>): Promise<void> {
    return this.#serial(() => {
      this.#alive()
      return work()
    })
  }

  #serial(work: () => Promise<void>): Promise<void> {
    const done = this.#queue.then(work)
    const ended = (): void => {}
    // The caller gets the outcome; the queue only needs to know that it is over.
    this.#queue = done.then(ended, ended)
    return done
  }

  #alive(): void {
    if (this.#dead) throw new FailureError(this.#dead)
  }

  /** Write, then find out whether it counts. Whatever else than a yes ends this lease. */
  async #settled(doing: string, write: () => void | Promise<void>): Promise<void> {
    let ours: boolean
    try {
      ours = await acknowledged(this.#parts.ground, this.#parts.lock, write)
    } catch (cause) {
      if (cause instanceof RangeError) throw cause
      // Whoever took over may have cleared away what this writer was working on.
      const lost = !(await looksHighest(this.#parts.ground, this.#parts.lock))
      const failure = cause instanceof FailureError ? cause.failure : diskFailure('LOG_WRITE', doing, cause)
      this.#dead = lost ? taken(this.id) : failure
      throw new FailureError(this.#dead, { cause })
    }
    if (ours) return
    this.#dead = taken(this.id)
    throw new FailureError(this.#dead)
  }
}

/** One line break inside a line would shift every later position. */
function whole(lines: readonly string[]): void {
  for (const line of lines) if (line.includes('\n')) throw new RangeError('a line of the log holds a line break')
}
