import type { Json, SessionEvent } from '@rein/session'
import { uncompared } from './declared.ts'

/** One event as today's code appends it. */
export interface Appended {
  readonly type: string
  readonly data: unknown
  readonly surface?: unknown
  readonly sources?: unknown
}

/** The first place in which two values differ: a path such as `tools[2].description`, and what stands there. */
export interface Place {
  readonly path: string
  /** Undefined: nothing stands there. */
  readonly was: Json | undefined
  readonly now: Json | undefined
}

/** @returns undefined when today's event is the recorded one, but for what is declared. */
export function eventDifference(then: SessionEvent, now: Appended): Place | undefined {
  if (then.type !== now.type) return { path: 'type', was: then.type, now: now.type }
  const left = uncompared[then.type]
  const data = firstDifference(stripped(then.data, left), stripped(now.data, left))
  if (data) return data
  const frame = ({ surface, sources }: { surface?: unknown; sources?: unknown }) => ({
    ...(surface !== undefined && { surface }),
    ...(sources !== undefined && { sources }),
  })
  return firstDifference(frame(then), frame(now))
}

function stripped(data: unknown, left: Readonly<Record<string, string>> | undefined): unknown {
  if (left === undefined || !isMap(data)) return data
  return Object.fromEntries(Object.entries(data).filter(([key]) => !Object.hasOwn(left, key)))
}

/** Depth first, in the order in which a reader meets the fields. What a log cannot hold is no difference. */
export function firstDifference(then: unknown, now: unknown, path = ''): Place | undefined {
  if (then === now) return undefined
  if (Array.isArray(then) && Array.isArray(now)) return listDifference(then, now, path)
  if (isMap(then) && isMap(now)) {
    const keys = new Set([...Object.keys(then), ...Object.keys(now)])
    for (const key of keys) {
      const found = firstDifference(then[key], now[key], path === '' ? key : `${path}.${key}`)
      if (found) return found
    }
    return undefined
  }
  return { path, was: json(then), now: json(now) }
}

function listDifference(then: readonly unknown[], now: readonly unknown[], path: string): Place | undefined {
  for (let at = 0; at < Math.max(then.length, now.length); at++) {
    const found = firstDifference(then[at], now[at], `${path}[${at}]`)
    if (found) return found
  }
  return undefined
}

const json = (value: unknown): Json | undefined => (value === undefined ? undefined : (value as Json))

/** A JSON object. */
export const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
