import { join } from 'node:path'
import { type SessionParts, sessionParts } from '@rein/harness'
import { type Failure, FailureError, fold, type ReadLog, type SessionEntry, turns, uncounted } from '@rein/session'
import { blobsIn, type StoredLog, storedLog } from '../commands/stored-log.ts'
import { counted, size } from '../view/amount.ts'
import type { Finding, SessionsOptions } from './finding.ts'
import { fixLog, putAwayLeftovers } from './fix.ts'

const area = 'sessions'

/** Every session log, read whole, and what lies about beside it. What is fine is counted; the rest is named. */
export async function sessions(options: SessionsOptions): Promise<readonly Finding[]> {
  try {
    return await all(options)
  } catch (error) {
    if (!(error instanceof FailureError)) throw error
    const { message: says, next } = error.failure
    return [
      { area, word: 'sessions-unreadable', level: 'trouble', about: '', says, ...(next !== undefined && { next }) },
    ]
  }
}

async function all(options: SessionsOptions): Promise<readonly Finding[]> {
  const entries = await options.store.list()
  const parts = new Map((await sessionParts(options.home, options.now)).map((each) => [each.id, each]))
  const found: Finding[] = []
  for (const entry of entries) found.push(...(await one(entry, parts.get(entry.id), options)))
  found.push(...(await leftovers([...parts.values()], options)))
  const named = new Set(found.filter(({ word }) => word !== 'session-held').map(({ about }) => about)).size
  const says = `${counted(entries.length, 'session')} read${named > 0 ? `, of ${named} there is something to say` : ''}`
  return [{ area, word: 'sessions', level: 'fine', about: '', says }, ...found]
}

async function one(entry: SessionEntry, parts: SessionParts | undefined, options: SessionsOptions): Promise<Finding[]> {
  const { id, state } = entry
  const stored = await storedLog(options.store, id)
  if (!stored.ok) return [unreadable(id, stored.failure, parts?.misplaced === true)]
  const { log } = stored.value
  if (log.damage.length > 0 && !log.openEnd) {
    const damaged = damageOf(id, log)
    if (state === 'held') return [{ ...damaged, next: 'It is held: end that process, then `rein doctor --fix`.' }]
    return options.fix ? [await fixLog(options, id, damaged)] : [damaged]
  }
  return [...missingBlobs(stored.value), ...stateOf(entry, log, parts)]
}

/**
 * A log that was never begun holds nothing, one of a newer version is whole, and one that may not be read may be; only
 * one that is gone, or has a folder in its place, is a loss.
 */
function unreadable(about: string, { code, message, next }: Failure, misplaced: boolean): Finding {
  const rest = { area, about, says: message, ...(next !== undefined && { next }) } as const
  if (code === 'FORMAT_TOO_NEW') return { ...rest, word: 'session-newer', level: 'note' }
  if (code === 'SESSION_MISSING') return { ...rest, word: 'session-no-log', level: 'note' }
  if (code === 'SESSION_DAMAGED' || misplaced) return { ...rest, word: 'session-log-gone', level: 'damaged' }
  return { ...rest, word: 'session-unreadable', level: 'trouble' }
}

function damageOf(about: string, { damage }: ReadLog): Finding {
  const events = damage.reduce((sum, each) => sum + each.events, 0)
  const bytes = damage.reduce((sum, each) => sum + each.bytes, 0)
  const [first] = damage
  const where = first ? ` (${first.reason}, from line ${first.line}, byte ${first.offset})` : ''
  const counts = `${counted(events, 'event')} and ${size(bytes)} lost in ${counted(damage.length, 'place')}`
  const lost = (first && uncounted({ ...first, events, bytes })) ?? counts
  const next = '`rein doctor --fix` declares it and keeps the log as it is beside; so does `rein resume`.'
  return { area, word: 'session-damaged', level: 'damaged', about, says: `${lost}${where}, not declared`, next }
}

/** What is not as a session at rest is, and is no damage. */
function stateOf({ id: about, state }: SessionEntry, log: ReadLog, parts: SessionParts | undefined): Finding[] {
  const note = (word: string, says: string, next?: string): Finding => {
    return { area, word, level: 'note', about, says, ...(next !== undefined && { next }) }
  }
  const resume = `\`rein resume ${about}\` goes on with it.`
  if (state === 'held') return [note('session-held', 'is open in another process')]
  const lock = parts?.locks.at(-1)
  if (log.events.length === 0 && parts?.written === true) {
    const says = 'the log is empty, and something was written to it: what it held is lost'
    return [{ area, word: 'session-emptied', level: 'damaged', about, says, next: 'Put its log back from a copy.' }]
  }
  if (log.events.length === 0)
    return [note('session-empty', 'the log is empty: nothing was written, or what it held is lost', resume)]
  const found: Finding[] = []
  if (log.openEnd)
    found.push(note('session-open-tail', 'its last line was cut off', `${resume} What is cut is kept aside.`))
  else if (fold(turns, log.events).turnOpen) found.push(note('session-interrupted', 'it ended inside a turn', resume))
  const declared = log.events.filter((event) => event.type === 'session/damage').length
  if (declared > (log.openEnd ? 1 : 0)) found.push(note('session-declared', `${counted(declared, 'damage')} declared`))
  if (lock?.state === 'gone' && !lock.released)
    found.push(note('lock-dead', `its process ${lock.holder?.pid ?? ''} died while it held the session`, resume))
  return found
}

function missingBlobs({ id: about, log, blob }: StoredLog): Finding[] {
  const missing = [...blobsIn(log.events)].filter((name) => !blob(name))
  if (missing.length === 0) return []
  const says = `${counted(missing.length, 'picture')} missing: ${missing.map((name) => name.slice(0, 12)).join(', ')}`
  const next = 'Requests that held them cannot be proved; put the files back from a copy.'
  return [{ area, word: 'blob-missing', level: 'trouble', about, says, next }]
}

/** What interrupted work left: logs and copies nobody reads, and folders of sessions that are gone. */
async function leftovers(all: readonly SessionParts[], options: SessionsOptions): Promise<readonly Finding[]> {
  const found: Finding[] = []
  for (const parts of all) {
    if (parts.locks.at(-1)?.state === 'alive') continue
    const gone = parts.logs.length === 0 && parts.locks.length === 0
    const names = [...parts.copies, ...(gone ? parts.others : [])]
    if (names.length === 0) continue
    const what = gone ? 'belongs to a session that is not there' : 'was copied by a process that died over it'
    const finding: Finding = {
      area,
      word: 'leftover',
      level: 'note',
      about: parts.id,
      says: `${names.map((name) => join(parts.folder, name)).join(', ')} ${what}`,
      next: '`rein doctor --fix` moves it to the trash.',
    }
    found.push(options.fix ? await putAwayLeftovers(options, { ...parts, names }) : finding)
  }
  return found
}
