import { checks, ignorable, noteLimit, onSurface, surfaceCheck } from './events/checks.ts'
import type { SurfaceOp } from './events/envelope.ts'
import type { EventType } from './events/index.ts'
import type { NewHasher } from './hasher.ts'
import type { Check } from './shape.ts'

/** What an event is before it has a place and a hash. */
export interface Draft {
  readonly type: EventType
  readonly data: object
  readonly surface?: SurfaceOp
  readonly sources?: readonly number[]
  /** Only on a type this version does not know; for its own, the type decides. */
  readonly ignorable?: true
}

/** The format of log this version writes, and the newest it reads. */
export const format = 1
/** Where a record may end, in a line that holds more than one. */
export const hashPattern = /,"hash":"[0-9a-f]{64}"\}/g

const hashField = ',"hash":"'
/** `,"hash":"` + 64 digits + `"}`: the fixed end of every line. */
export const tailLength = hashField.length + 64 + 2

/**
 * One event as its log line (without the line end) and the line's hash.
 * `JSON.stringify` is well-formed: a lone surrogate leaves as an escape, so every line is valid UTF-8.
 */
export function encodeLine(place: { seq: number; time: number; previous: string }, draft: Draft, hasher: NewHasher) {
  const { type, data, surface, sources } = draft
  let before = `{"seq":${place.seq},"time":${place.time},"type":"${type}","data":${JSON.stringify(data)}`
  if (surface !== undefined) before += `,"surface":${JSON.stringify(surface)}`
  if (sources !== undefined) before += `,"sources":${JSON.stringify(sources)}`
  if (ignorable.has(type) || draft.ignorable) before += ',"ignorable":true'
  const hash = chain(place.previous, before, hasher)
  return { line: `${before}${hashField}${hash}"}`, hash }
}

/**
 * The hash of a line: of the hash before it and of its own bytes before its `hash` field.
 * @param before bytes have room for a hash in front of them, which is overwritten.
 */
export function chain(previous: string, before: string | Uint8Array, hasher: NewHasher): string {
  const whole = typeof before === 'string' ? previous + before : behind(previous, before)
  return hasher.once ? hasher.once(whole) : hasher().update(whole).digest()
}

/** Bytes of a hash, as digits. */
export const hashRoom = 64

function behind(previous: string, before: Uint8Array): Uint8Array {
  if (previous === '') return before.subarray(hashRoom)
  utf8.encodeInto(previous, before)
  return before
}

/** Whether a line ends as every record does: in its hash, in the outermost object. */
export const endsInHash = (line: string): boolean =>
  line.endsWith('"}') && line.startsWith(hashField, line.length - tailLength)

export const isHash = (text: string): boolean => /^[0-9a-f]{64}$/.test(text)

/** The two parts of a line, or undefined when it does not end in a hash. */
export function splitLine(line: string): { before: string; hash: string } | undefined {
  if (!endsInHash(line)) return undefined
  return { before: line.slice(0, -tailLength), hash: line.slice(-66, -2) }
}

/** Whether this version knows what an event of this type is. */
export const isKnown = (type: string): type is EventType => Object.hasOwn(checks, type)

/** What is wrong with the envelope of an event of any type, in words, or undefined. */
export function faultOfEnvelope(value: unknown): string | undefined {
  if (!isRecord(value)) return 'is not an object'
  const { seq, time, type, data } = value
  if (!isPlace(seq)) return 'seq must be an integer from 0'
  if (!Number.isFinite(time)) return 'time must be a number'
  if (typeof type !== 'string') return 'type must be a string'
  return isRecord(data) ? undefined : 'data must be an object'
}

/**
 * Levels an event has at most. `JSON.parse` reads any number of them; `JSON.stringify`, and whatever goes through a
 * value level by level, ends at a few thousand.
 */
const mostLevels = 1000

/**
 * Whether a value nests deeper than an event may.
 * @param text the value as JSON, where it is at hand: a short one is told without a look inside.
 */
