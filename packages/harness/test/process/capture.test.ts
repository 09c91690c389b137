import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { Capture } from '../../src/process/capture.ts'
import { HeadTail } from '../../src/process/head-tail.ts'
import { TerminalText, withoutStyle } from '../../src/process/terminal-text.ts'

const ESC = String.fromCharCode(27)
const BEL = String.fromCharCode(7)

function shown(...parts: string[]): string {
  const terminal = new TerminalText()
  return parts.map((part) => terminal.push(part)).join('') + terminal.end()
}

test('a line is left as its last carriage return left it', () => {
  assert.equal(shown('10%\r20%\r30%\n'), '30%\n')
  assert.equal(shown('10%\r20%\r'), '20%')
  assert.equal(shown('a\r\nb\r\n'), 'a\nb\n')
  assert.equal(shown('ab\b\bc\n'), 'c\n')
})

test('colours stay for people, everything else that steers a terminal goes', () => {
  const text = `${ESC}]0;title${BEL}${ESC}[2J${ESC}[1;31mred${ESC}[0m${ESC}(B\0${BEL} ${ESC}P1$r${ESC}\\ok`
  assert.equal(shown(text), `${ESC}[1;31mred${ESC}[0m ok`)
  assert.equal(withoutStyle(shown(text)), 'red ok')
})

test('where the output is cut into pieces makes no difference', () => {
  const piece = fc.constantFrom(
    'a',
    'bc',
    '\r',
    '\n',
    '\b',
    `${ESC}[31m`,
    `${ESC}[K`,
    `${ESC}]0;t${BEL}`,
    `${ESC}]8;;u${ESC}\\`,
    '進',
    '😀',
  )
  const cuts = fc.array(fc.nat(5), { minLength: 1, maxLength: 6 })
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), cuts, (pieces, sizes) => {
      const text = pieces.join('')
      const parts: string[] = []
      for (let at = 0, turn = 0; at < text.length; turn++) {
        const size = 1 + (sizes[turn % sizes.length] ?? 0)
        parts.push(text.slice(at, at + size))
        at += size
      }
      assert.equal(shown(...parts), shown(text))
    }),
    { numRuns: 300 },
  )
})

test('the two ends of a long text are whole code points and account for everything between them', () => {
  const part = fc.constantFrom('x', 'é', '進', '😀', '\n', 'word ')
  fc.assert(
    fc.property(fc.array(part, { maxLength: 200 }), fc.integer({ min: 4, max: 60 }), (parts, limit) => {
      const ends = new HeadTail({ head: limit, tail: limit })
      for (const text of parts) ends.push(text)
      const whole = parts.join('')
      if (!ends.cut)
        return assert.equal(
          ends.text(() => '?'),
          whole,
        )
      const text = ends.text((left) => `[${left.bytes}]`)
      const [, head = '', left, tail = ''] = /^(.*)\[(\d+)\]\n(.*)$/s.exec(text) ?? []
      assert.ok(!text.includes('\uFFFD'))
      assert.ok(whole.endsWith(tail) && (whole.startsWith(head) || whole.startsWith(head.slice(0, -1))))
      const shownBytes = Buffer.byteLength(whole.startsWith(head) ? head : head.slice(0, -1)) + Buffer.byteLength(tail)
      assert.ok(Math.abs(Buffer.byteLength(whole) - Number(left) - shownBytes) <= 1)
    }),
    { numRuns: 200 },
  )
})

test('an output too long to be told goes whole to a file, and the note names it', async () => {
  const written: Uint8Array[] = []
  let closed = 0
  const file = {
    path: '/spill',
    write: async (bytes: Uint8Array) => void written.push(bytes),
    close: async () => void closed++,
  }
  const capture = new Capture(async () => file)
  const line = `${ESC}[32mok${ESC}[0m ${'x'.repeat(90)}\n`
  for (let at = 0; at < 1000; at++) capture.push(Buffer.from(line))
  const output = await capture.end()
  assert.equal(Buffer.concat(written).toString(), withoutStyle(line).repeat(1000))
  assert.equal(output.path, '/spill')
  assert.match(output.text, /\[\d+ lines, \d+ bytes left out; the whole output is in \/spill\]/)
  assert.ok(output.text.length < 31_000 && output.view.length < 18_000)
  assert.equal(closed, 1)
})

test('whatever a process writes, less than 4 MB of it are held', async () => {
  setFlagsFromString('--expose-gc')
  const collect: unknown = runInNewContext('gc')
  assert.ok(typeof collect === 'function')
  const held = () => {
    collect()
    collect()
    const { arrayBuffers, heapUsed } = process.memoryUsage()
    return arrayBuffers + heapUsed
  }
  for (const pattern of ['y\n', 'x', '\r1%', `${ESC}[31mx`]) {
    const before = held()
    const capture = new Capture()
    const chunk = Buffer.from(pattern.repeat(65_536 / pattern.length))
    for (let at = 0; at < 300; at++) capture.push(chunk)
    assert.ok(held() - before < 4_000_000, JSON.stringify(pattern))
    await capture.end()
  }
})

test('a disk that is full loses the middle, not the command', async () => {
  const capture = new Capture(async () => ({
    path: '/spill',
    write: () => Promise.reject(new Error('ENOSPC')),
    close: async () => undefined,
  }))
  for (let at = 0; at < 100; at++) capture.push(Buffer.alloc(1000, 'x'))
  const output = await capture.end()
  assert.equal(output.path, undefined)
  assert.match(output.text, /it could not be kept on disk/)
})

test('UTF-8 that arrives one byte at a time is text', async () => {
  const bytes = readFileSync(new URL('../fixtures/shell/out-utf8-split.bin', import.meta.url))
  const capture = new Capture()
  for (const byte of bytes) capture.push(Uint8Array.of(byte))
  assert.equal((await capture.end()).text, '进度 50% ✅\n')
})
