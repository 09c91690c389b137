import { createHash } from 'node:crypto'
import { statSync } from 'node:fs'
import { link, mkdir, readdir, readFile, rm, stat, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { faultOfPosted, type Posted, type Result } from '@rein/session'
import { codeOf, diskFailure, isAbsent, noneWhenAbsent } from '../disk-failure.ts'
import { fail, missing } from '../failures.ts'
import { watchFolder } from '../folder-watch.ts'
import { removeEmpty, syncFolder } from './disk.ts'
import { writeBytes } from './log-file.ts'
import { FOLDER_MODE, type Place, partPath, readEpochs } from './names.ts'

/** Ids that may stand in a file name as they are, on file systems that ignore case too. Others are named by their hash. */
const PLAIN = /^[a-z0-9][a-z0-9_.-]{0,99}$/
/** How often the folder is looked at where the system tells nothing of changes. */
const POLL_MS = 1000

/** A post takes milliseconds: a hidden file this old belongs to nobody. */
const ABANDONED_MS = 3_600_000

/** Counts up within this process, so that posts of one millisecond keep their order. */
let lastStamp = 0
let temporary = 0

/**
 * What was posted to one session, one file an item, named by the item's id: creating the name is what makes posting
 * idempotent. A settled item leaves its file behind empty, so that its id stays taken.
 */
export class Inbox {
  readonly #folder: string
  readonly #now: () => number
  /** Files known to be settled: not opened again. */
  readonly #settled = new Set<string>()

  constructor(folder: string, now: () => number) {
    this.#folder = folder
    this.#now = now
  }

  async post(item: Posted): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: FOLDER_MODE })
    lastStamp = Math.max(lastStamp + 1, this.#now() * 1000)
    const hidden = join(this.#folder, `.${process.pid}-${process.hrtime.bigint()}-${temporary++}`)
    try {
      await writeBytes(hidden, Buffer.from(JSON.stringify({ at: lastStamp, item })), 'wx')
      await link(hidden, join(this.#folder, fileOf(item.id)))
    } catch (cause) {
      // Posted before, by whomever. Its bytes were on the disk before it got its name; the name is synced below.
      if (codeOf(cause) !== 'EEXIST') throw cause
    } finally {
      await rm(hidden, { force: true })
    }
    await syncFolder(this.#folder)
  }

  /** Remove what posters that died left half-written. */
  async sweep(): Promise<void> {
    for (const name of await this.#names()) {
      if (!name.startsWith('.')) continue
      const path = join(this.#folder, name)
      const found = statSync(path, { throwIfNoEntry: false })
      if (found && this.#now() - found.mtimeMs > ABANDONED_MS) await rm(path, { force: true })
    }
  }

  async posted(): Promise<readonly Posted[]> {
    const found: { readonly at: number; readonly item: Posted }[] = []
    for (const name of await this.#names()) {
      if (name.startsWith('.') || this.#settled.has(name)) continue
      const text = await readFile(join(this.#folder, name), 'utf8')
      if (text === '') this.#settled.add(name)
      const entry = parseEntry(text)
      if (entry && fileOf(entry.item.id) === name) found.push(entry)
    }
    found.sort((a, b) => a.at - b.at || (a.item.id < b.item.id ? -1 : 1))
    return found.map((entry) => entry.item)
  }

  #names(): Promise<readonly string[]> {
    return noneWhenAbsent(readdir(this.#folder))
  }

  /** Unknown ids are taken as well: an item that is in the log already must not come in by a late post. */
  async settle(ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      const name = fileOf(id)
      const path = join(this.#folder, name)
      try {
        if ((await stat(path)).size > 0) await truncate(path, 0)
      } catch (cause) {
        if (!isAbsent(cause)) throw cause
        await mkdir(this.#folder, { recursive: true, mode: FOLDER_MODE })
        await writeBytes(path, new Uint8Array(0))
      }
      this.#settled.add(name)
    }
  }

  /** Told by the system where it can, and by a slow look at the folder's time everywhere. Keeps no process alive. */
  onPosted(listener: () => void): Disposable {
    const changed = (): number => statSync(this.#folder, { throwIfNoEntry: false })?.mtimeMs ?? 0
    let seen = changed()
    const look = (): void => {
      const now = changed()
      if (now === seen) return
      seen = now
      listener()
    }
    const timer = setInterval(look, POLL_MS).unref()
    const watcher = watchFolder(this.#folder, (name) => {
      if (!name?.startsWith('.')) listener()
    })
    return {
      [Symbol.dispose]() {
        clearInterval(timer)
        watcher[Symbol.dispose]()
      },
    }
  }
}

/** Post without the lease, from any process. */
export async function postItem(at: Place, item: Posted, now: () => number): Promise<Result<void>> {
  const fault = faultOfPosted(item)
  if (fault !== undefined) throw new TypeError(`cannot post: ${fault}`)
  try {
    const folder = partPath(at, 'inbox')
    await postThere(new Inbox(folder, now), item)
    if (await stands(at)) return { ok: true, value: undefined }
    // It was put away or moved meanwhile. What it came too late for must not stand for a session.
    await rm(join(folder, fileOf(item.id)), { force: true })
    await removeEmpty([folder])
    return fail(missing(at.id))
  } catch (cause) {
    if (codeOf(cause) === undefined) throw cause
    return fail(diskFailure('FILE_ERROR', `could not post to session ${at.id}`, cause))
  }
}

/** The folder may be put away between two steps of posting; it is made anew, once. */
async function postThere(inbox: Inbox, item: Posted): Promise<void> {
  try {
    await inbox.post(item)
  } catch (cause) {
    if (!isAbsent(cause)) throw cause
    await inbox.post(item)
  }
}

async function stands(at: Place): Promise<boolean> {
  const { locks, logs } = await readEpochs(at)
  return locks.length + logs.length > 0
}

function fileOf(id: string): string {
  return PLAIN.test(id) ? `${id}.json` : `${createHash('sha256').update(id).digest('hex')}.id.json`
}

/** A file of the inbox as anybody may have left it; undefined for what is no item. */
function parseEntry(text: string): { readonly at: number; readonly item: Posted } | undefined {
  if (text === '') return undefined
  try {
    const value = JSON.parse(text) as { at?: unknown; item?: unknown } | null
    const { at, item } = value ?? {}
    return typeof at === 'number' && isPosted(item) ? { at, item } : undefined
  } catch (cause) {
    if (cause instanceof SyntaxError) return undefined
    throw cause
  }
}

const isPosted = (value: unknown): value is Posted => faultOfPosted(value) === undefined
