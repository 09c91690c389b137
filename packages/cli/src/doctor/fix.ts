import { join } from 'node:path'
import { moveLeftovers, nodeHasher, processHolder, type SessionParts, sessionParts } from '@rein/harness'
import { FailureError, mend, type Result } from '@rein/session'
import { counted, size } from '../view/amount.ts'
import type { Finding, SessionsOptions } from './finding.ts'

const area = 'sessions'

/**
 * Declare what is damaged in one log, as opening it would, and keep the whole log as it was beside it. Takes the lease:
 * what somebody holds is not touched.
 */
export async function fixLog(options: SessionsOptions, id: string, damaged: Finding): Promise<Finding> {
  try {
    const fixed = await mended(options, id)
    if (fixed.ok) return { area, word: 'session-fixed', level: 'fixed', about: id, says: fixed.value }
    const { message, next } = fixed.failure
    return { ...damaged, says: `${damaged.says}; not repaired: ${message}`, ...(next !== undefined && { next }) }
  } catch (error) {
    if (!(error instanceof FailureError)) throw error
    const { message, next } = error.failure
    return { ...damaged, says: `${damaged.says}; not repaired: ${message}`, ...(next !== undefined && { next }) }
  }
}

async function mended({ store, home, now }: SessionsOptions, id: string): Promise<Result<string>> {
  // Before the lease: whoever inherits from a silent holder gets a copy of the whole lines only.
  const bytes = await store.read(id)
  if (!bytes.ok) return bytes
  const blocks: Uint8Array[] = []
  for await (const block of bytes.value) blocks.push(block.slice())
  const lease = await store.acquire(id, { holder: processHolder() })
  if (!lease.ok) return lease
  try {
    const done = await mend(lease.value, { hasher: nodeHasher, now, original: Buffer.concat(blocks) })
    if (!done.ok) return done
    const { aside, read } = done.value
    if (!aside) return { ok: true, value: 'somebody else repaired it meanwhile' }
    const events = read.damage.reduce((sum, each) => sum + each.events, 0)
    const folder = (await sessionParts(home, now)).find((parts) => parts.id === id)?.folder
    const where = folder === undefined ? `${aside.name} in its store` : join(folder, `${id}.aside`, aside.name)
    const what = `${counted(events, 'lost event')} declared in ${counted(read.damage.length, 'place')}`
    return { ok: true, value: `${what}; the log as it was (${size(aside.bytes)}) is kept in ${where}` }
  } finally {
    await lease.value.release()
  }
}

/** Move to the trash what belongs to nobody. A copy beside a session only under its lease: its writer may still come. */
export async function putAwayLeftovers(
  { home, store }: SessionsOptions,
  parts: SessionParts & { readonly names: readonly string[] },
): Promise<Finding> {
  const about = parts.id
  const owned = parts.logs.length > 0
  const lease = owned ? await store.acquire(about, { holder: processHolder() }) : undefined
  if (lease?.ok === false)
    return { area, word: 'leftover', level: 'note', about, says: `not put away: ${lease.failure.message}` }
  try {
    const to = await moveLeftovers(home, parts)
    return { area, word: 'leftover-moved', level: 'fixed', about, says: `what was left of it is in ${to}` }
  } finally {
    await lease?.value.release()
  }
}
