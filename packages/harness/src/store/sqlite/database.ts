import { closeSync, mkdirSync, openSync, readSync, statSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { codeOf } from '../disk-failure.ts'
import { watchFolder } from '../folder-watch.ts'
import { FILE_MODE, FOLDER_MODE } from '../jsonl/names.ts'
import { Connection } from './connection.ts'
import { prepareSchema } from './schema.ts'
import { isBusy } from './trouble.ts'

/** How often a write that another process is in the way of is tried again: for half a minute, about. */
const TRIES = 600
const PAUSE_MS = 25
/** How often a journal that others read is looked at again: each look waits as long as the pause after it. */
const SETTLES = 20

/**
 * The one database of a home. It is opened when it is needed and, to read, only where it exists; nothing of SQLite is
 * loaded before.
 */
export class Database {
  readonly path: string
  readonly #listeners = new Set<() => void>()
  #connection: Connection | undefined
  #hints: Disposable | undefined

  constructor(path: string) {
    this.path = path
  }

  exists(): boolean {
    return this.#connection !== undefined || statSync(this.path, { throwIfNoEntry: false }) !== undefined
  }

  /** @returns undefined where there is no database, or none whose making has come to its end. */
  async reading<T>(work: (db: Connection) => T): Promise<T | undefined> {
    if (!this.exists()) return undefined
    return this.#patiently(() => {
      const db = this.#connection ?? this.#connect('read')
      return db?.snapshot(() => work(db))
    })
  }

  /** All of `work` or nothing, durable when it resolves. Makes the database where there is none. */
  async writing<T>(work: (db: Connection) => T): Promise<T> {
    const value = await this.#patiently(() => {
      const db = this.#open()
      return db.transact(() => work(db))
    })
    this.#tell()
    return value
  }

  /** For what may be lost with the power, such as a sign of life. */
  async writingLightly<T>(work: (db: Connection) => T): Promise<T> {
    return this.#patiently(() => {
      const db = this.#open()
      db.exec('PRAGMA synchronous = NORMAL')
      try {
        return db.transact(() => work(db))
      } finally {
        db.exec('PRAGMA synchronous = FULL')
      }
    })
  }

  /** Give room that nothing takes any more back to the disk. */
  async shrink(): Promise<void> {
    await this.#patiently(() => this.#open().all('PRAGMA incremental_vacuum'))
    await this.settleJournal()
  }

  /**
   * Write the journal back and cut it to nothing: what was replaced and deleted then stands in no file.
   * @returns false when somebody still reads a state from before, after a second of waiting.
   */
  async settleJournal(): Promise<boolean> {
    for (let left = SETTLES; ; left--) {
      const done = await this.#patiently(() => this.#open().one('PRAGMA wal_checkpoint(TRUNCATE)'))
      if (done?.['busy'] === 0) return true
      if (left === 0) return false
      await setTimeout(PAUSE_MS)
    }
  }

  /** A connection of one's own, to keep a state in sight across turns. The caller closes it. */
  async another(): Promise<Connection> {
    await this.#patiently(() => this.#open())
    return new Connection(this.path)
  }

  /** Told, soon, when something may have changed. Keeps no process alive. */
  onChange(listener: () => void): Disposable {
    const heard = (): void => listener()
    this.#listeners.add(heard)
    const name = basename(this.path)
    this.#hints ??= watchFolder(dirname(this.path), (changed) => {
      if (changed === null || changed.startsWith(name)) this.#tell()
    })
    return {
      [Symbol.dispose]: () => {
        this.#listeners.delete(heard)
        if (this.#listeners.size > 0) return
        this.#hints?.[Symbol.dispose]()
        this.#hints = undefined
      },
    }
  }

  #tell(): void {
    for (const listener of [...this.#listeners]) listener()
  }

  /** To write. Makes the database where there is none. */
  #open(): Connection {
    if (this.#connection) return this.#connection
    mkdirSync(dirname(this.path), { recursive: true, mode: FOLDER_MODE })
    try {
      closeSync(openSync(this.path, 'wx', FILE_MODE))
    } catch (cause) {
      if (codeOf(cause) !== 'EEXIST') throw cause
    }
    const connection = this.#connect('write')
    if (!connection) throw new TypeError('a database was opened to be written and has no tables')
    return connection
  }

  /** @returns undefined where there are no tables to read. */
  #connect(to: 'read' | 'write'): Connection | undefined {
    const connection = new Connection(this.path)
    try {
      if (prepareSchema(connection, to)) this.#connection = connection
      return this.#connection
    } catch (cause) {
      if (to === 'read' && isBusy(cause) && isBeingMade(this.path)) return undefined
      throw cause
    } finally {
      if (this.#connection !== connection) connection[Symbol.dispose]()
    }
  }

  /** Short calls with pauses between them: the event loop goes on while another process writes. */
  async #patiently<T>(work: () => T): Promise<T> {
    for (let left = TRIES; ; left--) {
      try {
        return work()
      } catch (cause) {
        if (!isBusy(cause) || left === 0) throw cause
        await setTimeout(PAUSE_MS)
      }
    }
  }
}

/**
 * Whether whoever holds the file for itself only makes it: its header (sqlite.org/fileformat.html, 18 and 68) has neither
 * the journal nor the name that a database of sessions has before anything is kept in it.
 * Closing a file lets go of this process's locks on it; here it can have none, since somebody else has all of it.
 */
function isBeingMade(path: string): boolean {
  const header = Buffer.alloc(72)
  const file = openSync(path, 'r')
  try {
    readSync(file, header)
  } finally {
    closeSync(file)
  }
  return header[18] !== 2 && header.readUInt32BE(68) === 0
}
