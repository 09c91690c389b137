/** A line of a log as far as it can be told without reading it whole; nothing about it is verified. */
export interface LogLine {
  readonly seq: number
  /** Milliseconds since 1970. */
  readonly time: number
  readonly type: string
  readonly text: string
  /** The hash it ends in. */
  readonly hash: string
}

const begin = /^\{"seq":(\d{1,15}),"time":([^,"]{1,24}),"type":"([a-z/-]{1,40})"/
const end = /,"hash":"([0-9a-f]{64})"\}\r?$/

/** @returns undefined for what is no record: damaged, cut, or something else. */
export function logLine(text: string): LogLine | undefined {
  const begun = begin.exec(text)
  const hash = end.exec(text.slice(-80))?.[1]
  if (!begun || hash === undefined) return undefined
  const time = Number(begun[2])
  return { seq: Number(begun[1]), time: Number.isFinite(time) ? time : 0, type: begun[3] ?? '', text, hash }
}