export const isTooDeep = (value: object, text?: string): boolean =>
  (text === undefined || text.length > 2 * mostLevels) && isDeeper(value, mostLevels)

function isDeeper(value: object, levels: number): boolean {
  if (levels === 0) return true
  const fields = value as Readonly<Record<string, unknown>>
  for (const key in fields) {
    const field = fields[key]
    if (typeof field === 'object' && field !== null && isDeeper(field, levels - 1)) return true
  }
  return false
}

/** What is wrong with an event, in words, or undefined. The event's place in the chain is not looked at. */
export function faultOf(event: Draft & { readonly seq: number; readonly time: number }): string | undefined {
  const problem = faultOfEnvelope(event)
  if (problem !== undefined) return problem
  const { type, data, seq } = event
  if (!isKnown(type)) return `type ${JSON.stringify(type)} is not known`
  const check: Check<unknown> = checks[type]
  const wrong = check(data)
  if (wrong !== undefined) return `${type} data: ${wrong}`
  return faultOfPlace(event) ?? faultOfData(type, data, seq)
}

function faultOfPlace({ type, seq, surface, sources }: Draft & { readonly seq: number }): string | undefined {
  if (onSurface.has(type) !== (surface !== undefined)) return `${type} ${surface ? 'has no' : 'needs a'} surface`
  if (surface !== undefined && surfaceCheck(surface) !== undefined) return 'surface must be "append" or a replace'
  if (sources !== undefined) {
    if (!Array.isArray(sources)) return 'sources must be a list'
    if (sources.some((source) => !isPlace(source) || source >= seq)) return 'sources must name earlier events'
  }
  if (typeof surface === 'object' && !sources?.length) return 'a replace names the events it shadows in sources'
  return undefined
}

/** What the checks of single fields cannot tell. */
function faultOfData(type: EventType, data: object, seq: number): string | undefined {
  if (type === 'plugin/note' && !fitsNote(JSON.stringify(data))) return 'a note has at most 64 KB'
  if (type === 'session/rewound' && 'to' in data && Number(data.to) >= seq) return 'a rewind goes to an earlier event'
  return undefined
}

/** A character is one to three bytes of UTF-8 for each of its UTF-16 units, so most notes are told by their length. */
function fitsNote(text: string): boolean {
  if (text.length > noteLimit) return false
  return text.length * 3 <= noteLimit || utf8.encode(text).length <= noteLimit
}

const utf8 = new TextEncoder()
const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isPlace = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0

/**
 * Freeze a value and everything in it; an event never changes once it is in the log. Not recursive, because a line
 * may nest as deep as it likes.
 */
export function freeze<T>(value: T): T {
  const open: unknown[] = [value]
  while (open.length > 0) {
    const next = open.pop()
    if (typeof next !== 'object' || next === null) continue
    Object.freeze(next)
    const fields = next as Readonly<Record<string, unknown>>
    for (const key in fields) {
      const inner = fields[key]
      if (typeof inner === 'object' && inner !== null) open.push(inner)
    }
  }
  return value
}

/** What in a value JSON would lose or change, so that the log and memory would differ; or undefined. */
export function faultOfJson(value: unknown): string | undefined {
  const open: unknown[] = [value]
  while (open.length > 0) {
    const next = open.pop()
    if (typeof next === 'number' && !Number.isFinite(next)) return `${next} is not a JSON number`
    if (typeof next === 'function' || typeof next === 'symbol' || typeof next === 'bigint')
      return `a ${typeof next} is not JSON`
    if (typeof next !== 'object' || next === null) continue
    if (Array.isArray(next)) {
      if (next.includes(undefined)) return 'undefined in a list is not JSON'
      for (const inner of next) open.push(inner)
    } else if (!isPlain(next)) return 'an object of a class is not JSON'
    else for (const key in next) open.push(Reflect.get(next, key))
  }
  const nests = typeof value === 'object' && value !== null && isTooDeep(value)
  return nests ? `nests deeper than ${mostLevels} levels` : undefined
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
