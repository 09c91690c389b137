import { createHash } from 'node:crypto'
import { type Failure, FailureError, foreseen, type Holder, type Result } from '@rein/session'
import { fail, missing } from './failures.ts'
import { sha256Of } from './hasher.ts'
import type { HomeStore } from './home.ts'
import type { Contents, MovableStore, Pack, Piece } from './movable.ts'

/** What a move did. */
export interface Moved {
  readonly id: string
  readonly from: string
  readonly to: string
  /** `moved`: now. `finished`: it was there already, and a copy an interrupted move had left was put away. `there`: nothing was to do. */
  readonly outcome: 'moved' | 'finished' | 'there'
  /** Bytes of the log. */
  readonly bytes: number
  /** The hash its last line ends with; null when that line has none. */
  readonly head: string | null
}

/** How often a sign of life is given while something large is copied, in milliseconds. */
const RENEW_MS = 1000

/**
 * Take a session to another store of its home: held, copied byte for byte, read back and compared, shown there, and the
 * original put in the trash. Whenever it is interrupted one session stands, and moving again goes on: of two copies the
 * one with the higher epoch counts; with the same epoch nobody wrote since the copy was made, and they are equal.
 */
export async function moveSession(
  home: HomeStore,
  { id, to }: { readonly id: string; readonly to: string },
  holder: Holder,
): Promise<Result<Moved>> {
  const target = home.movable.get(to)
  if (!target) return fail(notMovable(`there is no store ${to} to move to`))
  const from = await home.whereIs(id)
  if (from === undefined) return fail(missing(id))
  const source = home.movable.get(from)
  if (!source) return fail(notMovable(`a session in the ${from} store is not moved`))
  const others = [...home.movable.values()].filter((store) => store !== source)
  const left = await putCopiesAway(others, id)
  if (!left.ok) return left
  if (source === target) return reported(source, { id, from, to, outcome: left.value ? 'finished' : 'there' })
  const pack = await source.pack(id, holder)
  if (!pack.ok) return pack
  const done = await carried(pack.value, target, holder)
  return done.ok ? reported(target, { id, from, to, outcome: 'moved' }) : done
}

/** Copies that do not count. @returns whether there was one. */
async function putCopiesAway(stores: readonly MovableStore[], id: string): Promise<Result<boolean>> {
  let some = false
  for (const store of stores) {
    if (!(await store.standing(id))) continue
    const away = await store.trash(id)
    if (!away.ok) return away
    some = true
  }
  return { ok: true, value: some }
}

async function carried(pack: Pack, target: MovableStore, holder: Holder): Promise<Result<void>> {
  // A sign that is not given in time is found out where it matters: when the original is put away.
  const living = setInterval(() => void pack.renew().catch(() => undefined), RENEW_MS)
  try {
    const arrival = await target.unpack(pack, holder)
    if (!arrival.ok) return arrival
    if ((await digestOf(pack)) !== (await digestOf(arrival.value))) return fail(differs(pack.id, target.name))
    await arrival.value.show()
    return await originalAway(pack, target)
  } catch (cause) {
    return foreseen(cause)
  } finally {
    clearInterval(living)
    await pack.release()
  }
}

async function originalAway(pack: Pack, target: MovableStore): Promise<Result<void>> {
  try {
    await pack.putAway()
    return await carryLate(pack, target)
  } catch (cause) {
    if (!(cause instanceof FailureError)) throw cause
    // Taken over meanwhile: the original goes on, and has the higher epoch already.
    if (cause.failure.code === 'SESSION_TAKEN') await target.trash(pack.id)
    return fail(cause.failure)
  }
}

/** Who posted while the copy was made was told that it is there. What came with the copy is known by its id. */
async function carryLate(pack: Pack, target: MovableStore): Promise<Result<void>> {
  for (const item of await pack.late()) {
    const posted = await target.post(pack.id, item)
    if (!posted.ok) return posted
  }
  return { ok: true, value: undefined }
}

/** One hash over every byte of it, with names and lengths between. */
async function digestOf(contents: Contents): Promise<string> {
  const hash = createHash('sha256')
  for await (const block of contents.log()) hash.update(block)
  for (const pieces of [contents.blobs(), contents.asides(), contents.spilled()]) {
    const all: string[] = []
    for await (const piece of pieces) all.push(markOf(piece))
    hash.update(JSON.stringify(all.sort()))
  }
  return hash.digest('hex')
}

const markOf = ({ name, bytes }: Piece): string => `${sha256Of(bytes)} ${name}`

async function reported(
  store: MovableStore,
  done: Pick<Moved, 'id' | 'from' | 'to' | 'outcome'>,
): Promise<Result<Moved>> {
  const ends = await store.ends(done.id, { head: 0, tail: 200 })
  if (!ends.ok) return ends
  const [, head = null] = /"hash":"([0-9a-f]{64})"\}\s*$/.exec(Buffer.from(ends.value.tail).toString('utf8')) ?? []
  return { ok: true, value: { ...done, bytes: ends.value.bytes, head } }
}

const notMovable = (message: string): Failure => ({
  code: 'USAGE',
  message,
  next: 'Sessions move between `jsonl` and `sqlite`.',
})

const differs = (id: string, store: string): Failure => ({
  code: 'LOG_WRITE',
  message: `what was read back from the ${store} store is not what session ${id} holds; the session stays where it is`,
  next: 'Check the disk, then move it again.',
})
