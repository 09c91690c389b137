import { jsonlStore } from './jsonl/store.ts'
import type { SessionStore } from './session-store.ts'

export interface HomeOptions {
  /** `$REIN_HOME`, absolute. */
  readonly home: string
  /** Milliseconds since 1970, UTC. Decides only how long a silent holder is waited for, and the order of posts. */
  readonly now: () => number
  /** Which store keeps new sessions. Default `jsonl`. */
  readonly keep?: 'jsonl' | 'sqlite'
  /** How often a watcher looks where the system gives no hints, in milliseconds. Default 250. */
  readonly pollMs?: number
  /** After how long without a sign of life a holder may be taken over, in milliseconds. Default 5000. */
  readonly silentMs?: number
}

export interface HomeStore extends SessionStore {
  /** The stores of this home by name, in the order they are asked. */
  readonly stores: ReadonlyMap<string, SessionStore>
  /** The name of the store that has this session; undefined when none has it. */
  whereIs(id: string): Promise<string | undefined>
}

/** The sessions of one home, whatever store keeps each. */
export function homeStore(options: HomeOptions): HomeStore {
  const { home, now, pollMs, silentMs } = options
  const jsonl = jsonlStore({
    home,
    now,
    ...(pollMs !== undefined && { pollMs }),
    ...(silentMs !== undefined && { silentMs }),
  })
  return {
    ...jsonl,
    stores: new Map([['jsonl', jsonl]]),
    whereIs: async (id) => ((await jsonl.spillFolder(id)) === undefined ? undefined : 'jsonl'),
  }
}
