/**
 * One event as it stands in memory: frozen, its place in the log as `seq`, its line's hash as `hash`.
 * On disk it is one JSON line with the fields in this order and `hash` last, covering the raw bytes before it.
 */
export interface EventOf<T extends string, D> {
  /** Position in the log, contiguous from 0. */
  readonly seq: number
  /** Milliseconds since 1970, UTC, by the writer's clock. Never used for ordering. */
  readonly time: number
  readonly type: T
  readonly data: D
  /** Only on the four message events: how the message enters the surface. */
  readonly surface?: SurfaceOp
  /** Events this one was made from. With `replace` it names every event it shadows. */
  readonly sources?: readonly number[]
  /** A reader that does not know `type` may skip the record. */
  readonly ignorable?: true
  /** SHA-256 of the previous line's hash and this line's bytes before its own `hash` field. */
  readonly hash: string
}

export type SurfaceOp = 'append' | { readonly replace: readonly [firstSeq: number, lastSeq: number] }
