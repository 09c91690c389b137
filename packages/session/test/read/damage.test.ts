import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { check, readLog, SessionLog, uncounted, verify } from '../../src/index.ts'
import { kinds, textOf, utf8 } from '../kit/damage.ts'
import { wholeLog } from '../kit/play.ts'
import { countingPorts, hasher } from '../kit/ports.ts'
import { inBlocks, type LinedLog, opened } from '../kit/reading.ts'
import type { World } from '../kit/world.ts'

function holdsAllBut(read: LinedLog, world: World, lost: readonly number[]): void {
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

test('a record behind a declared loss is vouched for by it: one letter changed in it is found', async () => {
  await fc.assert(
    fc.asyncProperty(wholeLog, fc.nat(), fc.nat(), async (world, where, letter) => {
      await world.log.written()
      const { lines } = world.sink
      const lost = where % (lines.length - 2)
      const mended = await opened(lines.with(lost, 'rubbish'))
      const line = mended.lines[lost + 1] ?? ''
      const at = 1 + (letter % (line.length - 2))
      const changed = `${line.slice(0, at)}${line[at] === '#' ? '%' : '#'}${line.slice(at + 1)}`
      const read = await opened(mended.lines.with(lost + 1, changed))
      assert.equal(verify(read, { hasher, blob: world.blob }).answer, 'FALSE')
      for (const [seq, kept] of mended.lines.entries())
        if (seq !== lost + 1) assert.equal(read.lines[seq], kept, `event ${seq}`)
    }),
    { numRuns: 25 },
  )
})

test('a damaged line is kept byte for byte, also where it is no UTF-8', async () => {
  await fc.assert(
    fc.asyncProperty(wholeLog, fc.nat(), fc.nat(), async (world, where, place) => {
      await world.log.written()
      const line = where % (world.sink.lines.length - 1)
      const bytes = Buffer.from(world.sink.bytes())
      const from = Buffer.byteLength(textOf(world.sink.lines.slice(0, line)))
      const end = bytes.indexOf(10, from)
      bytes[from + (place % (end - from))] = 0xff
      const read = await opened(bytes)
      assert.deepEqual(Buffer.concat(read.aside), bytes.subarray(from, end))
      assert.equal(read.damage[0]?.offset, from)
    }),
    { numRuns: 20 },
  )
})

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
      const lines: string[] = []
      const read = await readLog(inBlocks(bytes), { hasher, onLine: (line) => lines.push(line) })
      if (!read.ok) return
      const again = await opened(lines)
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
      for (const bytes of [utf8(lines.join('\r\n\r\n')), utf8(`\n${textOf(lines)}\n`), utf8(lines.join('\n'))]) {
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
  assert.deepEqual(
    [found.answer, found.problems],
    ['open tail', ['the log holds no event: nothing was written, or what it held is lost']],
  )
})

test('a billion missing events are not made up for one wrong number', async () => {
  const line = (seq: number) =>
    `{"seq":${seq},"time":1,"type":"turn/start","data":{"turn":1},"hash":"${'a'.repeat(64)}"}`
  const read = await opened([line(1_000_000_000_000), line(1_000_000_000_001)])
  assert.ok(read.events.length < 3)
  assert.equal(check(read.events).length, 0)
})

test('lines that were swapped, joined or split are told as that, and nothing is said to be lost', async () => {
  const log = new SessionLog({ ports: countingPorts(), sink: { append: async () => {}, sync: async () => {} } })
  const lines: string[] = []
  using _lines = log.onLine((line) => lines.push(line))
  for (const data of ['a', 'b', 'c', 'd']) log.append('plugin/note', { plugin: 'p', kind: 'k', v: 1, data })
  const [first = '', second = '', third = '', fourth = ''] = lines
  const told = async (written: readonly string[]) =>
    (await opened(utf8(`${written.join('\n')}\n`))).damage.map(uncounted)
  assert.deepEqual(await told([first, third, second, fourth]), ['lines out of order, nothing lost'])
  const apart = ['lines run together or cut apart, nothing lost']
  assert.deepEqual(await told([first, second + third, fourth]), apart)
  assert.deepEqual(await told([first, second.slice(0, 30), second.slice(30), third, fourth]), apart)
  assert.deepEqual(await told([first, second.slice(0, 30), third, fourth]), [undefined])
})
