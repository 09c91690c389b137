import type { Failure, Result, SessionEntry } from '@rein/session'
import { fail, missing } from './failures.ts'

/**
 * The session a person means: `last` (of this directory, else of all), an id, or the beginning of one. `last` passes over
 * broken sessions: nothing could be resumed there. Fails `SESSION_MISSING`, and `USAGE` when several begin so.
 * @param entries newest first.
 * @param cwd absolute.
 */
export function findSession(entries: readonly SessionEntry[], typed: string, cwd: string): Result<SessionEntry> {
  if (typed === 'last') {
    const sound = entries.filter((entry) => entry.state !== 'broken')
    const last = sound.find((entry) => entry.cwd === cwd) ?? sound[0]
    if (last) return { ok: true, value: last }
    if (entries.length > 0) return fail(onlyBroken(entries))
    return fail({ code: 'SESSION_MISSING', message: 'there is no session yet', next: 'Start one with `rein`.' })
  }
  const exact = entries.find((entry) => entry.id === typed)
  if (exact) return { ok: true, value: exact }
  const begin = typed === '' ? [] : entries.filter((entry) => entry.id.startsWith(typed))
  const [only, second] = begin
  if (!only) return fail(missing(typed))
  if (!second) return { ok: true, value: only }
  return fail({
    code: 'USAGE',
    message: `${begin.length} sessions begin with ${typed}: ${idsOf(begin)}`,
    next: 'Type more of the id.',
  })
}

const onlyBroken = (entries: readonly SessionEntry[]): Failure => ({
  code: 'SESSION_DAMAGED',
  message: `none of the sessions can be opened: ${idsOf(entries)}`,
  next: '`rein doctor` says what is wrong with each.',
})

function idsOf(entries: readonly SessionEntry[]): string {
  const some = entries.slice(0, 5).map((entry) => entry.id)
  return `${some.join(', ')}${entries.length > 5 ? ', …' : ''}`
}
