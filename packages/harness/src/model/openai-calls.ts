import type { Chunk } from './chunk.ts'
import { type JsonObject, objectOf, parseJson, textOf } from './json.ts'

interface OpenCall {
  readonly block: number
  id: string | undefined
  index: number | undefined
  name: string
  arguments: string
}

/** One entry of `tool_calls`, read as far as it can be. */
interface Entry {
  readonly id: string | undefined
  readonly index: number | undefined
  readonly name: string | undefined
  readonly arguments: string
}

const entryOf = (value: unknown): Entry => {
  const entry: JsonObject = objectOf(value) ?? {}
  const body: JsonObject = objectOf(entry['function']) ?? {}
  const given = body['arguments']
  const index = entry['index']
  return {
    id: textOf(entry['id']),
    index: typeof index === 'number' ? index : undefined,
    name: textOf(body['name']),
    // Some servers send the arguments as an object instead of as its text.
    arguments: objectOf(given) === undefined ? (textOf(given) ?? '') : JSON.stringify(given),
  }
}

/** Add what an entry says to its call. */
const extend = (call: OpenCall, entry: Entry, isNew: boolean): readonly Chunk[] => {
  const id = call.id === undefined ? entry.id : undefined
  const name = call.name === '' ? entry.name : undefined
  call.id ??= id
  call.name ||= name ?? ''
  call.arguments += entry.arguments
  const { block } = call
  const chunks: Chunk[] = []
  if (isNew || id !== undefined || name !== undefined) {
    chunks.push({ kind: 'call', block, ...(id === undefined ? {} : { id }), ...(name === undefined ? {} : { name }) })
  }
  if (entry.arguments !== '') chunks.push({ kind: 'arguments', block, text: entry.arguments })
  return chunks
}

/** A named piece for a call whose arguments are whole already can only be the start of another call. */
const startsAnother = (call: OpenCall, entry: Entry): boolean =>
  entry.name !== undefined &&
  call.name !== '' &&
  (entry.arguments !== '' || entry.name !== call.name) &&
  objectOf(parseJson(call.arguments)?.value) !== undefined

/**
 * Which call each piece belongs to (rule 5). A new id opens a call even when its index repeats. An absent index is
 * not zero: then the id decides, then the place in the delta's list, and inside one delta every entry is a call of
 * its own.
 */
export class CallGroups {
  readonly #calls: OpenCall[] = []
  readonly #open: () => number
  /** The calls the last delta spoke of, in its order. */
  #before: readonly OpenCall[] = []

  /** @param open gives the number of a new block. */
  constructor(open: () => number) {
    this.#open = open
  }

  /** The blocks of all calls, in the order they were opened. */
  get blocks(): readonly number[] {
    return this.#calls.map((call) => call.block)
  }

  /** The entries of one delta, in their order. */
  route(entries: readonly unknown[]): readonly Chunk[] {
    const taken: OpenCall[] = []
    const chunks: Chunk[] = []
    for (const value of entries) {
      const entry = entryOf(value)
      const known = entry.id === undefined ? this.#byPlace(entry, taken, entries.length) : this.#byId(entry, taken)
      const call = known ?? { block: this.#open(), id: undefined, index: entry.index, name: '', arguments: '' }
      if (known === undefined) this.#calls.push(call)
      taken.push(call)
      chunks.push(...extend(call, entry, known === undefined))
    }
    if (taken.length > 0) this.#before = taken
    return chunks
  }

  #latest(holds: (call: OpenCall) => boolean): OpenCall | undefined {
    return this.#calls.findLast(holds)
  }

  #byId(entry: Entry, taken: readonly OpenCall[]): OpenCall | undefined {
    const known = this.#latest((call) => call.id === entry.id)
    if (known === undefined) {
      // The id may come late, on a piece that brings nothing else a new call would need.
      if (entry.name !== undefined || entry.index === undefined) return undefined
      const waiting = this.#latest((call) => call.index === entry.index)
      return waiting?.id === undefined ? waiting : undefined
    }
    const elsewhere = entry.index !== undefined && known.index !== undefined && entry.index !== known.index
    return elsewhere || (entry.index === undefined && taken.includes(known)) ? undefined : known
  }

  #byPlace(entry: Entry, taken: readonly OpenCall[], of: number): OpenCall | undefined {
    const { index } = entry
    const same = of === this.#before.length ? this.#before[taken.length] : this.#calls.at(-1)
    const call = index === undefined ? same : this.#latest((one) => one.index === index)
    if (call === undefined || (index === undefined && taken.includes(call))) return undefined
    return startsAnother(call, entry) ? undefined : call
  }
}
