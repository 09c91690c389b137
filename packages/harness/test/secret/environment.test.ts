import assert from 'node:assert/strict'
import { test } from 'node:test'
import { childEnvironment, withholdSecrets } from '../../src/secret/environment.ts'

test('names that say secret are withheld, and names that only look like it are not', () => {
  const withhold = withholdSecrets(() => [])
  const secret = [
    'OPENAI_API_KEY',
    'GITHUB_TOKEN',
    'PGPASSWORD',
    'npm_config_//r/:_authToken',
    'AWS_SECRET_ACCESS_KEY',
    'DB_PWD',
    'GOOGLE_APPLICATION_CREDENTIALS',
    'apikey',
  ]
  const plain = [
    'PATH',
    'PWD',
    'OLDPWD',
    'HOME',
    'TOKENIZERS_PARALLELISM',
    'KEYBOARD_LAYOUT',
    'SSH_AUTH_SOCK',
    'MONKEY_ISLAND',
    'COMPASS',
  ]
  assert.deepEqual(
    secret.filter((name) => !withhold(name, 'x')),
    [],
  )
  assert.deepEqual(
    plain.filter((name) => withhold(name, 'x')),
    [],
  )
})

test('a value that authenticates is withheld under any name', () => {
  const withhold = withholdSecrets(() => ['registered-value', 'ab'], new Set(['MY_TOKEN', 'OTHER_KEY']))
  assert.equal(withhold('X', 'Bearer registered-value'), true)
  assert.equal(withhold('X', 'ab'), true)
  assert.equal(withhold('X', 'about'), false)
  assert.equal(withhold('DATABASE_URL', 'postgres://me:pw@host/db'), true)
  assert.equal(withhold('URL', 'https://host:443/a@b'), false)
  assert.equal(withhold('MY_TOKEN', 'fine'), false)
  assert.equal(withhold('OTHER_KEY', 'registered-value'), true)
})

test('a command is told nobody is there, and gets none of our own channels', () => {
  const env = childEnvironment(
    { PATH: '/bin', TERM: 'xterm', NODE_CHANNEL_FD: '3', NODE_TEST_CONTEXT: 'child' },
    () => false,
  )
  assert.equal(env.TERM, 'dumb')
  assert.equal(env.GIT_TERMINAL_PROMPT, '0')
  assert.deepEqual([env.NODE_CHANNEL_FD, env.NODE_TEST_CONTEXT], [undefined, undefined])
})
