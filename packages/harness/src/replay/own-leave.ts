import type { Fold, PermissionMode } from '@rein/session'
import type { AgentParts } from '../agent/parts.ts'
import { sessionGrants } from '../ask/grants.ts'
import { isWider } from '../sandbox/modes.ts'
import type { CallSession, CheckedCall } from '../tools/ports.ts'

/** Whose leave counts for calls of a recording that nobody here saw before they run. */
export interface OwnLeave {
  /** The mode of today's settings: what runs, runs in no wider one. */
  readonly mode: PermissionMode
  /** Whether the recording says that a person was asked about the call. */
  readonly wasAsked: (call: string) => boolean
}

/** The recorded mode, or today's where that is narrower. */
export const narrower = (recorded: PermissionMode, leave: OwnLeave | undefined): PermissionMode =>
  leave && isWider(recorded, leave.mode) ? leave.mode : recorded

/** The session as it is in the copy: what was granted in the recording is granted to nobody here. */
export const inCopy = (session: CallSession, cwd: string): CallSession => ({
  id: session.id,
  cwd,
  spillFolders: session.spillFolders,
  state: <S>(fold: Fold<S>): S => (isGrants(fold) ? fold.initial : session.state(fold)),
})

const isGrants = (fold: unknown): boolean => fold === sessionGrants

/** Whether a call may run with nobody to ask: no guard of today refuses it, and today nothing of it wants asking. */
export async function isAllowed(checked: CheckedCall, { set, approval }: AgentParts): Promise<boolean> {
  if (await set.guardCall.ask(checked)) return false
  return approval.use(async (today) => (await today.needed(checked)) === undefined)
}
