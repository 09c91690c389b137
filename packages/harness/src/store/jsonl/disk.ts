import { closeSync, fstatSync, futimesSync, openSync, readFileSync, statSync, writeSync } from 'node:fs'
import { constants, copyFile, open, rename, rm, rmdir } from 'node:fs/promises'
import type { Holder } from '@rein/session'
import { codeOf, isAbsent } from '../disk-failure.ts'
import type { Ground, Identity, OwnLock, SeenLock } from './ground.ts'
import { copyPath, FILE_MODE, lockPath, logPath, type Place, readEpochs } from './names.ts'
import { wholeLength } from './tail.ts'

const RELEASED = 'released'

/** The protocol's operations on a real folder. */
export function disk(at: Place, now: () => number): Ground {
  return {
    epochs: () => readEpochs(at),
    openLock: async (epoch) => openLock(lockPath(at, epoch), epoch),
    createLock: async (epoch, holder, state) => createLock(lockPath(at, epoch), { epoch, holder, state, now }),
    // Synchronous on purpose: two looks stand behind every acknowledged write, and a pool thread costs ten times more.
    lockIdentity: async (epoch) => lockIdentityAt(lockPath(at, epoch)),
    removeLock: async (epoch) => {
      // With it what its claimant copied and never published.
      await rm(copyPath(at, epoch), { force: true })
      await rm(lockPath(at, epoch), { force: true })
    },
    removeLog: (epoch) => rm(logPath(at, epoch), { force: true }),
    copyLog: (from, epoch) => copyWhole(logPath(at, from), copyPath(at, epoch)),
    publishCopy: async (epoch) => {
      await rename(copyPath(at, epoch), logPath(at, epoch))
      await syncFolder(at.folder)
    },
  }
}

/** Tells the file of that name from any other; undefined when there is none. */
export function lockIdentityAt(path: string): Identity | undefined {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false })
  return stat && `${stat.dev}:${stat.ino}`
}

export function openLock(path: string, epoch: number): SeenLock | undefined {
  let fd: number
  try {
    fd = openSync(path, 'r')
  } catch (cause) {
    if (isAbsent(cause)) return undefined
    throw cause
  }
  const stat = fstatSync(fd, { bigint: true })
  const [first = '', second] = readFileSync(fd, 'utf8').split('\n')
  return {
    epoch,
    identity: `${stat.dev}:${stat.ino}`,
    holder: parseHolder(first),
    released: second === RELEASED,
    changed: Number(stat.mtimeMs),
    close: () => closeSync(fd),
  }
}

/** A lock's first line. Torn or foreign text is nobody: such a holder is judged by its silence alone. */
function parseHolder(line: string): Holder | undefined {
  try {
    const value: unknown = JSON.parse(line)
    if (typeof value !== 'object' || value === null) return undefined
    const { host, pid, started } = value as { host?: unknown; pid?: unknown; started?: unknown }
    if (typeof host !== 'string' || typeof pid !== 'number' || typeof started !== 'string') return undefined
    return Number.isSafeInteger(pid) && pid > 0 ? { host, pid, started } : undefined
  } catch (cause) {
    if (cause instanceof SyntaxError) return undefined
    throw cause
  }
}

interface NewLock {
  readonly epoch: number
  readonly holder: Holder
  readonly state: 'held' | 'released'
  readonly now: () => number
}

function createLock(path: string, of: NewLock): OwnLock | undefined {
  let fd: number
  try {
    fd = openSync(path, 'wx', FILE_MODE)
  } catch (cause) {
    if (codeOf(cause) === 'EEXIST') return undefined
    throw cause
  }
  const stat = fstatSync(fd, { bigint: true })
  const { host, pid, started } = of.holder
  try {
    writeSync(fd, `${JSON.stringify({ host, pid, started })}\n${of.state === 'released' ? RELEASED : ''}`)
  } catch (cause) {
    // The claim stands, nameless, and goes silent: a claimed epoch is never given back, or it could be claimed twice.
    closeSync(fd)
    throw cause
  }
  let open = true
  return {
    epoch: of.epoch,
    identity: `${stat.dev}:${stat.ino}`,
    renew() {
      const seconds = of.now() / 1000
      futimesSync(fd, seconds, seconds)
    },
    markReleased: () => void writeSync(fd, RELEASED),
    close() {
      if (open) closeSync(fd)
      open = false
    },
  }
}

/** Copy up to the last whole line, sharing blocks where the file system can. */
async function copyWhole(from: string, to: string): Promise<boolean> {
  try {
    await copyFile(from, to, constants.COPYFILE_FICLONE)
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return false
    throw cause
  }
  const file = await open(to, 'r+', FILE_MODE)
  try {
    await file.chmod(FILE_MODE)
    const { size } = await file.stat()
    const whole = wholeLength(file.fd, size)
    await file.truncate(whole.bytes)
    if (whole.lacksNewline) await file.write('\n', whole.bytes)
    await file.sync()
  } finally {
    await file.close()
  }
  return true
}

/** Make new names in a folder survive the loss of power. Where a folder cannot be synced (Windows) there is no need. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Folders that are not empty stay. */
export async function removeEmpty(paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    try {
      await rmdir(path)
    } catch (cause) {
      if (codeOf(cause) === undefined) throw cause
    }
  }
}
