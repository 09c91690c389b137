import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { openEnd } from '../../src/secret/open-end.ts'
import { redactor } from '../../src/secret/redact.ts'
import { RegisteredSecrets } from '../../src/secret/registered.ts'

const key = () => new Uint8Array(32)

/** Secrets that begin like each other, stand in each other and repeat themselves. */
const values = ['aaaaaaaa', 'aaaaaaaab', 'abababab', 'ababababcc', 'bbbb"\\bbbb', 'sécrét-12']
const secrets = fc.subarray(values, { minLength: 1 })
const text = fc
  .array(fc.oneof(fc.constantFrom(...values), fc.constantFrom('a', 'b', 'c', 'ab', 'x ', 'sé', '"')), { maxLength: 12 })
  .map((parts) => parts.join(''))

function registered(of: readonly string[]): RegisteredSecrets {
  const all = new RegisteredSecrets()
  for (const value of of) assert.ok(all.add(value))
  return all
}

test('text hidden piece by piece, cut anywhere, is what it is when it is hidden whole', () => {
  fc.assert(
    fc.property(secrets, text, fc.array(fc.nat({ max: 7 })), (of, whole, cuts) => {
      const known = registered(of)
      const hide = redactor({ key, registered: known, formats: false })
      let [held, out, at] = ['', '', 0]
      for (const size of [...cuts, whole.length]) {
        held += whole.slice(at, at + size)
        at += size
        const end = openEnd(held, known)
        out += hide.text(held.slice(0, end))
        held = held.slice(end)
      }
      assert.equal(out + hide.text(held), hide.text(whole))
    }),
    { numRuns: 500 },
  )
})

test('a text that ends in no beginning of a secret is held back nowhere', () => {
  assert.equal(openEnd('plain words.', registered(values)), 'plain words.'.length)
  assert.equal(openEnd('plain words aba', registered(values)), 'plain words '.length)
  assert.equal(openEnd('anything', new RegisteredSecrets()), 'anything'.length)
})
