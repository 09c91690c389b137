// The public surface of the package: nothing else is exported, and test/exports.test.ts pins this list.
export type {
  Block,
  CallBlock,
  Content,
  ImageContent,
  Json,
  Origin,
  PrivateBlock,
  ReasoningBlock,
  Source,
  TextContent,
} from './events/content.ts'
export type { EventOf, SurfaceOp } from './events/envelope.ts'
export type { Delivery, InboxItem, Lane } from './events/inbox.ts'
export type { DataOf, EventNamed, EventType, MessageEvent, SessionEvent } from './events/index.ts'
export type { ResultOutcome, SectionRecord, SeenFile } from './events/message.ts'
export type { PermissionMode } from './events/permission.ts'
export type { Finish, Header, Quirks, Repair, RequestKind, Timing, ToolSpec, Usage } from './events/request.ts'
export type { ParentRef } from './events/session.ts'
export type { TurnOutcome } from './events/turn.ts'
export type { Failure, FailureCode } from './failure.ts'
export { FailureError } from './failure.ts'
export type { Fold } from './fold.ts'
export { advance, fold } from './fold.ts'
export type { Hasher, NewHasher, Ports } from './hasher.ts'
export type { Blobs, Holder, Lease, Posted, Result, SessionEntry, Store, Watched } from './store.ts'
