import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import test from 'node:test'
import type { Json } from '@rein/session'
import fc from 'fast-check'
import { placeholdersIn, resolvePlaceholders } from '../../src/secret/placeholder.ts'
import { redactor } from '../../src/secret/redact.ts'
import { RegisteredSecrets } from '../../src/secret/registered.ts'

const key = () => Buffer.alloc(32, 7)

function redaction(values: readonly string[], formats = true) {
  const registered = new RegisteredSecrets()
  for (const value of values) registered.add(value)
  return redactor({ key, registered, formats })
}

// Built from parts, so that no scanner takes the tests for a leak.
const githubToken = `ghp${'_'}${'FAKEfake'.repeat(4)}0000`
const apiKey = `sk-${'FAKE'.repeat(6)}`

interface Planted {
  readonly lines: readonly (readonly string[])[]
  readonly registered_values: readonly string[]
}
const planted: Planted = JSON.parse(readFileSync(new URL('../fixtures/secrets/planted.json', import.meta.url), 'utf8'))
const plantedText = planted.lines.map((parts) => parts.join('')).join('\n')

test('none of the secrets planted in a file is left, and the rest of it stays readable', () => {
  const safe = redaction(planted.registered_values).text(plantedText)
  for (const value of ['FAKE', 'hunter2fake', 'value-used-for-auth', 'RkFLRQ==', 'PRIVATE KEY-----']) {
    assert.ok(!safe.includes(value), value)
  }
  assert.match(
    safe,
    /^key = ⟦secret:api-key:[0-9a-f]{6}⟧\ntoken: ⟦secret:github-token:[0-9a-f]{6}⟧\naws ⟦secret:aws-key:/,
  )
  assert.match(safe, /\nurl https:\/\/u:⟦secret:url-password:[0-9a-f]{6}⟧@host\/db\ncustom = ⟦secret:registered:/)
  assert.equal(placeholdersIn(safe).length, 6)
})

test('the planted file is hidden with line numbers in front of every line, and inside a JSON string', () => {
  const numbered = plantedText.split('\n').map((line, index) => `${String(index + 1).padStart(6)}\t${line}`)
  for (const text of [numbered.join('\n'), JSON.stringify({ out: plantedText })]) {
    const safe = redaction(planted.registered_values).text(text)
    for (const value of ['FAKE', 'hunter2fake', 'value-used-for-auth', 'RkFLRQ=='])
      assert.ok(!safe.includes(value), text)
  }
})

test('a private key whose end was cut off is hidden as far as it goes', () => {
  const line = 'MIIE'.repeat(16)
  const safe = redaction([]).text(`-----BEGIN RSA ${'PRIVATE'} KEY-----\n   2\t${line}\n   3\t${line}\n(12 more lines)`)
  assert.ok(!safe.includes('MIIE'))
  assert.match(safe, /\n\(12 more lines\)$/)
})

test('ordinary text that resembles a secret is left alone', () => {
  const text = [
    'task-sk-oriented risk-free sk-short',
    'postgres://user:$PASSWORD@host and https://u:$\u007bPW}@host and https://me:<password>@host',
    'http://localhost:3000/@scope/pkg http://host:80 AKIA is a prefix; eyJ too; ghp_ and github_pat_',
    '-----BEGIN CERTIFICATE-----\nMIIE\n-----END CERTIFICATE-----',
  ].join('\n')
  assert.equal(redaction(['value-used-for-auth']).text(text), text)
})

test('every known kind of key is hidden as what it is', () => {
  const of = (text: string) =>
    redaction([])
      .text(text)
      .match(/⟦secret:([a-z-]+):/)?.[1]
  assert.equal(of(`glpat${'-'}${'a1B2'.repeat(6)}`), 'gitlab-token')
  assert.equal(of(`github_pat${'_'}${'a1B2'.repeat(12)}`), 'github-token')
  assert.equal(of(`ASIA${'Q1W2'.repeat(4)}`), 'aws-key')
  assert.equal(of(`xoxb${'-'}1234567890-abcdef`), 'slack-token')
  assert.equal(of(`AIza${'x'.repeat(35)}`), 'google-key')
  assert.equal(of(`npm${'_'}${'x'.repeat(36)}`), 'npm-token')
  assert.equal(of(`Bearer eyJ${'hbGciOiJI'}.eyJ${'zdWIiOiIx'}.${'c2lnbmF0dXJl'}`), 'jwt')
})

test('without formats only registered values are hidden', () => {
  const safe = redaction(['value-used-for-auth'], false).text(`${githubToken} value-used-for-auth`)
  assert.match(safe, new RegExp(`^${githubToken} ⟦secret:registered:[0-9a-f]{6}⟧$`))
})

const secret = fc.oneof(
  fc.string({ minLength: 8, maxLength: 40 }),
  fc.string({ unit: 'binary', minLength: 8, maxLength: 20 }),
)

