/**
 * SHA-256 as a port, because `session` has no Node and browsers have no synchronous hash of their own.
 * `node:crypto`'s `createHash('sha256')` fits after one adapter line; `@noble/hashes` fits in browsers.
 */
export interface Hasher {
  /** Text is hashed as UTF-8. Returns itself. */
  update(data: string | Uint8Array): Hasher
  /** A second hasher that continues from this state; this one stays usable. */
  copy(): Hasher
  /** 64 lower-case hexadecimal digits. A hasher gives one digest; take `copy()` first to go on. */
  digest(): string
}

export interface NewHasher {
  (): Hasher
  /** The digest of what is all there, where the platform has a quicker way to it than a hasher. */
  readonly once?: (data: string | Uint8Array) => string
}

/** Everything `session` needs from the world, passed in: time, ids and hashing. */
export interface Ports {
  /** Milliseconds since 1970, UTC. */
  readonly now: () => number
  /** A new id, unique in the session, 1–128 characters of `[A-Za-z0-9._-]`, starting with `prefix`. */
  readonly id: (prefix: string) => string
  readonly hasher: NewHasher
}
