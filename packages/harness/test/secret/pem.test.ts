import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { replaceKeys } from '../../src/secret/pem.ts'

/** The same in one pattern, which tries every end for every beginning. */
const whole =
  /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----(?:[\s\S]{0,16384}?-----END [A-Z0-9 ]{0,40}PRIVATE KEY-----|(?:(?:\r?\n|\\r|\\n)[^\n\\]{0,16}?[A-Za-z0-9+/=]{16,128}[ \t]{0,8}){0,400})/g

const hidden = (text: string): readonly [string, readonly string[]] => {
  const keys: string[] = []
  return [replaceKeys(text, (key) => `<${keys.push(key)}>`), keys]
}

test('private keys are found as one pattern finds them, wherever beginnings, ends and lines stand', () => {
  const piece = fc.constantFrom(
    `-----BEGIN ${'PRIVATE'} KEY-----`,
    `-----BEGIN RSA ${'PRIVATE'} KEY-----`,
    '-----END PRIVATE KEY-----',
    'END EC PRIVATE KEY-----',
    `BEGIN ${'PRIVATE'} KEY-----`,
    '-----BEGIN CERTIFICATE-----',
    `\n${'MIIE'.repeat(16)}`,
    `\\n  7\t${'MIIE'.repeat(5)}`,
    '\n',
    'text -----',
    'x'.repeat(16_384),
    'x'.repeat(16_000),
    'y'.repeat(384),
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const text = pieces.join('')
      const keys: string[] = []
      const safe = text.replace(whole, (key) => `<${keys.push(key)}>`)
      assert.deepEqual(hidden(text), [safe, keys])
    }),
    { numRuns: 500 },
  )
})

test('of a megabyte of beginnings without an end each is hidden, and text behind them is left', () => {
  const line = `-----BEGIN ${'PRIVATE'} KEY-----`
  const many = Math.floor(2 ** 20 / line.length)
  const [safe, keys] = hidden(`${line.repeat(many)} the end`)
  assert.equal(keys.length, many)
  assert.match(safe, new RegExp(`<${many}> the end$`))
})
