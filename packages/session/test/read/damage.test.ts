import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { check, type ReadLog, readLog, SessionLog, verify } from '../../src/index.ts'
import { wholeLog } from '../kit/play.ts'
import { countingPorts, hasher } from '../kit/ports.ts'
import { inBlocks, opened } from '../kit/reading.ts'
import { bytesOf } from '../kit/sinks.ts'
import type { World } from '../kit/world.ts'

/** What one kind of damage leaves, and which events it took. A damaged last line cannot be told from rubbish at the end. */
interface Inflicted {
  readonly bytes: Uint8Array
  readonly lost: readonly number[]
  /** Bytes that stand in the log and belong to no event, when that can be told. */
  readonly loose?: number
}

type Inflict = (lines: readonly string[], pick: (below: number) => number) => Inflicted

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)
const size = (line: string | undefined): number => utf8(line ?? '').length
const text = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('')

/** Puts bytes in place of, or between, those of a log. */
function splice(lines: readonly string[], at: number, put: { remove?: number; bytes: Uint8Array }): Uint8Array {
  const all = bytesOf(lines)
  return Buffer.concat([all.subarray(0, at), put.bytes, all.subarray(at + (put.remove ?? 0))])
}
const startOf = (lines: readonly string[], line: number): number => bytesOf(lines.slice(0, line)).length

const kinds: Readonly<Record<string, Inflict>> = {
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

function holdsAllBut(read: ReadLog, world: World, lost: readonly number[]): void {
  const kept = world.sink.lines
  assert.equal(
    read.damage.reduce((sum, { events }) => sum + events, 0),
    lost.length,
    JSON.stringify(read.damage),
  )
  for (const [seq, line] of kept.entries()) {
    if (!lost.includes(seq)) assert.equal(read.lines[seq], line, `event ${seq}: ${JSON.stringify(read.damage)}`)
    else assert.equal(read.events[seq]?.type, 'session/damage')
  }
  assert.ok(read.events.length <= kept.length + 1)
  assert.equal(read.events.length, read.lines.length)
}

for (const [what, inflict] of Object.entries(kinds)) {
  test(`${what} costs exactly what it hit, is never taken for sound, and is declared once mended`, async () => {
    await fc.assert(
      fc.asyncProperty(wholeLog, fc.array(fc.nat(), { minLength: 4, maxLength: 4 }), async (world, choices) => {
        await world.log.written()
        let next = 0
        const pick = (below: number) => (choices[next++ % choices.length] ?? 0) % Math.max(1, below)
        const { bytes, lost, loose } = inflict(world.sink.lines, pick)
        if (Buffer.from(bytes).equals(world.sink.bytes())) return
        const read = await opened(bytes, 1 + pick(5000))
        holdsAllBut(read, world, lost)
        if (loose !== undefined)
          assert.equal(
            read.damage.reduce((sum, found) => sum + (found.events ? 0 : found.bytes), 0),
            loose,
          )
        assert.equal(verify(read, { hasher, blob: world.blob }).answer, 'FALSE')
        const again = await opened(read.lines)
        assert.deepEqual(again.damage, [])
        assert.deepEqual(again.events, read.events)
        assert.equal(verify(again, { hasher, blob: world.blob }).answer, 'declared damage')
      }),
      { numRuns: 12 },
    )
  })
}

test('any bytes at all open without throwing', async () => {
  const rubbish = fc.oneof(fc.uint8Array({ maxLength: 300 }), fc.string().map(utf8), fc.constant(new Uint8Array(4000)))
  const likely = fc
    .array(
      fc.constantFrom(
        '{"seq":',
        '9',
        ',"time":1,"type":"turn/start","data":{}',
        `,"hash":"${'a'.repeat(64)}"}`,
        '\n',
        '\0',
      ),
    )
    .map((pieces) => utf8(pieces.join('')))
  await fc.assert(
    fc.asyncProperty(fc.oneof(rubbish, likely), async (bytes) => {
      const read = await readLog(inBlocks(bytes), { hasher })
      if (!read.ok) return
      const again = await opened(read.value.lines)
      assert.deepEqual(again.damage, [])
    }),
    { numRuns: 300 },
  )
})

test('any one byte changed costs at most the event it stands in', async () => {
  await fc.assert(
    fc.asyncProperty(wholeLog, fc.nat(), fc.integer({ min: 0, max: 255 }), async (world, where, byte) => {
      await world.log.written()
      const bytes = Buffer.from(world.sink.bytes())
      const at = where % bytes.length
      const old = bytes[at]
      bytes[at] = byte
      if (old === byte || (old === 10 && byte === 13)) return
      const line = bytes.subarray(0, at).filter((value) => value === 10).length
      const read = await opened(bytes)
      for (const [seq, kept] of world.sink.lines.entries()) {
        if (seq === line || (old === 10 && seq === line + 1)) continue
        assert.equal(read.lines[seq], kept, `event ${seq} of line ${line}: ${JSON.stringify(read.damage)}`)
      }
      if (at < bytes.length - 1) assert.equal(verify(read, { hasher, blob: world.blob }).answer, 'FALSE')
    }),
    { numRuns: 150 },
  )
})

test('empty lines, CR before LF and a missing last line end are no damage', async () => {
  await fc.assert(
    fc.asyncProperty(wholeLog, async (world) => {
      await world.log.written()
      const { lines } = world.sink
      for (const bytes of [utf8(lines.join('\r\n\r\n')), utf8(`\n${text(lines)}\n`), utf8(lines.join('\n'))]) {
        const read = await opened(bytes)
        assert.deepEqual(read.damage, [])
        assert.deepEqual(read.lines, lines)
        assert.equal(read.openEnd, false)
      }
    }),
    { numRuns: 5 },
  )
})

test('records that wait for the end of a long log are the same then', async () => {
  const log = new SessionLog({ ports: countingPorts(), sink: { append: async () => {}, sync: async () => {} } })
  const lines: string[] = []
  using _lines = log.onLine((line) => lines.push(line))
  for (let turn = 1; turn <= 400; turn++)
    log.append('plugin/note', { plugin: 'p', kind: 'k', v: 1, data: `${turn}`.repeat(1500) })
  const read = await opened(lines.toSpliced(3, 1), 65_536)
  assert.equal(read.damage.length, 1)
  for (const [seq, line] of lines.entries()) if (seq !== 3) assert.equal(read.lines[seq], line)
})

test('a log cut to nothing opens empty and is an open tail', async () => {
  const read = await opened(new Uint8Array())
  assert.deepEqual([read.events, read.damage], [[], []])
  const found = verify(read, { hasher, blob: () => undefined })
  assert.deepEqual([found.answer, found.problems], ['open tail', ['the log holds no event']])
})

test('a billion missing events are not made up for one wrong number', async () => {
  const line = (seq: number) =>
    `{"seq":${seq},"time":1,"type":"turn/start","data":{"turn":1},"hash":"${'a'.repeat(64)}"}`
  const read = await opened([line(1_000_000_000_000), line(1_000_000_000_001)])
  assert.ok(read.events.length < 3)
  assert.equal(check(read.events).length, 0)
})