test('a registered value is nowhere in what comes out, in text or in nested JSON, keys included', () => {
  const cases = fc.array(secret, { minLength: 1, maxLength: 4 }).chain((values) => {
    const piece = fc.oneof(
      fc.constantFrom(...values),
      fc.string({ maxLength: 6 }),
      fc.constantFrom('⟦secret:', '⟧', ':'),
    )
    const text = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join(''))
    const { tree } = fc.letrec<{ tree: Json }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 3 },
        text,
        fc.constantFrom<Json>(null, true, 3),
        fc.array(tie('tree'), { maxLength: 3 }),
        fc.dictionary(text, tie('tree'), { maxKeys: 3 }),
      ),
    }))
    return fc.record({ values: fc.constant(values), text, tree })
  })
  fc.assert(
    fc.property(cases, ({ values, text, tree }) => {
      const registered = new RegisteredSecrets()
      const protectedValues = values.filter((value) => registered.add(value))
      const { text: hide, content } = redactor({ key, registered, formats: true })
      const safe = hide(text)
      assert.equal(hide(safe), safe, 'twice is once')
      for (const value of protectedValues) {
        assert.ok(!safe.includes(value))
        for (const string of stringsIn(content(tree))) assert.ok(!string.includes(value))
      }
    }),
    { numRuns: 300 },
  )
})

function* stringsIn(value: Json): Iterable<string> {
  if (typeof value === 'string') yield value
  else if (typeof value === 'object' && value !== null) {
    for (const [key, field] of Object.entries(value)) {
      yield key
      yield* stringsIn(field)
    }
  }
}

test('a registered value is found escaped, percent-encoded, and in base64 at any offset', () => {
  const value = 'pa"ss\\wörd/+42'
  const { text } = redaction([value])
  const mark = text(value)
  for (const before of ['', 'u', 'us', 'user:']) {
    const encoded = Buffer.from(`${before}${value}!`).toString('base64')
    assert.ok(text(`Basic ${encoded}`).includes(mark), before)
    assert.ok(text(encoded.replaceAll('+', '-').replaceAll('/', '_')).includes(mark), before)
  }
  for (const spelled of [JSON.stringify(value), JSON.stringify(JSON.stringify(value)), encodeURIComponent(value)]) {
    assert.ok(text(spelled).includes(mark), spelled)
  }
})

test('the same value gets the same placeholder with the same key, and another with another key', () => {
  const registered = new RegisteredSecrets()
  registered.add('value-used-for-auth')
  const first = redactor({ key, registered, formats: true }).text('value-used-for-auth')
  assert.equal(redactor({ key, registered, formats: false }).text('x value-used-for-auth'), `x ${first}`)
  const other = redactor({ key: () => Buffer.alloc(32, 8), registered, formats: true })
  assert.notEqual(other.text('value-used-for-auth'), first)
})

test('what holds no secret comes back as the same object, and the key is never asked for', () => {
  const registered = new RegisteredSecrets()
  registered.add('value-used-for-auth')
  const never = () => assert.fail('nothing to hide')
  const { content } = redactor({ key: never, registered, formats: true })
  const value = { a: ['plain', 1, null], b: { c: 'sk-' } }
  assert.equal(content(value), value)
})

test('a value registered later is hidden from then on', () => {
  const registered = new RegisteredSecrets()
  const { text } = redactor({ key, registered, formats: false })
  assert.equal(text('late-secret'), 'late-secret')
  registered.add('late-secret')
  assert.match(text('late-secret'), /^⟦secret:registered:/)
})

test('a value shorter than eight characters is not registered, and the caller is told', () => {
  const registered = new RegisteredSecrets()
  assert.equal(registered.add('seven77'), false)
  assert.equal(registered.has('seven77'), false)
  assert.equal(registered.add('eight888'), true)
})

test('of two values that begin alike the longer one is hidden as a whole', () => {
  assert.match(
    redaction(['value-one', 'value-one-and-more']).text('value-one-and-more'),
    /^⟦secret:registered:[0-9a-f]{6}⟧$/,
  )
})

test('a password in an address that is registered is hidden once, as a registered value', () => {
  const safe = redaction(['value-used-for-auth']).text('https://u:value-used-for-auth@host/')
  assert.match(safe, /^https:\/\/u:⟦secret:registered:[0-9a-f]{6}⟧@host\/$/)
})

test('a value that is a part of every placeholder cannot be registered', () => {
  const registered = new RegisteredSecrets()
  for (const value of ['⟦secret:', 'secret:api-key', 'registered']) assert.equal(registered.add(value), false)
})

test('a placeholder is resolved from a scan of the same file only', () => {
  const { text, found } = redaction(['value-used-for-auth'])
  const file = `a=value-used-for-auth\nb=${apiKey}\n`
  const edit = text(file).replace('a=', 'auth=')
  assert.deepEqual(resolvePlaceholders(edit, found(file)), { text: file.replace('a=', 'auth='), unresolved: [] })
  const other = resolvePlaceholders(edit, found('nothing here'))
  assert.equal(other.text, edit)
  assert.deepEqual(other.unresolved, placeholdersIn(edit))
})
