import type { Content, Json, Source } from './events/content.ts'
import type { Delivery } from './events/inbox.ts'
import type { Failure } from './failure.ts'

/** Expected trouble stays a value up to where somebody can act on it. */
export type Result<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly failure: Failure }

/** Who writes: enough to tell a dead process from a silent one. */
export interface Holder {
  readonly host: string
  readonly pid: number
  /** When that process started, in any unit that tells two processes with one pid apart. */
  readonly started: string
}

/** Something posted to a session without its lease. `id` makes posting idempotent. */
export type Posted =
  | {
      readonly kind: 'input'
      readonly id: string
      readonly delivery: Delivery
      readonly content: readonly Content[]
      readonly source: Source
    }
  /** An answer to `approval/asked` (only the text `allowed-once` allows, anything else is a no) or to `question/asked`. */
  | { readonly kind: 'answer'; readonly id: string; readonly to: string; readonly answer: Json; readonly by: string }
  /** Stop the running turn, or withdraw the named unclaimed item. */
  | { readonly kind: 'cancel'; readonly id: string; readonly item?: string }

/** One session as a list shows it. `broken`: its log cannot be read. */
export interface SessionEntry {
  readonly id: string
  /** Bytes of the log. */
  readonly bytes: number
  /** Milliseconds since 1970 of the last write. */
  readonly changed: number
  /** The directory the session was started in, when the first line could be read. */
  readonly cwd: string | null
  readonly state: 'free' | 'held' | 'broken'
  /**
   * An epoch whose holder is known never to write again. Given back with `known` it spares a look; without meaning to
   * anybody but the store.
   */
  readonly gone?: number
}

/** Entries of an earlier list by id. */
export type KnownEntries = Pick<ReadonlyMap<string, SessionEntry>, 'get'>

/** A session in the trash. */
export interface Trashed {
  /** What names it there; the same id may be there more than once. */
  readonly name: string
  readonly id: string
  /** Milliseconds since 1970 when it was put there. */
  readonly at: number
  /** Bytes of everything that belongs to it: what emptying gives back. */
  readonly bytes: number
}

/** The two ends of a log. They never overlap; `head` is everything when the log is no longer than was asked for. */
export interface LogEnds {
  readonly head: Uint8Array
  readonly tail: Uint8Array
  /** Bytes of the whole log. */
  readonly bytes: number
}

/** What a watcher is told. */
export type Watched =
  /** Whole lines, in order, without their line ends; `from` is the position of the first. */
  | { readonly kind: 'lines'; readonly from: number; readonly lines: readonly string[] }
  /** Another log was published: what was delivered from position `from` on no longer holds. */
  | { readonly kind: 'reset'; readonly from: number }

/** The pictures of one session, and other bytes its log names by their hash. */
export interface Blobs {
  /** @returns the SHA-256 of the bytes, hexadecimal: the blob's only name. Durable when it resolves; idempotent. */
  put(bytes: Uint8Array): Promise<string>
  /** @returns undefined when there is no such blob, or its bytes do not match its name. */
  get(sha256: string): Promise<Uint8Array | undefined>
  /**
   * Take a blob over from another session of this store, without a second copy where the store can; it stays when that
   * session goes. Durable when it resolves; idempotent.
   * @returns false when `from` has no such blob, or its bytes do not match its name.
   */
  link(sha256: string, from: string): Promise<boolean>
}

/** Kinds of what belongs to a session beside its log: damaged lines set aside, pictures, items posted and not settled. */
export type BesidePart = 'aside' | 'blob' | 'post'

/** One piece beside a log, as its store keeps it, damaged or not. */
export interface Beside {
  readonly part: BesidePart
  /** One of its part, of one session. Of a blob its SHA-256; of the others whatever the store calls it. */
  readonly name: string
  /** Of a post what the store wrote down of it: JSON, unless somebody else was at it. */
  readonly bytes: Uint8Array
}

/** A piece as it is to be, or none any more. A blob is named by its bytes: it goes or stays. */
export type Amendment =
  | { readonly part: 'aside' | 'post'; readonly name: string; readonly bytes: Uint8Array | null }
  | { readonly part: 'blob'; readonly name: string; readonly bytes: null }

/**
 * The right to write one session, held under one epoch. A holder that was overtaken by a higher epoch can never
 * write again: every method then rejects with `SESSION_TAKEN`.
 */
