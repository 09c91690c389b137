import type { PermissionMode } from '@rein/session'

/** Every permission mode, narrowest first. */
export const modes: readonly PermissionMode[] = ['read-only', 'workspace-write', 'full-access']

const width = (mode: PermissionMode): number => modes.indexOf(mode)

/** Whether `mode` lets more happen than `than` does. */
export const isWider = (mode: PermissionMode, than: PermissionMode): boolean => width(mode) > width(than)
