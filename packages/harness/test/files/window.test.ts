import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { cutText, linesOf } from '../../src/files/text.ts'
import { readWindow } from '../../src/files/window.ts'
import { scratch, sha256, value } from '../builtin/context.ts'

const signal = new AbortController().signal

test('a window holds the lines it names, and the hash is of the whole file', async (t) => {
  const path = join(scratch(t), 'f')
  const point = fc.constantFrom('a', 'é', '進度', '😀', '\t', ' ')
  const line = fc.array(point, { maxLength: 8 }).map((parts) => parts.join(''))
  const file = fc.array(fc.tuple(line, fc.constantFrom('\n', '\r\n')), { maxLength: 20 })
  const part = fc.record({ from: fc.nat(22), most: fc.integer({ min: 1, max: 9 }) })
  await fc.assert(
    fc.asyncProperty(file, line, part, async (lines, last, { from, most }) => {
      const text = lines.map((item) => item.join('')).join('') + last
      writeFileSync(path, text)
      const limits = { offset: from + 1, lines: most, bytes: 1e6, lineLength: 4 }
      const window = value(await readWindow({ path, shown: 'f' }, limits, signal))
      const all = linesOf(text)
      const wanted = all.slice(from, from + most)
      assert.deepEqual(
        window.lines.map((item) => item.text),
        wanted.map((item) => cutText(item, 4)),
      )
      assert.deepEqual(
        window.lines.map((item) => item.cut),
        wanted.map((item) => cutText(item, 4) !== item),
      )
      assert.equal(window.total, all.length)
      assert.equal(window.hash, sha256(text))
    }),
    { numRuns: 150 },
  )
})

test('code points and line ends are found across the borders of the chunks a file is read in', async (t) => {
  const path = join(scratch(t), 'f')
  const chunk = 256 * 1024
  for (const before of [chunk - 5, chunk - 3, chunk - 2, chunk - 1, chunk]) {
    writeFileSync(path, `${'x'.repeat(before)}😀\r\nend`)
    const limits = { offset: 2, lines: 5, bytes: 1000, lineLength: 10 }
    const window = value(await readWindow({ path, shown: 'f' }, limits, signal))
    assert.deepEqual(
      [window.lines, window.total, window.crlf, window.closed],
      [[{ text: 'end', cut: false }], 2, true, false],
    )
  }
})

test('bytes that are no UTF-8 are refused wherever they stand', async (t) => {
  const path = join(scratch(t), 'f')
  const limits = { offset: 1, lines: 5, bytes: 1000, lineLength: 10 }
  const code = async (bytes: Uint8Array) => {
    writeFileSync(path, bytes)
    const window = await readWindow({ path, shown: 'f' }, limits, signal)
    return window.ok ? 'ok' : window.failure.code
  }
  assert.equal(await code(Buffer.from([0x61, 0xc3])), 'NOT_UTF8')
  assert.equal(await code(Buffer.from([0x61, 0xe9, 0x0a, 0x62])), 'NOT_UTF8')
  assert.equal(await code(Buffer.from('a\0b')), 'BINARY_FILE')
  assert.equal(await code(Buffer.from('\uFEFFhi', 'utf16le')), 'NOT_UTF8')
  assert.equal(await code(Buffer.concat([Buffer.alloc(300_000, 'x'), Buffer.from([0xff])])), 'NOT_UTF8')
})
