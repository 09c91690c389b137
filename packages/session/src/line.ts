import { checks, ignorable, noteLimit, onSurface, surfaceCheck } from './events/checks.ts'
import type { SurfaceOp } from './events/envelope.ts'
import type { EventType, SessionEvent } from './events/index.ts'
import type { NewHasher } from './hasher.ts'
import type { Check } from './shape.ts'

/** What an event is before it has a place and a hash. */
export interface Draft {
  readonly type: EventType
  readonly data: object
  readonly surface?: SurfaceOp
  readonly sources?: readonly number[]
}

const hashField = ',"hash":"'
/** `,"hash":"` + 64 digits + `"}`: the fixed end of every line. */
const tailLength = hashField.length + 64 + 2

/**
 * One event as its log line (without the line end) and the line's hash.
 * `JSON.stringify` is well-formed: a lone surrogate leaves as an escape, so every line is valid UTF-8.
 */
export function encodeLine(place: { seq: number; time: number; previous: string }, draft: Draft, hasher: NewHasher) {
  const { type, data, surface, sources } = draft
  let before = `{"seq":${place.seq},"time":${place.time},"type":"${type}","data":${JSON.stringify(data)}`
  if (surface !== undefined) before += `,"surface":${JSON.stringify(surface)}`
  if (sources !== undefined) before += `,"sources":${JSON.stringify(sources)}`
  if (ignorable.has(type)) before += ',"ignorable":true'
  const hash = chain(place.previous, before, hasher)
  return { line: `${before}${hashField}${hash}"}`, hash }
}

/** The hash of a line: of the hash before it and of its own bytes before its `hash` field. */
export function chain(previous: string, before: string, hasher: NewHasher): string {
  return hasher()
    .update(previous + before)
    .digest()
}

/** The two parts of a line, or undefined when it does not end in a hash. */
export function splitLine(line: string): { before: string; hash: string } | undefined {
  const cut = line.length - tailLength
  if (cut < 0 || !line.startsWith(hashField, cut) || !line.endsWith('"}')) return undefined
  return { before: line.slice(0, cut), hash: line.slice(cut + hashField.length, -2) }
}

/** What is wrong with an event, in words, or undefined. The event's place in the chain is not looked at. */
export function faultOf(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return 'is not an object'
  const { seq, time, type, data, surface, sources } = value as Partial<SessionEvent>
  if (!Number.isSafeInteger(seq) || Number(seq) < 0) return 'seq must be an integer from 0'
  if (!Number.isFinite(time)) return 'time must be a number'
  const check: Check<unknown> | undefined = type === undefined ? undefined : checks[type]
  if (!type || !check) return `type ${JSON.stringify(type)} is not known`
  const problem = check(data)
  if (problem !== undefined) return `${type} data: ${problem}`
  return faultOfPlace({ type, seq: Number(seq), surface, sources }) ?? faultOfNote(type, data)
}

function faultOfPlace(event: {
  type: EventType
  seq: number
  surface: SurfaceOp | undefined
  sources: readonly number[] | undefined
}): string | undefined {
  const { type, seq, surface, sources } = event
  if (onSurface.has(type) !== (surface !== undefined)) return `${type} ${surface ? 'has no' : 'needs a'} surface`
  if (surface !== undefined && surfaceCheck(surface) !== undefined) return 'surface must be "append" or a replace'
  if (sources !== undefined) {
    if (!Array.isArray(sources)) return 'sources must be a list'
    if (sources.some((source) => !Number.isSafeInteger(source) || source < 0 || source >= seq))
      return 'sources must name earlier events'
  }
  if (typeof surface === 'object' && !sources?.length) return 'a replace names the events it shadows in sources'
  return undefined
}

function faultOfNote(type: EventType, data: unknown): string | undefined {
  return type === 'plugin/note' && JSON.stringify(data).length > noteLimit ? 'a note has at most 64 KB' : undefined
}

/** Freeze a value and everything in it; an event never changes once it is in the log. */
export function freeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const inner of Object.values(value)) freeze(inner)
  }
  return value
}
