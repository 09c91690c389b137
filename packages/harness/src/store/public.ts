// What a program that only looks after sessions needs, without the rest of the harness: `@rein/harness/store`.

export { nodeHasher } from './hasher.ts'
export type { HomeOptions, HomeStore, StoreKind } from './home.ts'
export { homeStore } from './home.ts'
export type { SessionIndex } from './index/session-index.ts'
export { sessionIndex } from './index/session-index.ts'
export { isLookDue, putOldAway } from './retention.ts'
export type { SessionStore } from './session-store.ts'
