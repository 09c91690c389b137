import type { InboxFamily } from './inbox.ts'
import type { MessageFamily } from './message.ts'
import type { PermissionFamily } from './permission.ts'
import type { RequestFamily } from './request.ts'
import type { SessionFamily } from './session.ts'
import type { TurnFamily } from './turn.ts'
import type { WorkFamily } from './work.ts'

/** Every fact a session can hold. The union is closed: a plugin's own facts are `plugin/note`. */
export type SessionEvent =
  | SessionFamily
  | TurnFamily
  | InboxFamily
  | MessageFamily
  | RequestFamily
  | PermissionFamily
  | WorkFamily

export type EventType = SessionEvent['type']
export type EventNamed<T extends EventType> = Extract<SessionEvent, { type: T }>
export type DataOf<T extends EventType> = EventNamed<T>['data']

/** The four events that carry a `surface`. */
export type MessageEvent = EventNamed<'system/message' | 'user/message' | 'assistant/message' | 'tool/result'>
