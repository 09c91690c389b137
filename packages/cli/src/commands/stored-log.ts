import { type HomeStore, homeStore, nodeHasher, type SessionStore, type StoreKind } from '@rein/harness/store'
import { type Failure, foreseen, type ReadLog, type Result, readLog, type SessionEvent } from '@rein/session'
import type { Args } from '../args.ts'
import type { Cli } from '../cli.ts'
import { exitOfFailure, failureText } from '../exit.ts'
import { usageFailure } from '../usage.ts'
import { safeText } from '../view/safe-text.ts'

/** A session as it lies in the store, read whole; its blobs are loaded. */
export interface StoredLog {
  readonly id: string
  readonly log: ReadLog
  readonly blob: (sha256: string) => Uint8Array | undefined
}

/**
 * The sessions of this home, whatever store keeps each.
 * @param keep which store keeps what is created; default `jsonl`.
 */
export const storeOf = (cli: Cli, keep?: StoreKind): HomeStore =>
  homeStore({ home: cli.home, now: Date.now, ...(keep && { keep }) })

/** The session the first word names: `last`, an id, or the beginning of one. Fails `USAGE` when there is no word. */
export async function namedId(cli: Cli, store: SessionStore, args: Args): Promise<Result<string>> {
  const [typed] = args.words
  if (typed === undefined) return { ok: false, failure: noSession(args.command) }
  const found = await store.find(typed, cli.cwd)
  return found.ok ? { ok: true, value: found.value.id } : found
}

/** The same session, read whole. */
export async function namedLog(cli: Cli, store: SessionStore, args: Args): Promise<Result<StoredLog>> {
  const id = await namedId(cli, store, args)
  return id.ok ? storedLog(store, id.value) : id
}

const noSession = (command: string) =>
  usageFailure(
    `\`rein ${command}\` needs a session: an id, the beginning of one, or \`last\`.`,
    '`rein sessions` lists them.',
  )

/** Fails as the store and `readLog` do; a disk that refuses in the middle is a failure like any other. */
export async function storedLog(store: SessionStore, id: string): Promise<Result<StoredLog>> {
  try {
    const bytes = await store.read(id)
    if (!bytes.ok) return bytes
    const log = await readLog(bytes.value, { hasher: nodeHasher })
    if (!log.ok) return log
    const blobs = await loadBlobs(store, id, log.value.events)
    return { ok: true, value: { id, log: log.value, blob: (sha256) => blobs.get(sha256) } }
  } catch (error) {
    return foreseen(error)
  }
}

async function loadBlobs(store: SessionStore, id: string, events: readonly SessionEvent[]) {
  const from = store.blobs(id)
  const loaded = new Map<string, Uint8Array>()
  for (const blob of blobsIn(events)) {
    const bytes = await from.get(blob)
    if (bytes) loaded.set(blob, bytes)
  }
  return loaded
}

/** The blobs that events name. */
export function blobsIn(events: readonly SessionEvent[]): ReadonlySet<string> {
  const names = new Set<string>()
  for (const event of events) {
    const content = event.type === 'user/message' || event.type === 'tool/result' ? event.data.content : []
    const extra = event.type === 'request/sent' ? (event.data.extra ?? []) : []
    for (const part of [...content, ...extra]) if (part.type === 'image') names.add(part.blob)
  }
  return names
}

/** Say what went wrong. @returns the exit code. */
export function refuse(cli: Cli, failure: Failure): number {
  cli.err(safeText(failureText(failure)))
  return exitOfFailure(failure)
}
