import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { applySpans, findSpans, movedRange } from '../../src/files/replace.ts'
import { decodeText, encodeText, linesOf } from '../../src/files/text.ts'
import { value } from '../builtin/context.ts'

const fileOf = (text: string) => value(decodeText(Buffer.from(text), 'f'))
const line = fc.constantFrom('a', 'b  ', '\tc', 'é’', '', 'x{}')
const mixed = fc.array(fc.tuple(line, fc.constantFrom('\n', '\r\n')), { maxLength: 12 })

test('whatever the line ends, a replaced place changes nothing outside of it', () => {
  fc.assert(
    fc.property(mixed, mixed, fc.boolean(), (before, after, bom) => {
      const text = (lines: typeof before) => lines.map((part) => part.join('')).join('')
      const whole = Buffer.from(`${bom ? '\uFEFF' : ''}${text(before)}«mark»\r\nunique${text(after)}`)
      const file = value(decodeText(whole, 'f'))
      const spans = value(findSpans(file, [{ old: '«mark»\nunique', new: 'one\ntwo\nthree' }]))
      const changed = encodeText(applySpans(file.text, spans), file.bom).toString()
      assert.equal(changed, `${bom ? '\uFEFF' : ''}${text(before)}one\r\ntwo\r\nthree${text(after)}`)
    }),
    { numRuns: 200 },
  )
})

test('new lines take the line end of the place they are put in', () => {
  const file = fileOf('a\r\nb\r\nc\nd\n')
  const spans = value(
    findSpans(file, [
      { old: 'c', new: 'c1\nc2' },
      { old: 'a', new: 'a1\na2' },
    ]),
  )
  assert.equal(applySpans(file.text, spans), 'a1\r\na2\r\nb\r\nc1\nc2\nd\n')
})

test('seen lines move with what is inserted above and inside them', () => {
  const file = fileOf('1\n2\n3\n4\n5\n')
  const spans = value(
    findSpans(file, [
      { old: '1\n', new: '' },
      { old: '4', new: '4\n4b' },
    ]),
  )
  const after = linesOf(applySpans(file.text, spans))
  assert.deepEqual(after, ['2', '3', '4', '4b', '5'])
  assert.deepEqual(movedRange([1, 2], spans), [1, 1])
  assert.deepEqual(movedRange([3, 4], spans), [2, 4])
  assert.deepEqual(movedRange([5, 5], spans), [5, 5])
})

test('what cannot be one certain change is refused with its reason', () => {
  const code = (text: string, edits: Parameters<typeof findSpans>[1]) => {
    const found = findSpans(fileOf(text), edits)
    return found.ok ? 'ok' : found.failure.code
  }
  assert.equal(code('a', [{ old: '', new: 'x' }]), 'INVALID_ARGUMENTS')
  assert.equal(code('a\n', [{ old: 'a\r\n', new: 'a\n' }]), 'INVALID_ARGUMENTS')
  assert.equal(code('aaa', [{ old: 'aa', new: 'b' }]), 'AMBIGUOUS_MATCH')
  assert.equal(code('aaaa', [{ old: 'aa', new: 'b', all: true }]), 'ok')
  assert.equal(
    code('abc', [
      { old: 'ab', new: 'x' },
      { old: 'bc', new: 'y' },
    ]),
    'INVALID_ARGUMENTS',
  )
  assert.equal(code('abc', [{ old: 'zzz', new: 'x' }]), 'NO_MATCH')
})

test('a text that is nearly there is shown as it stands', () => {
  const found = findSpans(fileOf('function add(a, b) {\n  return a + b\n}\n'), [
    { old: 'function add(a,b) {\n  return a - b\n}', new: 'x' },
  ])
  assert.match(found.ok ? '' : found.failure.message, /1: "function add\(a, b\) \{"\n2: "\s+return a \+ b"/)
})
