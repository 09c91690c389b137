import { type Fields, fieldsOf, parsed } from './json.ts'

/** A line of a log that has the form of a record; neither its hash nor its place is verified. */
export interface LogLine {
  readonly seq: number
  /** Milliseconds since 1970. */
  readonly time: number
  readonly type: string
  readonly data: Fields
  /** The hash it ends in. */
  readonly hash: string
}

const opening = '{"seq":'
const begin = /^\{"seq":(\d{1,15}),"time":([^,"]{1,24}),"type":"([a-z/-]{1,40})"/
const end = /,"hash":"([0-9a-f]{64})"\}\r?$/

/** @returns undefined for what is no record: damaged, cut, or something else. All of it is parsed, so that it is whole. */
export function logLine(text: string): LogLine | undefined {
  const begun = begin.exec(text)
  const hash = end.exec(text.slice(-80))?.[1]
  if (!begun || hash === undefined) return undefined
  const value = parsed(text)
  if (value === undefined) return undefined
  const time = Number(begun[2])
  const data = fieldsOf(fieldsOf(value)['data'])
  return { seq: Number(begun[1]), time: Number.isFinite(time) ? time : 0, type: begun[3] ?? '', data, hash }
}

/** Whether what stands behind the last line end is no record that is being written, or whose writer died over it. */
export const isDamagedEnd = (rest: string): boolean =>
  rest.includes('\0') || !(rest.startsWith(opening) || opening.startsWith(rest))
