import type { Store } from '@rein/session'
import { isDamagedEnd } from './log-line.ts'

/** How far a log was read: behind this many bytes, whose last whole line ended in this hash. */
export interface Mark {
  readonly bytes: number
  /** '' when the last line was no record: then nothing tells whether the log is still the same. */
  readonly head: string
}

export const beginning: Mark = { bytes: 0, head: '' }

/** Whole lines of a log. */
export interface Stretch {
  readonly lines: readonly string[]
  readonly mark: Mark
  /** What was read before does not hold any more: these lines are the first. */
  readonly anew: boolean
}

/** Bytes that are handed on at once, about: what an interrupted reader loses. */
const stretchBytes = 1 << 20
/** A longer addition is read with the whole log, as a stream. */
const longestAddition = 1 << 26
/** The end of a line whose hash is looked at: the hash, quotes, a brace and the line end. */
const lookBack = 80

/**
 * The lines behind `from`, without reading what stands before them when it still is what it was; else the whole log,
 * from its beginning. A last line without an end is left for later, unless it can be no record: then it is given, and
 * the log is read anew next time, for whoever opens it next sets it aside.
 * @param bytes of the log as it was listed.
 */
export async function* readOn(
  store: Pick<Store, 'read' | 'ends'>,
  { id, bytes }: { readonly id: string; readonly bytes: number },
  from: Mark,
): AsyncGenerator<Stretch> {
  const added = await addition(store, { id, bytes }, from)
  const cutter = new Cutter(added ? from : beginning, added === undefined)
  if (added) cutter.add(added)
  else {
    const whole = await store.read(id)
    if (!whole.ok) return
    for await (const block of whole.value) {
      cutter.add(block)
      if (cutter.waiting >= stretchBytes) yield* cutter.cut()
    }
  }
  yield* cutter.cut()
  yield* cutter.damagedEnd()
  // An empty log is news as well, for whoever knew another.
  if (cutter.anew) yield { lines: [], mark: beginning, anew: true }
}

/** What was added behind the mark; undefined when the log is another one now, or too much was added. */
async function addition(
  store: Pick<Store, 'ends'>,
  { id, bytes }: { readonly id: string; readonly bytes: number },
  from: Mark,
): Promise<Uint8Array | undefined> {
  if (from.head === '' || bytes < from.bytes || bytes - from.bytes > longestAddition) return undefined
  // It may have grown since it was listed: then the tail begins later, and is asked for again.
  for (let total = bytes, round = 0; round < 5; round++) {
    const got = await store.ends(id, { head: 0, tail: total - from.bytes + lookBack })
    if (!got.ok || got.value.bytes < from.bytes) return undefined
    const { tail, bytes: now } = got.value
    const start = now - tail.length
    if (start <= Math.max(0, from.bytes - lookBack)) {
      const before = Buffer.from(tail.subarray(Math.max(0, from.bytes - start - lookBack), from.bytes - start))
      return before.includes(from.head) && before.at(-1) === 10 ? tail.subarray(from.bytes - start) : undefined
    }
    total = now
  }
  return undefined
}

/** Collects blocks and gives whole lines. */
class Cutter {
  #blocks: Uint8Array[] = []
  #mark: Mark
  /** Bytes that were not given yet. */
  waiting = 0
  /** Whether the first stretch is still to be given, and says that it is the first. */
  anew: boolean

  constructor(mark: Mark, anew: boolean) {
    this.#mark = mark
    this.anew = anew
  }

  add(block: Uint8Array): void {
    // The store may use its buffer again.
    this.#blocks.push(Uint8Array.prototype.slice.call(block))
    this.waiting += block.length
  }

  *damagedEnd(): Generator<Stretch> {
    const rest = Buffer.concat(this.#blocks)
    const text = rest.toString('utf8')
    if (!isDamagedEnd(text)) return
    yield { lines: [text], mark: { bytes: this.#mark.bytes + rest.length, head: '' }, anew: this.anew }
    this.anew = false
  }

  *cut(): Generator<Stretch> {
    const last = this.#blocks.findLastIndex((block) => block.includes(10))
    if (last === -1) return
    const whole = Buffer.concat(this.#blocks)
    const end = whole.lastIndexOf(10) + 1
    const lines = whole.toString('utf8', 0, end - 1).split('\n')
    const head = /"hash":"([0-9a-f]{64})"\}\r?$/.exec(lines.at(-1)?.slice(-lookBack) ?? '')?.[1] ?? ''
    this.#mark = { bytes: this.#mark.bytes + end, head }
    this.#blocks = [whole.subarray(end)]
    this.waiting = whole.length - end
    const { anew } = this
    this.anew = false
    yield { lines, mark: this.#mark, anew }
  }
}
