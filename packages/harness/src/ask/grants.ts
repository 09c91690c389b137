import type { Fold, SessionEvent } from '@rein/session'

/** The commands a person allowed until the session ends, by the id of the grant. */
export type SessionGrants = ReadonlyMap<string, string>

/** Permission is never rewound, and a fork starts without the grants of its parent. */
export const sessionGrants: Fold<SessionGrants> = {
  rewinds: false,
  initial: new Map(),
  step: (grants, event) => {
    if (event.type === 'session/fork') return grants.size === 0 ? grants : new Map()
    if (event.type !== 'permission/grant' || event.data.scope !== 'session') return grants
    return withGrant(grants, event.data)
  },
}

function withGrant(
  grants: SessionGrants,
  { id, rule, revoked }: Extract<SessionEvent, { type: 'permission/grant' }>['data'],
): SessionGrants {
  if (revoked === true && !grants.has(id)) return grants
  const next = new Map(grants)
  if (revoked === true) next.delete(id)
  else next.set(id, rule)
  return next
}

/** Whether a grant covers this very command. */
export const isGranted = (grants: SessionGrants, command: string): boolean => {
  for (const rule of grants.values()) if (rule === command) return true
  return false
}
