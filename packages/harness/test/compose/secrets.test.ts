import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { SecretsPort } from '../../src/config/rows/core.ts'
import { type ScriptEntry, scriptedProvider } from '../../src/model/scripted.ts'
import { textOf } from '../agent/kit.ts'
import { product, say } from './kit.ts'

test('a file whose name looks like a secret is read and edited, and the log is proved', async () => {
  const path = `sk-${'a1b2c3d4e5f6g7h8'}.txt`
  const script = [
    { calls: [{ name: 'read', arguments: { path } }] },
    { calls: [{ name: 'edit', arguments: { path, edits: [{ old: 'one', new: 'two' }] } }] },
    { text: 'ok' },
  ]
  const on = await product(scriptedProvider({ name: 'demo', script }))
  writeFileSync(join(on.cwd, path), 'one\n')
  const agent = await on.open()
  await say(agent, 'go')
  const { id, log } = agent.session
  const results = log.events.filter(({ type }) => type === 'tool/result')
  assert.deepEqual(
    results.map(({ data }) => 'outcome' in data && typeof data.outcome === 'object' && data.outcome.kind),
    ['done', 'done'],
  )
  assert.doesNotMatch(JSON.stringify(results), /a1b2c3d4/)
  await agent.close()
  const { answer, problems } = await on.verify(id)
  assert.deepEqual([answer, problems], ['clean', []])
  await on.close()
})

const secret = 'value-used-for-auth'

test('a value used for authentication that comes back in a reply is in neither log nor request', async () => {
  const script: ScriptEntry[] = [
    { reasoning: secret, text: `you sent ${secret}`, calls: [{ name: 'read', arguments: { path: secret } }] },
    { text: 'cut', calls: [{ name: 'read', arguments: { path: secret } }], finish: 'length' },
    { text: `so far ${secret}`, failure: { code: 'AUTH', message: `${secret} is no key` } },
  ]
  const on = await product(scriptedProvider({ name: 'demo', script }))
  assert.equal(on.host.get(SecretsPort)?.registered.add(secret), true)
  const agent = await on.open()
  await say(agent, 'go')
  const { id, log } = agent.session
  assert.equal(log.events.filter(({ type }) => type === 'request/settled').length, 3)
  assert.doesNotMatch(JSON.stringify(log.events), new RegExp(secret))
  assert.match(JSON.stringify(log.events), /SECRET_PLACEHOLDER/)
  await agent.close()
  const { answer, problems } = await on.verify(id)
  assert.deepEqual([answer, problems], ['clean', []])
  await on.close()
})

test('the key of a provider that is configured and was never used is in the environment of no command', async () => {
  const command = 'echo $' + '{ODDLY_NAMED-unset} $' + '{OTHER-unset}'
  const script = [{ calls: [{ name: 'bash', arguments: { command } }] }, { text: 'ok' }]
  const other = { dialect: 'openai-chat', baseUrl: 'http://127.0.0.1:9/v1', models: {}, quirks: {} } as const
  const on = await product(scriptedProvider({ name: 'demo', script }), {
    providers: { other: { ...other, key: { env: 'ODDLY_NAMED' } } },
    env: { ...process.env, ODDLY_NAMED: 'opensesame', OTHER: 'plain' },
  })
  const agent = await on.open()
  await say(agent, 'go')
  const results = agent.session.log.events.flatMap((e) => (e.type === 'tool/result' ? [textOf(e.data.content)] : []))
  assert.deepEqual(results, ['unset plain'])
  await agent.close()
  await on.close()
})
