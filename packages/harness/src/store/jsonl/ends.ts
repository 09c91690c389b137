import { closeSync, constants, fstatSync, openSync, readdirSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { codeOf } from '../disk-failure.ts'
import { workspaces } from './listing.ts'
import { logPath, parseName } from './names.ts'

/** Bytes read from the beginning and from the end of one log. */
const HEAD = 32 * 1024
const TAIL = 16 * 1024

/** The beginning and the end of a log, whatever lies between; they do not overlap. */
export interface LogEnds {
  /** Whole when the log is short. */
  readonly head: string
  /** Begins in the middle of a line, most likely; empty when the head is everything. */
  readonly tail: string
}

/**
 * Look at the ends of logs, for a list of many sessions: one look into every workspace folder now, then two reads a
 * session, however long it is.
 * @param home `$REIN_HOME`, absolute.
 * @returns looks at one session; undefined when its log cannot be read.
 */
export async function logEnds(home: string): Promise<(id: string) => LogEnds | undefined> {
  const newest = new Map<string, { readonly epoch: number; readonly path: string }>()
  for (const folder of await workspaces(join(home, 'sessions'))) {
    for (const name of namesIn(folder)) {
      const parsed = parseName(name)
      if (parsed?.part.kind !== 'log') continue
      const { id, part } = parsed
      const known = newest.get(id)
      if (!known || known.epoch < part.epoch)
        newest.set(id, { epoch: part.epoch, path: logPath({ folder, id }, part.epoch) })
    }
  }
  return (id) => {
    const log = newest.get(id)
    return log && endsOf(log.path)
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch (cause) {
    if (codeOf(cause) === undefined) throw cause
    return []
  }
}

function endsOf(path: string): LogEnds | undefined {
  try {
    // Without waiting: a pipe in the place of a log must not hang the list.
    const fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
    try {
      const stat = fstatSync(fd)
      if (!stat.isFile()) return undefined
      const head = part(fd, 0, Math.min(HEAD, stat.size))
      const from = Math.max(HEAD, stat.size - TAIL)
      return { head, tail: from < stat.size ? part(fd, from, stat.size) : '' }
    } finally {
      closeSync(fd)
    }
  } catch (cause) {
    if (codeOf(cause) === undefined) throw cause
    return undefined
  }
}

function part(fd: number, from: number, to: number): string {
  const bytes = Buffer.alloc(to - from)
  return bytes.toString('utf8', 0, readSync(fd, bytes, 0, bytes.length, from))
}
