// The public surface of the package: nothing else is exported, and test/exports.test.ts pins this list.

export { isBlank, saysSomething } from './blank.ts'
export { BlobCache } from './blob-cache.ts'
export { check, closedLength, logRules } from './check/index.ts'
export type { Violation } from './check/rule.ts'
export type { StoreUnderTest } from './contract/store.ts'
export { storeContract } from './contract/store.ts'
export { uncounted } from './damage.ts'
export type { Encoder, Encoding, ReadBlob } from './dialect/encoder.ts'
export { encoderFor } from './dialect/encoder.ts'
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
export { header } from './folds/header.ts'
export type { Inbox } from './folds/inbox.ts'
export { due, inbox, laneOf, parks, removalOf, waitingIn, wakes } from './folds/inbox.ts'
export { noteFold } from './folds/note.ts'
export type { Owed } from './folds/owed.ts'
export { owed } from './folds/owed.ts'
export type { Permission } from './folds/permission.ts'
export { permission } from './folds/permission.ts'
export type { SeenState } from './folds/seen.ts'
export { seen } from './folds/seen.ts'
export type { Surface } from './folds/surface.ts'
export { surface } from './folds/surface.ts'
export type { Transcript } from './folds/transcript.ts'
export { transcript } from './folds/transcript.ts'
export type { Turns } from './folds/turns.ts'
export { turns } from './folds/turns.ts'
export type { Spent } from './folds/usage.ts'
export { addUsage, usage } from './folds/usage.ts'
export { foreseen } from './foreseen.ts'
export type { Fork } from './fork.ts'
export { fork, idOf } from './fork.ts'
export type { Hasher, NewHasher, Ports } from './hasher.ts'
export { encodeLine, splitLine } from './line.ts'
export type { LiveSession, SessionOptions } from './live-session.ts'
export { createSession, cwdOf, forkSession, resumeSession } from './live-session.ts'
export type { AppendOptions, LineSink } from './log.ts'
export { SessionLog } from './log.ts'
export type { MemoryOptions } from './memory-store.ts'
export { MemoryStore } from './memory-store.ts'
export type { Mended, MendOptions } from './mend.ts'
export { mend } from './mend.ts'
export type { Formats, Migration, NextEvent, OldEvent } from './migrate.ts'
export { knownFormats } from './migrate.ts'
export { faultOfPosted } from './posted.ts'
export type { Damage, ReadLog, ReadOptions } from './read.ts'
export { readLog } from './read.ts'
export { Rebuild } from './rebuild.ts'
export type { RedactedLog, RedactOptions } from './redact.ts'
export { hideIn, redactLog } from './redact.ts'
export type { RepairDraft } from './repair.ts'
export { notStartedText, repair, unknownText } from './repair.ts'
export type { Derivable, DerivedRequest } from './request.ts'
export { Derivation, sameHeader, sentRecord } from './request.ts'
export type { Rewind } from './rewind.ts'
export { planRewind, rewind } from './rewind.ts'
export { SharedList, SharedMap } from './shared.ts'
export type {
  Amendment,
  Beside,
  BesidePart,
  Blobs,
  Holder,
  KnownEntries,
  Lease,
  LogEnds,
  Posted,
  Result,
  SessionEntry,
  Store,
  Trashed,
  Watched,
} from './store.ts'
export { tailEvents } from './tail.ts'
export type { TreeEntry, TurnEntry } from './tree.ts'
export { saidIn, tree, turnsOf } from './tree.ts'
export type { Answer, Verification, VerifyOptions } from './verify.ts'
export { isSound, verify } from './verify.ts'
