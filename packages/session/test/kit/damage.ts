import { bytesOf } from './sinks.ts'

/** What one kind of damage leaves, and which events it took. A damaged last line cannot be told from rubbish at the end. */
export interface Inflicted {
  readonly bytes: Uint8Array
  readonly lost: readonly number[]
  /** Bytes that stand in the log and belong to no event, when that can be told. */
  readonly loose?: number
}

export type Inflict = (lines: readonly string[], pick: (below: number) => number) => Inflicted

export const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)
const size = (line: string | undefined): number => utf8(line ?? '').length
export const textOf = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('')

/** Puts bytes in place of, or between, those of a log. */
function splice(lines: readonly string[], at: number, put: { remove?: number; bytes: Uint8Array }): Uint8Array {
  const all = bytesOf(lines)
  return Buffer.concat([all.subarray(0, at), put.bytes, all.subarray(at + (put.remove ?? 0))])
}
const startOf = (lines: readonly string[], line: number): number => bytesOf(lines.slice(0, line)).length

export const kinds: Readonly<Record<string, Inflict>> = {
  'a line removed': (lines, pick) => {
    const at = pick(lines.length - 1)
    return { bytes: bytesOf(lines.toSpliced(at, 1)), lost: [at] }
  },
  'a line doubled': (lines, pick) => {
    const at = pick(lines.length)
    return { bytes: bytesOf(lines.toSpliced(at, 0, lines[at] ?? '')), lost: [], loose: size(lines[at]) }
  },
  'two lines swapped': (lines, pick) => {
    const at = pick(lines.length - 1)
    const [one = '', two = ''] = lines.slice(at)
    return { bytes: bytesOf(lines.with(at, two).with(at + 1, one)), lost: [], loose: 0 }
  },
  'a run of NUL between two lines': (lines, pick) => {
    const bytes = new Uint8Array(1 + pick(300))
    return { bytes: splice(lines, startOf(lines, pick(lines.length)), { bytes }), lost: [], loose: bytes.length }
  },
  'a run of NUL on a line of its own': (lines, pick) => {
    const bytes = Buffer.concat([new Uint8Array(300), utf8('\n')])
    return { bytes: splice(lines, startOf(lines, pick(lines.length)), { bytes }), lost: [], loose: 300 }
  },
  'a run of NUL over the middle of a line': (lines, pick) => {
    const at = pick(lines.length - 1)
    const remove = Math.min(80, size(lines[at]) - 20)
    const bytes = splice(lines, startOf(lines, at) + 10, { remove, bytes: new Uint8Array(remove) })
    return { bytes, lost: [at] }
  },
  'a NUL inside a line': (lines, pick) => {
    const at = pick(lines.length)
    const inside = startOf(lines, at) + 1 + pick(size(lines[at]) - 1)
    return { bytes: splice(lines, inside, { bytes: new Uint8Array(1) }), lost: [], loose: 1 }
  },
  'two records on one line': (lines, pick) => {
    const at = startOf(lines, 1 + pick(lines.length - 1)) - 1
    return { bytes: splice(lines, at, { remove: 1, bytes: new Uint8Array() }), lost: [], loose: 0 }
  },
  'two records on one line with rubbish between them': (lines, pick) => {
    const at = startOf(lines, 1 + pick(lines.length - 1)) - 1
    return { bytes: splice(lines, at, { remove: 1, bytes: utf8('x"}') }), lost: [], loose: 3 }
  },
  'two records on one line, a byte of the first no UTF-8': (lines, pick) => {
    const at = pick(lines.length - 1)
    const end = startOf(lines, at + 1) - 1
    const all = Buffer.from(splice(lines, end, { remove: 1, bytes: new Uint8Array() }))
    all[startOf(lines, at) + (lines[at]?.indexOf('"data":{"') ?? 0) + 9] = 0xff
    return { bytes: all, lost: [at], loose: 0 }
  },
  'a record over two lines': (lines, pick) => {
    const at = pick(lines.length)
    const inside = startOf(lines, at) + 8 + pick(size(lines[at]) - 9)
    return { bytes: splice(lines, inside, { bytes: utf8('\n') }), lost: [], loose: 0 }
  },
  'rubbish on a line of its own': (lines, pick) => {
    const bytes = utf8('{"not":"an event"}\n')
    return { bytes: splice(lines, startOf(lines, pick(lines.length)), { bytes }), lost: [], loose: bytes.length - 1 }
  },
  'the torn beginning of a line, and the next record behind it': (lines, pick) => {
    const at = pick(lines.length)
    const torn = lines[at]?.slice(0, 20) ?? ''
    return { bytes: splice(lines, startOf(lines, at), { bytes: utf8(torn) }), lost: [], loose: 20 }
  },
  'a byte order mark': (lines) => {
    return { bytes: Buffer.concat([Uint8Array.of(0xef, 0xbb, 0xbf), bytesOf(lines)]), lost: [], loose: 3 }
  },
  'a byte that is no UTF-8': (lines, pick) => {
    const at = pick(lines.length - 1)
    const inside = startOf(lines, at) + pick(size(lines[at]))
    return { bytes: splice(lines, inside, { remove: 1, bytes: Uint8Array.of(0xff) }), lost: [at] }
  },
  'a letter changed inside the data': (lines, pick) => {
    const at = pick(lines.length - 1)
    const inside = startOf(lines, at) + (lines[at]?.indexOf('"data":{"') ?? 0) + 9
    return { bytes: splice(lines, inside, { remove: 1, bytes: utf8('#') }), lost: [at] }
  },
  'a digit changed in a seq': (lines, pick) => {
    const at = pick(lines.length - 1)
    const inside = startOf(lines, at) + 7
    const digit = ((bytesOf(lines)[inside] ?? 48) - 48 + 1 + pick(9)) % 10
    return { bytes: splice(lines, inside, { remove: 1, bytes: utf8(String(digit)) }), lost: [at] }
  },
  'a digit changed in a hash': (lines, pick) => {
    const at = pick(lines.length - 1)
    const inside = startOf(lines, at) + size(lines[at]) - 3 - pick(60)
    const old = bytesOf(lines)[inside]
    return { bytes: splice(lines, inside, { remove: 1, bytes: utf8(old === 48 ? '1' : '0') }), lost: [at] }
  },
  'three lines overwritten by one run of rubbish': (lines, pick) => {
    const at = pick(lines.length - 4)
    const from = startOf(lines, at)
    const remove = startOf(lines, at + 3) - from - 1
    return {
      bytes: splice(lines, from, { remove, bytes: new Uint8Array(remove) }),
      lost: [at, at + 1, at + 2],
      loose: 0,
    }
  },
}
