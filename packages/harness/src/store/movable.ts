import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Holder, Posted, Result } from '@rein/session'
import { noneWhenAbsent } from './disk-failure.ts'
import type { SessionStore } from './session-store.ts'

/** Which of two copies of one session counts: the one with the higher epoch. */
export interface Standing {
  /** The highest epoch that was claimed. */
  readonly epoch: number
  /** Whether it has a log; a copy without one never counts beside one that has. */
  readonly whole: boolean
}

/** A piece that belongs to a session, as it is stored, damaged or not. */
export interface Piece {
  readonly name: string
  readonly bytes: Uint8Array
}

/** The files of a folder; none where there is no such folder. */
export async function* piecesIn(folder: string): AsyncGenerator<Piece> {
  for (const name of await noneWhenAbsent(readdir(folder))) yield { name, bytes: await readFile(join(folder, name)) }
}

/** What a session consists of, byte for byte. May be read more than once. */
export interface Contents {
  log(): AsyncIterable<Uint8Array>
  blobs(): AsyncIterable<Piece>
  asides(): AsyncIterable<Piece>
  spilled(): AsyncIterable<Piece>
}

/** A session in the hands of whoever moves it: nobody else writes it meanwhile. */
export interface Pack extends Contents {
  readonly id: string
  /** The directory it was started in, as far as the store knows. */
  readonly cwd: string | null
  readonly epoch: number
  /** Milliseconds since 1970 of the last write. */
  readonly changed: number
  posted(): Promise<readonly Posted[]>
  /** Say that this process lives, as a lease does. */
  renew(): Promise<void>
  /** Put the original away while it is still held. @throws FailureError `SESSION_TAKEN`. */
  putAway(): Promise<void>
  /** What waits with the original that was put away: some of it may have been posted after `posted` was asked. */
  late(): Promise<readonly Posted[]>
  release(): Promise<void>
}

/** A copy that nobody sees yet. What an interrupted move left of one is cleared away by the next. */
export interface Arrival extends Contents {
  /** From here on it is a session of this store, under the epoch it had. @throws FailureError `SESSION_EXISTS`. */
  show(): Promise<void>
}

/** A store that sessions are moved from and to. */
export interface MovableStore extends SessionStore {
  standing(id: string): Promise<Standing | undefined>
  /** Fails as `acquire` does. */
  pack(id: string, holder: Holder): Promise<Result<Pack>>
  unpack(pack: Pack, holder: Holder): Promise<Result<Arrival>>
}
