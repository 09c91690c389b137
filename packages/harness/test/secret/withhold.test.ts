import assert from 'node:assert/strict'
import test from 'node:test'
import { RegisteredSecrets } from '../../src/secret/registered.ts'
import { withholdBy } from '../../src/secret/withhold.ts'

const registered = new RegisteredSecrets()
registered.add('value-used-for-auth')

const env = {
  PATH: '/bin',
  HOME: '/home/me',
  PWD: '/work',
  EDITOR: 'vi',
  SSH_AUTH_SOCK: '/run/agent',
  NPM_TOKEN: 'n',
  DEEPSEEK_API_KEY: 'k',
  ITS_OWN: 'short',
  ODD: 'prefix value-used-for-auth suffix',
}

const withheld = (values: Record<string, string>, rules: { inherit: boolean; keep: string[] }) => {
  const withhold = withholdBy(rules, registered, new Set(['ITS_OWN']))
  return Object.entries(values)
    .filter(([name, value]) => withhold(name, value))
    .map(([name]) => name)
}

test('a process inherits everything but what looks like a secret and is not kept, or holds a registered one', () => {
  assert.deepEqual(withheld(env, { inherit: true, keep: ['NPM_TOKEN', 'ITS_OWN'] }), [
    'DEEPSEEK_API_KEY',
    'ITS_OWN',
    'ODD',
  ])
})

test('without inheriting a process gets the needed names and what is kept', () => {
  const names = withheld(env, { inherit: false, keep: ['NPM_TOKEN', 'ITS_OWN'] })
  assert.deepEqual(names, ['EDITOR', 'SSH_AUTH_SOCK', 'DEEPSEEK_API_KEY', 'ITS_OWN', 'ODD'])
})

test('a value used for authentication is withheld even from a name that is kept, in base64 too', () => {
  const odd = { ODD: 'value-used-for-auth', BASIC: Buffer.from('me:value-used-for-auth').toString('base64') }
  assert.deepEqual(withheld(odd, { inherit: true, keep: ['ODD', 'BASIC'] }), ['ODD', 'BASIC'])
})
