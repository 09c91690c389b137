import type { Json } from '@rein/session'
import type { Approval, CheckedCall } from '../tools/ports.ts'
import { type Approvals, askSafely } from './approval.ts'
import { type CommandSituation, decideCommand } from './commands.ts'
import { decidePath, type PathRules } from './paths.ts'
import { allow, type Verdict } from './verdict.ts'

export interface PermissionOptions {
  readonly paths: PathRules
  /** How things stand now, besides the mode, which the call carries; asked for every call. */
  readonly situation: () => Omit<CommandSituation, 'mode'>
}

/** What the permission modes say about a call. */
export type PermissionCheck = (call: Pick<CheckedCall, 'accesses' | 'mode'>) => Promise<Verdict>

/**
 * Everything a call is going to touch, judged together: one denial refuses the call, one question makes it a question,
 * otherwise it is allowed. A call is judged once: the guard and the approval see the same verdict.
 */
export function permissionCheck({ paths, situation }: PermissionOptions): PermissionCheck {
  const judged = new WeakMap<object, Promise<Verdict>>()
  const judge: PermissionCheck = async ({ accesses, mode }) => {
    const now: CommandSituation = { ...situation(), mode }
    const verdicts: Verdict[] = []
    for (const access of accesses) {
      const verdict = access.kind === 'command' ? decideCommand(access, now) : await decidePath(access, now, paths)
      if (verdict.kind === 'deny') return verdict
      verdicts.push(verdict)
    }
    return joined(verdicts)
  }
  return (call) => {
    const known = judged.get(call)
    if (known) return known
    const verdict = judge(call)
    judged.set(call, verdict)
    return verdict
  }
}

/** The part that refuses, for `guardCall`: the reason, or undefined. */
export const permissionGuard =
  (check: PermissionCheck) =>
  async (call: CheckedCall): Promise<string | undefined> => {
    const verdict = await check(call)
    return verdict.kind === 'deny' ? verdict.reason : undefined
  }

/** The part that asks, for the port `Approval`. A call the check refuses is never asked about. */
export const permissionApproval = (check: PermissionCheck, approvals: Approvals): Approval => ({
  async needed(call) {
    const verdict = await check(call)
    return verdict.kind === 'ask' ? { what: verdict.what, detail: verdict.detail } : undefined
  },
  ask({ id, call, what, detail }, signal) {
    const request = { id, call: call.call.id, what, signal }
    return askSafely(approvals, detail === undefined ? request : { ...request, detail })
  },
})

function joined(verdicts: readonly Verdict[]): Verdict {
  const asks = verdicts.filter((verdict) => verdict.kind === 'ask')
  const [only, ...more] = asks
  if (only === undefined) return allow
  if (more.length === 0) return only
  const details: readonly Json[] = asks.map(({ detail }) => detail)
  return { kind: 'ask', what: asks.map(({ what }) => what).join('\n'), detail: { all: details } }
}