export interface Lease {
  readonly id: string
  readonly epoch: number
  /** The log as it stood when the lease was taken: raw bytes, damage included. May be read more than once. */
  bytes(): AsyncIterable<Uint8Array>
  /**
   * Replace the log by these whole lines, durably, and go on appending after them. `aside` keeps what was cut out
   * in a side file of that name. Nothing of the old log is deleted before the new one is readable.
   */
  publish(lines: readonly string[], aside?: { readonly name: string; readonly bytes: Uint8Array }): Promise<void>
  /**
   * Write whole lines, in order, so that they survive the death of this process.
   * @param expectedSeq how many lines the log must hold before; anything else rejects and writes nothing.
   * @throws FailureError `SESSION_TAKEN` when a higher epoch was claimed (acknowledged only after re-checking the
   * claim behind the write), `LOG_WRITE` when the disk refused; after either the lease is dead.
   */
  append(expectedSeq: number, lines: readonly string[]): Promise<void>
  /** What was appended survives the loss of power. Same errors as `append`. */
  sync(): Promise<void>
  /** Throws `SESSION_TAKEN` when this lease was overtaken. Called after anything that may have slept. */
  check(): Promise<void>
  /** Say that this writer lives. Due every second. */
  renew(): Promise<void>
  /** What was posted and not yet settled, in the order of posting. */
  posted(): Promise<readonly Posted[]>
  /** These items are in the log now, synced; forget them. */
  settle(ids: readonly string[]): Promise<void>
  /**
   * Rewrite pieces beside the log, or remove them, durably. One that is not there is passed over. What they were, and
   * what an earlier `publish` replaced, then stands in no file of the store; sessions in the trash keep theirs.
   * @returns false when others read the old state at this moment: it stays until the store is amended again, of nothing too.
   */
  amend(pieces: readonly Amendment[]): Promise<boolean>
  /** Called, soon, when something may have been posted; a hint, never a promise. */
  onPosted(listener: () => void): Disposable
  /** Give the right back. Idempotent. The next holder appends in place. */
  release(): Promise<void>
}

/**
 * Where sessions are kept. Reading, watching and posting never need the lease.
 * Every implementation passes `storeContract`.
 */
export interface Store {
  readonly name: string
  /** Epoch 1 of a new, empty session. Fails `SESSION_EXISTS`. */
  create(id: string, options: { readonly cwd: string; readonly holder: Holder }): Promise<Result<Lease>>
  /**
   * Become the writer. Fails `SESSION_BUSY` while another holder is alive and spoke within `silentMs`
   * (default 5000), `SESSION_MISSING` when there is none of that id.
   */
  acquire(id: string, options: { readonly holder: Holder; readonly silentMs?: number }): Promise<Result<Lease>>
  /**
   * Newest first. Broken sessions are listed as such, never left out.
   * @param known entries of an earlier list by id: the log of one that has the same bytes and time is not opened again.
   */
  list(known?: KnownEntries): Promise<readonly SessionEntry[]>
  /** The whole log as raw bytes. Fails `SESSION_MISSING`. */
  read(id: string): Promise<Result<AsyncIterable<Uint8Array>>>
  /**
   * At most the first `head` and the last `tail` bytes of a log, without reading what lies between. Fails
   * `SESSION_MISSING`, and `FILE_ERROR` when the log cannot be read.
   */
  ends(id: string, most: { readonly head: number; readonly tail: number }): Promise<Result<LogEnds>>
  /** Lines from position `from` on, then new ones as they are written, until `signal` aborts. */
  watch(id: string, from: number, signal: AbortSignal): AsyncIterable<Watched>
  /**
   * Durable when it resolves; posting an id again does nothing. Fails `SESSION_MISSING`.
   * @throws TypeError for what is no item: a bug in the caller.
   */
  post(id: string, item: Posted): Promise<Result<void>>
  blobs(id: string): Blobs
  /** All pieces of one kind beside a log, by name, each read when it is asked for. None where there is no such session. */
  beside(id: string, part: BesidePart): AsyncIterable<Beside>
  /** Put the session away, everything that belongs to it with it; nothing is deleted. Fails `SESSION_BUSY` while held. */
  trash(id: string): Promise<Result<void>>
  /** What was put away and not deleted yet, newest first. */
  trashed(): Promise<readonly Trashed[]>
  /**
   * Back to where it was, everything that belongs to it with it; whoever held it before it was put away stays overtaken.
   * Fails `SESSION_MISSING` when nothing of that name is in the trash, `SESSION_EXISTS` when its id is in use again.
   * @returns the session's id.
   */
  restore(name: string): Promise<Result<string>>
  /**
   * Delete for good: the one thing of a store that does.
   * @param names default everything in the trash; names that are not there are passed over.
   * @throws FailureError `FILE_ERROR` when the disk refused; what was not deleted is still listed.
   */
  emptyTrash(names?: readonly string[]): Promise<{ readonly removed: number; readonly bytes: number }>
}
