import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { hideValues } from '../../../src/store/export/value.ts'
import { done } from './kept.ts'

const key = () => Buffer.alloc(32, 7)
const hider = (...values: string[]) => done(hideValues(values, key))

/** With every character an escape, in one of the ways JSON allows. */
const allEscaped = (text: string): string =>
  Array.from({ length: text.length }, (_, at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`).join('')

test('a value is found as it is, in JSON of any depth and escaping, percent-encoded and in base64', () => {
  const values = fc.string({ unit: 'binary', minLength: 8, maxLength: 20 }).filter((text) => text.trim().length >= 8)
  fc.assert(
    fc.property(values, fc.string(), fc.string(), (value, before, after) => {
      const { text, placeholders } = hider(value)
      const [shown = ''] = placeholders
      const inside = `${before}${value}${after}`
      let nested = inside
      for (let level = 0; level < 4; level++) nested = JSON.stringify(nested)
      const spelled = [inside, nested, allEscaped(value), allEscaped(value).toUpperCase().replaceAll('\\U', '\\u')]
      if (value.isWellFormed())
        spelled.push(
          encodeURIComponent(value),
          encodeURIComponent(value).replaceAll(/%../g, (code) => code.toLowerCase()),
        )
      for (const pad of ['', 'x', 'yz']) spelled.push(Buffer.from(pad + value).toString('base64'))
      for (const each of spelled) assert.ok(text(each).includes(shown), JSON.stringify(each))
      assert.equal(text(text(inside)), text(inside))
      assert.ok(!text(inside).includes(value) || shown.includes(value))
    }),
    { numRuns: 60 },
  )
})

test('a value keeps the placeholder of its format, and any other that of a registered secret', () => {
  assert.match(
    hider('ghp_abcdefghijklmnopqrstuvwxyz0123456789').placeholders[0] ?? '',
    /^⟦secret:github-token:[0-9a-f]{6}⟧$/,
  )
  assert.match(hider('some words').placeholders[0] ?? '', /^⟦secret:registered:[0-9a-f]{6}⟧$/)
  assert.match(hider('pin4').placeholders[0] ?? '', /^⟦secret:registered:[0-9a-f]{6}⟧$/)
})

test('of two values one of which holds the other no end stays behind', () => {
  const { text, placeholders } = hider('abcdefgh', 'abcdefgh-and-more')
  assert.equal(text('x abcdefgh-and-more abcdefgh y'), `x ${placeholders[1]} ${placeholders[0]} y`)
})

test('a value of many backslashes does not make hostile text slow', () => {
  const { text } = hider(`${'\\'.repeat(40)}"x`)
  assert.equal(text('\\'.repeat(200_000)).length, 200_000)
})

test('what is too short or blank is refused, because it stands everywhere', () => {
  for (const values of [['abc'], ['     '], [], ['long enough', 'no']]) assert.equal(hideValues(values, key).ok, false)
})
