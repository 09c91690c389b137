import { service } from '@rein/kernel'
import type { SessionLog } from '@rein/session'
import type { ToolOutput } from '../tools/definition.ts'
import type { CallSession, CheckedCall } from '../tools/ports.ts'
import type { SnapshotLimits } from './limits.ts'
import { SessionSnapshots } from './session-snapshots.ts'
import { Undo } from './undo-thread.ts'

export interface SnapshotsOptions {
  /** `$REIN_HOME/snapshots`, absolute. */
  readonly folder: string
  readonly userHome: string
  /** Absolute paths that are never looked into. */
  readonly hidden: readonly string[]
  readonly limits: SnapshotLimits
}

/**
 * Snapshots of the workspaces of all sessions here: one before the first call of a turn that may change something,
 * one at the end of that turn. Nothing of it can fail a call or a turn; what could not be done is a note in the log.
 */
export class Snapshots implements AsyncDisposable {
  readonly undo: Undo
  readonly #options: SnapshotsOptions
  readonly #sessions = new WeakMap<CallSession, SessionSnapshots>()

  constructor(options: SnapshotsOptions) {
    this.#options = options
    this.undo = new Undo({ folder: options.folder, limits: options.limits, hidden: options.hidden })
  }

  /** Take in a session: its calls and turns are then seen to. */
  enter(session: CallSession, log: SessionLog): SessionSnapshots {
    const own = new SessionSnapshots({ id: session.id, cwd: session.cwd, log }, { ...this.#options, undo: this.undo })
    this.#sessions.set(session, own)
    return own
  }

  /** Wraps every call; one that only reads goes straight on. */
  async call(call: CheckedCall, next: (call: CheckedCall) => Promise<ToolOutput>): Promise<ToolOutput> {
    const own = call.effects === 'some' ? this.#sessions.get(call.session) : undefined
    if (own && (await own.before(call.call)) === 'cancelled')
      return { kind: 'cancelled', content: 'Cancelled before it began; nothing was run.' }
    return next(call)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.undo[Symbol.asyncDispose]()
  }
}

/** Snapshots of the files a session works on; absent where the row `snapshots` is off. */
export const SnapshotsPort = service<Snapshots>('snapshots')
