import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import {
  type Blobs,
  FailureError,
  foreseen,
  type KnownEntries,
  type Result,
  type SessionEntry,
  type Trashed,
} from '@rein/session'
import { exists, fail, missing, notInTrash } from './failures.ts'
import { findSession } from './find.ts'
import { postAcross, watchAcross } from './follow-moved.ts'
import { jsonlStore } from './jsonl/store.ts'
import { memoryOf, memoryStore } from './memory.ts'
import type { MovableStore } from './movable.ts'
import type { SessionStore, StoreOptions } from './session-store.ts'
import { DATABASE, sqliteStore } from './sqlite/store.ts'

/** The stores of a home. */
export type StoreKind = 'jsonl' | 'sqlite' | 'memory'

/** Where a home is, and which of its stores keeps what is new. */
export interface HomeOptions extends StoreOptions {
  /** Which store keeps new sessions. Default `jsonl`. */
  readonly keep?: StoreKind
}

/** All stores of a home as one. */
export interface HomeStore extends SessionStore {
  /** The stores of this home by name, in the order they are asked. */
  readonly stores: ReadonlyMap<StoreKind, SessionStore>
  /** Those of them that sessions are moved from and to. */
  readonly movable: ReadonlyMap<string, MovableStore>
  /**
   * The name of the store that has this session; undefined when none has it.
   * @throws FailureError when a store cannot be asked and none of the others has it.
   */
  whereIs(id: string): Promise<StoreKind | undefined>
}

/** The sessions of one home, whatever store keeps each. A new one is kept by the store that is chosen. */
export function homeStore(options: HomeOptions): HomeStore {
  const { home, now, keep = 'jsonl' } = options
  const movable = new Map<StoreKind, MovableStore>([
    ['jsonl', jsonlStore(options)],
    ['sqlite', sqliteStore(options)],
  ])
  const memory = keep === 'memory' ? memoryStore(home, now) : memoryOf(home)
  const stores = new Map<StoreKind, SessionStore>(memory ? [['memory', memory], ...movable] : movable)
  const kept = stores.get(keep)
  if (!kept) throw new TypeError(`no store ${keep}`)
  const of = locator(stores, movable)
  const list = (known?: KnownEntries) => listAll(stores, home, { known, of })
  return {
    name: kept.name,
    stores,
    movable,
    whereIs: async (id) => {
      const store = await of(id)
      return [...stores].find(([, each]) => each === store)?.[0]
    },
    async create(id, options) {
      // A store that cannot be asked is in nobody's way: what it has is shown as broken.
      for (const store of stores.values())
        if (store !== kept && (await has(store, id)) === true) return fail(exists(id))
      return kept.create(id, options)
    },
    list,
    find: async (typed, cwd) => findSession(await list(), typed, cwd),
    ...throughTo(of),
    ...trashOf(stores, of),
  }
}

type Of = (id: string) => Promise<SessionStore | undefined>

/**
 * Asks which store has a session. Two have it while a move is under way or was interrupted: then the higher epoch
 * counts, and of equal ones, which are the same to the byte, the first.
 */
function locator(stores: ReadonlyMap<string, SessionStore>, movable: ReadonlyMap<string, MovableStore>): Of {
  return async (id) => {
    const having: SessionStore[] = []
    let trouble: FailureError | undefined
    for (const store of stores.values()) {
      const found = await has(store, id)
      if (found === true) having.push(store)
      else if (found) trouble ??= found
    }
    if (having.length === 0 && trouble) throw trouble
    if (having.length < 2) return having[0]
    let best: { readonly store: SessionStore; readonly rank: number } | undefined
    for (const store of having) {
      const standing = await movable.get(store.name)?.standing(id)
      const rank = standing ? standing.epoch + (standing.whole ? 0 : -1e12) : Number.POSITIVE_INFINITY
      if (!best || rank > best.rank) best = { store, rank }
    }
    return best?.store
  }
}

/** Whether a store has a session, or why it cannot be asked. */
async function has(store: SessionStore, id: string): Promise<boolean | FailureError> {
  try {
    return (await store.spillFolder(id)) !== undefined
  } catch (cause) {
    if (cause instanceof FailureError) return cause
    throw cause
  }
}

/** What goes to the store that has the session. */
function throughTo(
  of: Of,
): Pick<
  SessionStore,
  'acquire' | 'read' | 'ends' | 'watch' | 'post' | 'blobs' | 'beside' | 'trash' | 'spill' | 'spillFolder'
