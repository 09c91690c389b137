import type { Holder } from '@rein/session'
import type { Ground, OwnLock, SeenLock } from './ground.ts'

/** `gone`: released, or its process is provably dead: it will never write again. `silent`: it may wake up. */
export type Verdict = 'alive' | 'silent' | 'gone'
export type Judge = (lock: SeenLock) => Verdict

export type Claim =
  | { readonly kind: 'claimed'; readonly lock: OwnLock }
  | { readonly kind: 'busy'; readonly by: Holder | undefined }
  | { readonly kind: 'missing' }

/** More rounds than any real contention needs; a file system that answers nonsense must not hang the program. */
const ROUNDS = 100

/**
 * Claim the epoch after the highest one, unless its holder is alive.
 *
 * A look at the folder may be old by the time of the create: if epochs n+1 and n+2 were claimed meanwhile and the
 * locks up to n+1 removed, creating n+1 succeeds a second time. So the lock that was judged must still be there
 * *after* the create, the very same file. Locks are removed in ascending order: while lock n stands, n+1 was never
 * removed, so ours is the first of that epoch and, epochs being claimed one by one, nothing higher existed before it.
 */
export async function claimNext(ground: Ground, holder: Holder, judge: Judge): Promise<Claim> {
  for (let round = 0; round < ROUNDS; round++) {
    const { locks, logs } = await ground.epochs()
    const highest = locks.at(-1)
    const log = logs.at(-1)
    if (log === undefined) return { kind: 'missing' }
    if (highest === undefined) {
      // A log that came without locks, such as one copied here by hand: give it one, then look again.
      const adopted = await ground.createLock(log, holder, 'released')
      adopted?.close()
      continue
    }
    const before = await ground.openLock(highest)
    if (!before) continue
    try {
      if (judge(before) === 'alive') return { kind: 'busy', by: before.holder }
      const lock = await ground.createLock(highest + 1, holder, 'held')
      if (!lock) continue
      if ((await ground.lockIdentity(highest)) === before.identity) return { kind: 'claimed', lock }
      // Too late: somebody far ahead holds the session. Nobody builds on this lock, whoever removes it.
      await ground.removeLock(lock.epoch)
      lock.close()
    } finally {
      before.close()
    }
  }
  return { kind: 'busy', by: undefined }
}

/**
 * The epoch of the log to append to: the highest published one where nobody who could have it open can ever write
 * again, else a copy of it published under this epoch, which nobody else has open.
 * @returns undefined when there is no log.
 */
export async function inherit(ground: Ground, lock: OwnLock, judge: Judge): Promise<number | undefined> {
  for (let round = 0; round < ROUNDS; round++) {
    const { locks, logs } = await ground.epochs()
    const published = logs.at(-1)
    if (published === undefined) return undefined
    // Writers below the published epoch have an older file open. A lock between that is missing was removed by a
    // holder that had judged it gone, or had published above it.
    const writers = locks.filter((epoch) => epoch >= published && epoch < lock.epoch)
    if (await allGone(ground, writers, judge)) {
      // One of them may have published after the first look, before it went. Now nobody below can any more.
      if ((await ground.epochs()).logs.at(-1) === published) return published
      continue
    }
    if (!(await ground.copyLog(published, lock.epoch))) continue
    await ground.publishCopy(lock.epoch)
    return lock.epoch
  }
  return undefined
}

async function allGone(ground: Ground, epochs: readonly number[], judge: Judge): Promise<boolean> {
  for (const epoch of epochs) {
    const lock = await ground.openLock(epoch)
    if (!lock) return false
    const verdict = judge(lock)
    lock.close()
    if (verdict !== 'gone') return false
  }
  return true
}

/**
 * Whether no higher epoch was claimed up to now. What was written before a `true` is in every later writer's log.
 *
 * The order matters. Any higher claim began with n+1. If n+1 is absent, either it was never created, so nobody had
 * claimed when we looked, or it was created and removed again; then lock n was removed before it, because removal
 * ascends, and the second look, coming later, finds our own lock gone. The other way round our lock may be seen just
 * before both vanish. Identity, not mere presence: a late claimant may have put a new file under our old name.
 */
export async function stillHighest(ground: Ground, lock: OwnLock): Promise<boolean> {
  if ((await ground.lockIdentity(lock.epoch + 1)) !== undefined) return false
  return (await ground.lockIdentity(lock.epoch)) === lock.identity
}

/** The same where something failed already, only to name the trouble: a disk that will not say is not a take-over. */
export async function looksHighest(ground: Ground, lock: OwnLock): Promise<boolean> {
  try {
    return await stillHighest(ground, lock)
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause) return true
    throw cause
  }
}

/**
 * Do `write`, then find out whether it counts: never the other way round, a process can be frozen between the two.
 * @returns false when the session was taken over; then nothing may be done on the strength of what was written.
 */
export async function acknowledged(ground: Ground, lock: OwnLock, write: () => void | Promise<void>): Promise<boolean> {
  await write()
  return stillHighest(ground, lock)
}

/** Remove what lower epochs left, lowest first; only after `log`, which this writer appends to, is published. */
export async function clean(ground: Ground, lock: OwnLock, log: number): Promise<void> {
  const { locks, logs } = await ground.epochs()
  for (const epoch of logs) if (epoch < log) await ground.removeLog(epoch)
  for (const epoch of locks) if (epoch < lock.epoch) await ground.removeLock(epoch)
}
