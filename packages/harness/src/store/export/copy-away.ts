import type { Holder, Lease, Result, SessionEvent } from '@rein/session'
import type { SessionStore } from '../session-store.ts'
import { blobsOf } from './pictures.ts'
import { spilledOf } from './spilled.ts'

/** A session as it is before it is changed for good. */
export interface Original {
  readonly id: string
  readonly lines: readonly string[]
  readonly events: readonly SessionEvent[]
  /** The damaged lines that a declared damage in `lines` speaks of, when nothing keeps them yet. */
  readonly aside: { readonly name: string; readonly bytes: Uint8Array } | undefined
}

/**
 * Put a copy of a session in the trash, everything that belongs to it with it; under another id, so that both can be
 * there at once when it is restored. The session itself is left as it is.
 * @returns the id of the copy.
 */
export async function putCopyAway(
  store: SessionStore,
  original: Original,
  as: { readonly holder: Holder; readonly cwd: string },
): Promise<Result<string>> {
  const made = await createFree(store, original.id, as)
  if (!made.ok) return made
  const lease = made.value
  try {
    await fill(store, lease, original)
  } catch (cause) {
    // What is half a copy is no use, and in the trash it harms nobody.
    await lease.release()
    await store.trash(lease.id)
    throw cause
  }
  await lease.release()
  const away = await store.trash(lease.id)
  return away.ok ? { ok: true, value: lease.id } : away
}

async function createFree(
  store: SessionStore,
  id: string,
  as: { readonly holder: Holder; readonly cwd: string },
): Promise<Result<Lease>> {
  for (let number = 1; ; number++) {
    const end = number === 1 ? '-unredacted' : `-unredacted-${number}`
    const made = await store.create(id.slice(0, 128 - end.length) + end, as)
    if (made.ok || made.failure.code !== 'SESSION_EXISTS') return made
  }
}

async function fill(store: SessionStore, lease: Lease, { id, lines, events, aside }: Original): Promise<void> {
  for (const blob of blobsOf(events)) await store.blobs(lease.id).link(blob, id)
  const outputs = await spilledOf(store, id)
  for (const name of await outputs.names()) {
    const spilled = await store.spill(lease.id).open(name)
    try {
      await spilled.write(await outputs.read(name))
    } finally {
      await spilled.close()
    }
  }
  for await (const { name, bytes } of store.beside(id, 'aside')) await lease.publish(lines, { name, bytes })
  await lease.publish(lines, aside)
  await lease.sync()
}