> {
  const at = async <T>(id: string, work: (store: SessionStore) => Promise<Result<T>>): Promise<Result<T>> => {
    try {
      const store = await of(id)
      return store ? await work(store) : fail(missing(id))
    } catch (cause) {
      return foreseen(cause)
    }
  }
  const must = async (id: string): Promise<SessionStore> => {
    const store = await of(id)
    if (!store) throw new FailureError(missing(id))
    return store
  }
  return {
    acquire: (id, options) => at(id, (store) => store.acquire(id, options)),
    read: (id) => at(id, (store) => store.read(id)),
    ends: (id, most) => at(id, (store) => store.ends(id, most)),
    watch: (id, from, signal) => watchAcross(must, { id, from, signal }),
    post: (id, item) => postAcross(of, id, item),
    blobs: (id) => blobsOf(id, of, must),
    async *beside(id, part) {
      const store = await of(id)
      if (store) yield* store.beside(id, part)
    },
    trash: (id) => at(id, (store) => store.trash(id)),
    spill: (id) => ({ open: async (name) => (await must(id)).spill(id).open(name) }),
    spillFolder: async (id) => (await of(id))?.spillFolder(id),
  }
}

function blobsOf(id: string, of: Of, must: (id: string) => Promise<SessionStore>): Blobs {
  return {
    put: async (bytes) => (await must(id)).blobs(id).put(bytes),
    get: async (sha256) => (await of(id))?.blobs(id).get(sha256),
    async link(sha256, from) {
      const [store, other] = [await must(id), await of(from)]
      if (!other || other === store) return store.blobs(id).link(sha256, from)
      const bytes = await other.blobs(from).get(sha256)
      if (bytes) await store.blobs(id).put(bytes)
      return bytes !== undefined
    },
  }
}

async function listAll(
  stores: ReadonlyMap<string, SessionStore>,
  home: string,
  { known, of }: { readonly known: KnownEntries | undefined; readonly of: Of },
): Promise<readonly SessionEntry[]> {
  const listed = new Map<string, { readonly entry: SessionEntry; readonly store: SessionStore }>()
  const lists: { readonly store: SessionStore; readonly entries: readonly SessionEntry[] }[] = []
  for (const store of stores.values()) {
    const entries = await entriesOf(store, home, known)
    if (entries.length > 0) lists.push({ store, entries })
  }
  // Mostly one store has them all, in order already.
  const [first] = lists
  if (first && lists.length === 1 && new Set(first.entries.map(({ id }) => id)).size === first.entries.length)
    return first.entries
  for (const { store, entries } of lists) {
    for (const entry of entries) {
      const twice = listed.has(entry.id) && (await of(entry.id)) !== store
      if (!twice) listed.set(entry.id, { entry, store })
    }
  }
  const entries = [...listed.values()].map(({ entry }) => entry)
  return entries.sort((a, b) => b.changed - a.changed || (a.id < b.id ? -1 : 1))
}

/** A database that cannot be opened is shown in place of its sessions, so that they are not left out in silence. */
async function entriesOf(
  store: SessionStore,
  home: string,
  known: KnownEntries | undefined,
): Promise<readonly SessionEntry[]> {
  try {
    return await store.list(known)
  } catch (cause) {
    if (!(cause instanceof FailureError) || store.name !== 'sqlite') throw cause
    const found = lstatSync(join(home, DATABASE), { throwIfNoEntry: false })
    return [{ id: DATABASE, bytes: found?.size ?? 0, changed: found?.mtimeMs ?? 0, cwd: null, state: 'broken' }]
  }
}

/** Names of one store's trash are never those of another's. */
function trashOf(
  stores: ReadonlyMap<string, SessionStore>,
  of: Of,
): Pick<SessionStore, 'trashed' | 'restore' | 'emptyTrash'> {
  return {
    async trashed() {
      const all: Trashed[] = []
      for (const store of stores.values()) all.push(...(await trashedIn(store)))
      return all.sort((a, b) => b.at - a.at || (a.name < b.name ? -1 : 1))
    },
    async restore(name) {
      for (const store of stores.values()) {
        const found = (await trashedIn(store)).find((each) => each.name === name)
        if (!found) continue
        const elsewhere = await of(found.id)
        return elsewhere && elsewhere !== store ? fail(exists(found.id)) : store.restore(name)
      }
      return fail(notInTrash(name))
    },
    async emptyTrash(names) {
      const deleted = { removed: 0, bytes: 0 }
      for (const store of stores.values()) {
        const { removed, bytes } = await store.emptyTrash(names)
        deleted.removed += removed
        deleted.bytes += bytes
      }
      return deleted
    },
  }
}

/** Empty where the database cannot be opened, which the list of sessions says. */
async function trashedIn(store: SessionStore): Promise<readonly Trashed[]> {
  try {
    return await store.trashed()
  } catch (cause) {
    if (cause instanceof FailureError && store.name === 'sqlite') return []
    throw cause
  }
}
