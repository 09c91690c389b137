import type { DataOf } from '../events/index.ts'
import type { PermissionMode } from '../events/permission.ts'
import type { Fold } from '../fold.ts'

export interface Permission {
  readonly mode: PermissionMode | undefined
  readonly plan: boolean
  /** Grants in force, oldest first. */
  readonly grants: readonly DataOf<'permission/grant'>[]
  readonly enforced: DataOf<'sandbox/enforced'> | undefined
}

/** Never taken back by a rewind: going back in the conversation must not widen what is allowed. */
export const permission: Fold<Permission> = {
  rewinds: false,
  initial: { mode: undefined, plan: false, grants: [], enforced: undefined },
  step(state, event) {
    switch (event.type) {
      case 'permission/mode':
        return state.mode === event.data.mode ? state : { ...state, mode: event.data.mode }
      case 'plan/mode':
        return state.plan === event.data.on ? state : { ...state, plan: event.data.on }
      case 'permission/grant':
        return granted(state, event.data)
      case 'sandbox/enforced':
        return { ...state, enforced: event.data }
      case 'session/fork': {
        const grants = state.grants.filter((grant) => grant.scope !== 'session')
        return grants.length < state.grants.length ? { ...state, grants } : state
      }
      default:
        return state
    }
  },
}

function granted(state: Permission, grant: DataOf<'permission/grant'>): Permission {
  const others = state.grants.filter(({ id }) => id !== grant.id)
  if (!grant.revoked) return { ...state, grants: [...others, grant] }
  return others.length < state.grants.length ? { ...state, grants: others } : state
}
