import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FailureError } from '@rein/session'
import fc from 'fast-check'
import { bounded, boundedView, resultLimit, viewLimit } from '../../src/tools/bound.ts'
import { memorySpill, textOf } from '../agent/kit.ts'

const sized = fc
  .tuple(fc.constantFrom('a', 'é', '漢', '👩‍👩‍👧', 'a\n', '\u{1f600}'), fc.integer({ min: 1, max: 200_000 }))
  .map(([unit, length]) => unit.repeat(Math.ceil(length / unit.length)))

test('a result stays inside the limit, is cut at characters, and the whole of it is kept', async () => {
  await fc.assert(
    fc.asyncProperty(sized, async (text) => {
      const files = new Map<string, string>()
      const made = await bounded([{ type: 'text', text }], memorySpill(files), 'c1')
      const shown = textOf(made.content)
      assert.ok(Buffer.byteLength(shown) <= resultLimit)
      assert.ok(shown.isWellFormed() && !shown.includes('\uFFFD'))
      if (Buffer.byteLength(text) <= resultLimit) return assert.equal(shown, text)
      assert.equal(files.get('/spill/c1.txt'), text)
      assert.equal('spill' in made && made.spill, '/spill/c1.txt')
      const [head = '', note = '', tail = ''] = shown.split(/\n(\[\d+ bytes left out here; .*\])\n/)
      assert.ok(text.startsWith(head) && text.endsWith(tail))
      const left = Buffer.byteLength(text) - Buffer.byteLength(head) - Buffer.byteLength(tail)
      assert.ok(note.startsWith(`[${left} bytes`))
    }),
    { numRuns: 40 },
  )
})

test('when the disk refuses the whole output, head and tail are still told, and why the rest is not', async () => {
  const open = () => Promise.reject(new FailureError({ code: 'FILE_ERROR', message: 'no space left' }))
  const { content } = await bounded([{ type: 'text', text: 'x'.repeat(100_000) }], { open }, 'c1')
  assert.match(textOf(content), /left out here; they could not be kept: no space left/)
})

test('a view that is too large is left out, and says so', () => {
  assert.deepEqual(boundedView({ a: 1 }), { a: 1 })
  assert.deepEqual(boundedView('x'.repeat(viewLimit)), { kind: 'left-out', bytes: viewLimit + 2 })
  assert.deepEqual(Object.keys(Object(boundedView(['x'.repeat(viewLimit)]))), ['kind', 'bytes'])
})

test('of a change that is too large to show, the file and the version that changed stay', () => {
  const view = boundedView({ kind: 'diff', path: '/w/a', before: 'h1', diff: 'x'.repeat(viewLimit) })
  assert.ok(typeof view === 'object' && view !== null && 'kind' in view)
  const { kind, path, before } = view
  assert.deepEqual({ kind, path, before }, { kind: 'left-out', path: '/w/a', before: 'h1' })
})
