import type { Json } from './content.ts'
import type { EventOf } from './envelope.ts'

export type PermissionMode = 'read-only' | 'workspace-write' | 'full-access'

export type PermissionFamily =
  /** `what` is the sentence a person decides on; `detail` is for the dialog. */
  | EventOf<'approval/asked', { id: string; call: string; what: string; detail?: Json }>
  /** Only `allowed-once` allows; no answer, a timeout, an exception or a missing answerer is a no (rule 11). */
  | EventOf<
      'approval/decided',
      { id: string; decision: 'allowed-once' | 'denied' | 'unanswered'; by: string; words?: string }
    >
  | EventOf<'question/asked', { id: string; call: string; questions: Json }>
  | EventOf<'question/answered', { id: string; answers: Json | null; by: string }>
  | EventOf<'permission/mode', { mode: PermissionMode; by: 'person' | 'settings' | 'parent' }>
  /** A rule a person wrote down on purpose; `revoked` takes it back. */
  | EventOf<
      'permission/grant',
      { id: string; rule: string; scope: 'session' | 'project' | 'user'; by: 'person'; revoked?: boolean }
    >
  /** What confines processes from here on, as found out, not as wished. */
  | EventOf<
      'sandbox/enforced',
      {
        backend: string
        level: 'full' | 'partial' | 'none'
        /** What is asked for and not enforced, in words. */
        missing: readonly string[]
        mode: PermissionMode
      }
    >
  | EventOf<'sandbox/denied', { call: string; what: 'read' | 'write' | 'network' | 'other'; target: string }>
  | EventOf<'plan/mode', { on: boolean; by: 'person' | 'model'; plan?: string }>
