import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Failure, Result } from '@rein/session'
import { type CredentialOptions, credentialOf } from '../../src/config/credentials.ts'
import { RegisteredSecrets } from '../../src/secret/registered.ts'
import { type Place, place } from './fixture.ts'

const ask = (here: Place, options: Partial<CredentialOptions>) =>
  credentialOf({
    provider: 'p',
    source: undefined,
    home: here.home,
    env: {},
    registered: new RegisteredSecrets(),
    ...options,
  })

async function read(here: Place, options: Partial<CredentialOptions>): Promise<Result<string>> {
  const credential = await ask(here, options)
  if (!credential.ok) return credential
  if (credential.value.kind !== 'key') throw new Error(credential.value.kind)
  return credential.value.read()
}

const failure = (result: Result<unknown>): Failure => {
  if (result.ok) throw new Error('expected a failure')
  return result.failure
}

test('a key comes from the variable that is configured, and is registered as a secret before it is given out', async (t) => {
  const registered = new RegisteredSecrets()
  const env = { MY_KEY: 'key-from-env\n' }
  const result = await read(place(t), { source: { env: 'MY_KEY' }, env, registered })
  assert.deepEqual(result, { ok: true, value: 'key-from-env' })
  assert.equal(registered.has('key-from-env'), true)
})

test('a key that is too short to be registered is given out, and says that it is not protected', async (t) => {
  for (const [key, unprotected] of [
    ['seven77', true],
    ['eight888', false],
  ] as const) {
    const credential = await ask(place(t), { source: { env: 'MY_KEY' }, env: { MY_KEY: key } })
    assert.ok(credential.ok && credential.value.kind === 'key')
    assert.deepEqual(await credential.value.read(), { ok: true, value: key })
    assert.equal(credential.value.unprotected(), unprotected)
  }
})

test('a configured key that is missing is named, and no other key is tried', async (t) => {
  const here = place(t)
  here.write('home/credentials.yaml', 'p: key-from-file\n', 0o600)
  for (const env of [{}, { MY_KEY: '' }, { MY_KEY: 'two words' }]) {
    const { code, message } = failure(
      await read(here, { source: { env: 'MY_KEY' }, env: { ...env, REIN_API_KEY: 'other-key' } }),
    )
    assert.equal(code, 'NO_CREDENTIAL')
    assert.match(message, /provider p is configured as the variable MY_KEY, but /)
    assert.ok(!message.includes('two words'))
  }
  const missing = failure(await read(here, { source: { file: `${here.home}/none` } }))
  assert.match(missing.message, /the file .*\/none, but nothing is there/)
})

test('a key in a file is read without its line end, and again each time', async (t) => {
  const here = place(t)
  const file = here.write('home/key', 'key-one-one\n')
  const credential = await ask(here, { source: { file } })
  assert.ok(credential.ok && credential.value.kind === 'key')
  assert.deepEqual(await credential.value.read(), { ok: true, value: 'key-one-one' })
  here.write('home/key', 'key-two-two\r\n')
  assert.deepEqual(await credential.value.read(), { ok: true, value: 'key-two-two' })
})

test('without a configured source the key is the provider’s entry in credentials.yaml', async (t) => {
  const here = place(t)
  here.write('home/credentials.yaml', 'p: key-from-file\nq: other-key\n', 0o600)
  assert.deepEqual(await read(here, {}), { ok: true, value: 'key-from-file' })
})

test('no key configured anywhere is told apart from a missing one, and says where to put it', async (t) => {
  const here = place(t)
  for (const text of [undefined, 'q: other-key\n']) {
    if (text !== undefined) here.write('home/credentials.yaml', text, 0o600)
    const credential = await ask(here, {})
    assert.ok(credential.ok && credential.value.kind === 'not-configured')
    assert.match(credential.value.failure.next ?? '', /credentials\.yaml.*providers\.p\.key/)
  }
})

test('a provider that wants no key reads nothing', async (t) => {
  const here = place(t)
  here.write('home/credentials.yaml', 'p: key-from-file\n', 0o644)
  assert.deepEqual(await ask(here, { source: 'none' }), { ok: true, value: { kind: 'none' } })
})

test('credentials that others can read are refused', async (t) => {
  const here = place(t)
  for (const mode of [0o644, 0o640, 0o604, 0o660]) {
    here.write('home/credentials.yaml', 'p: key-from-file\n', mode)
    const { code, message, next } = failure(await ask(here, {}))
    assert.equal(code, 'NO_CREDENTIAL')
    assert.match(message, new RegExp(`can be read by others \\(mode ${mode.toString(8)}\\)`))
    assert.match(next ?? '', /^chmod 600 /)
  }
})

test('credentials that are broken name the line and repeat no key', async (t) => {
  const here = place(t)
  for (const [text, line] of [
    ['a: b\np: 12345678\n', 2],
    ['p: [key-in-list]\n', 1],
    ['p: "key-open\n', 2],
    ['a: b\np: |key-behind\n', 2],
    ['a: b\np: [a]]key-behind\n', 2],
  ] as const) {
    here.write('home/credentials.yaml', text, 0o600)
    const { message } = failure(await ask(here, {}))
    assert.match(message, new RegExp(`credentials\\.yaml:${line}`))
    assert.ok(!/12345678|key-/.test(message))
  }
})
