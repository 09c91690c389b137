import type { PermissionMode } from '@rein/session'

/** Every permission mode, narrowest first. */
export const modes: readonly PermissionMode[] = ['read-only', 'workspace-write', 'full-access']

const width = (mode: PermissionMode): number => modes.indexOf(mode)

/** Whether `mode` lets more happen than `than` does. */
export const isWider = (mode: PermissionMode, than: PermissionMode): boolean => width(mode) > width(than)

/** The one that lets less happen. What a resume, a rewind or a child starts with: none of them ever widens. */
export const narrower = (a: PermissionMode, b: PermissionMode): PermissionMode => (isWider(a, b) ? b : a)

/** The one that lets more happen. */
export const wider = (a: PermissionMode, b: PermissionMode): PermissionMode => (isWider(a, b) ? a : b)
