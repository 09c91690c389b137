import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs'
import { FailureError, type Watched } from '@rein/session'
import { Delivered } from '../delivered.ts'
import { highestLog } from './highest-log.ts'
import { lockPath, logPath, type Place, readEpochs } from './names.ts'

const NEWLINE = 10
/** Bytes read before lines are handed out. */
const BLOCK = 1024 * 1024

interface Source {
  readonly epoch: number
  readonly fd: number
  readonly identity: string
  /** The highest claim when this log was found to be the highest published one. */
  readonly claim: number
}

/** Reads one session's log as others write it, and notices when another log takes its place. */
export class Follower {
  readonly #at: Place
  #source: Source | undefined
  /** Where the next read starts, and the bytes before it that are no whole line yet. */
  #offset = 0
  #rest: Buffer = Buffer.alloc(0)
  /** Position of the next line read. */
  #position = 0
  readonly #delivered: Delivered

  constructor(at: Place, from: number) {
    this.#at = at
    this.#delivered = new Delivered(from)
  }

  /** Everything there is to deliver now. @throws FailureError `SESSION_MISSING` when the session is gone. */
  async *news(): AsyncGenerator<Watched> {
    for (;;) {
      const source = this.#source ?? (await this.#open())
      const bytes = readBlock(source.fd, this.#offset)
      // After the read and before the delivery: what was read may come from a log that no longer counts.
      if (!this.#stillHighest(source) && !(await this.#confirm(source))) {
        this.#close()
        continue
      }
      if (bytes.length === 0) {
        yield* this.#delivered.shorter(this.#position)
        return
      }
      this.#offset += bytes.length
      const lines = this.#split(bytes)
      const position = this.#position
      this.#position += lines.length
      yield* this.#delivered.offer(position, lines)
    }
  }

  [Symbol.dispose](): void {
    this.#close()
  }

  #close(): void {
    if (this.#source) closeSync(this.#source.fd)
    this.#source = undefined
  }

  /** Start over at the head of the highest published log; what was delivered stays, to be compared. */
  async #open(): Promise<Source> {
    const source = await highestLog(this.#at, (path, { log, locks }): Source => {
      const fd = openSync(path, 'r')
      const identity = identityOf(fstatSync(fd, { bigint: true }))
      return { epoch: log, fd, identity, claim: Math.max(log, locks.at(-1) ?? 0) }
    })
    if (!source)
      throw new FailureError({ code: 'SESSION_MISSING', message: `session ${this.#at.id} is no longer here` })
    this.#source = source
    this.#offset = 0
    this.#position = 0
    this.#rest = Buffer.alloc(0)
    return source
  }

  /** The cheap look, without reading the folder: nothing was claimed, published or cut since. */
  #stillHighest(source: Source): boolean {
    const log = statSync(logPath(this.#at, source.epoch), { bigint: true, throwIfNoEntry: false })
    if (!log || identityOf(log) !== source.identity || Number(log.size) < this.#offset) return false
    if (exists(lockPath(this.#at, source.claim + 1)) || !exists(lockPath(this.#at, source.claim))) return false
    return source.claim === source.epoch || !exists(logPath(this.#at, source.claim))
  }

  /** The thorough look: a new claim changes nothing until its log is published. */
  async #confirm(source: Source): Promise<boolean> {
    const { locks, logs } = await readEpochs(this.#at)
    if (logs.at(-1) !== source.epoch) return false
    const log = statSync(logPath(this.#at, source.epoch), { bigint: true, throwIfNoEntry: false })
    if (!log || identityOf(log) !== source.identity || Number(log.size) < this.#offset) return false
    this.#source = { ...source, claim: Math.max(source.epoch, locks.at(-1) ?? 0) }
    return true
  }

  #split(bytes: Buffer): readonly string[] {
    const all = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes])
    const lines: string[] = []
    let start = 0
    for (let end = all.indexOf(NEWLINE); end !== -1; end = all.indexOf(NEWLINE, start)) {
      lines.push(all.toString('utf8', start, end))
      start = end + 1
    }
    this.#rest = all.subarray(start)
    return lines
  }
}

const exists = (path: string): boolean => statSync(path, { throwIfNoEntry: false }) !== undefined
const identityOf = (stat: { readonly dev: bigint; readonly ino: bigint }): string => `${stat.dev}:${stat.ino}`

function readBlock(fd: number, at: number): Buffer {
  const block = Buffer.allocUnsafe(BLOCK)
  return block.subarray(0, readSync(fd, block, 0, BLOCK, at))
}
