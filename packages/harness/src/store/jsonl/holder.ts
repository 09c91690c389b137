import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import type { Holder } from '@rein/session'
import { codeOf, isAbsent } from '../disk-failure.ts'
import type { SeenLock } from './ground.ts'
import type { Judge } from './one-writer.ts'

/**
 * This process as a holder. On Linux `host` names machine, boot and pid namespace, because a pid means something only
 * inside those: two containers of one name on a shared folder must never take each other for dead.
 */
export function processHolder(): Holder {
  const host = process.platform === 'linux' ? `${hostname()}/${linuxScope()}` : hostname()
  return { host, pid: process.pid, started: startOf(process.pid) ?? 'unknown' }
}

function linuxScope(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').slice(0, 8)
    return `${boot}/${readlinkSync('/proc/self/ns/pid').replace(/\D+/g, '')}`
  } catch {
    // No /proc: without a scope no process is ever proved dead; it is waited for instead.
    return `unknown-${process.pid}`
  }
}

/** Field 22 of `/proc/<pid>/stat`, clock ticks since boot; undefined where that does not exist. */
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The command name, field 2, is in parentheses and may itself hold spaces and parentheses.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
  } catch (cause) {
    if (isAbsent(cause) || codeOf(cause) === 'ESRCH') return undefined
    throw cause
  }
}

/**
 * Provably dead: the same machine, and no process with that pid and start. A zombie is not dead yet: one of its
 * threads may still be inside a write.
 */
export function isDead(holder: Holder, host: string): boolean {
  if (holder.host !== host) return false
  try {
    process.kill(holder.pid, 0)
  } catch (cause) {
    return codeOf(cause) === 'ESRCH'
  }
  if (process.platform !== 'linux') return false
  const started = startOf(holder.pid)
  return started === undefined || started !== holder.started
}

/**
 * How a lock found on disk is judged. Times decide only how long somebody is waited for. A renewal from the future
 * beyond `silentMs` says that the clocks disagree, and counts as silence rather than as life for hours.
 */
export function judgeAs(self: Holder, now: () => number, silentMs: number): Judge {
  return (lock: SeenLock) => {
    if (lock.released) return 'gone'
    if (lock.holder && isDead(lock.holder, self.host)) return 'gone'
    return Math.abs(now() - lock.changed) <= silentMs ? 'alive' : 'silent'
  }
}
