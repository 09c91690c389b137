import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defaults, providerRow, scriptedProvider } from '@rein/harness'
import { type Answer, mockServer } from '@rein/harness/testing/mock-server'
import { FailureError } from '@rein/session'
import { seededPorts } from '../src/ports.ts'
import { runTask } from '../src/run.ts'
import { startAgent } from '../src/start.ts'
import { surroundings } from './in-process.ts'
import { Place, resultOf } from './program.ts'
import { cut } from './replies.ts'

/** One task against an endpoint, every retry at once. */
async function task(baseUrl: string) {
  using place = new Place()
  const { cli, out, err } = surroundings(place)
  const provider = { dialect: 'openai-chat', baseUrl, key: 'none', models: {}, quirks: {} } as const
  const settings = { ...defaults().settings, providers: { near: provider }, model: 'near/made' }
  const started = await startAgent(cli, { preset: 'headless', settings, person: false, chance: () => 0 })
  if (!started.ok) throw new Error(started.failure.message)
  const code = await runTask(cli, started.value, { text: 'look', json: true, quiet: true })
  await started.value.close()
  return { code, stdout: out(), stderr: err(), result: resultOf({ stdout: out() }) }
}

test('an endpoint that refuses the connection ends the run with 1 and NETWORK', async () => {
  const { code, result, stderr } = await task('http://127.0.0.1:9/v1')
  assert.equal(code, 1)
  assert.partialDeepStrictEqual(result, { outcome: 'error', exit: 1, error: { code: 'NETWORK' } })
  assert.match(stderr, /rein: NETWORK: /)
})

test('a stream that is cut every time ends with 1 and STREAM_TRUNCATED, and the text is kept as interrupted', async () => {
  const answers: readonly Answer[] = Array(7).fill(cut('So far'))
  await using server = await mockServer({ script: answers })
  const { code, result, stdout } = await task(server.baseUrl)
  assert.equal(code, 1)
  assert.partialDeepStrictEqual(result, { text: 'So far', error: { code: 'STREAM_TRUNCATED' } })
  assert.match(stdout, /"interrupted":"failed"/)
  assert.equal(server.received.length, 7)
})

/** One scripted task with fixed clock and ids. */
async function seeded(place: Place, seed: number, json: boolean) {
  const { cli, out, err } = surroundings(place)
  const script = [{ calls: [{ name: 'glob', arguments: { pattern: '*' } }] }, { text: 'Done.' }]
  const rows = [{ id: 'provider:demo', plugin: providerRow(scriptedProvider({ script, name: 'demo' })) }]
  const model = { provider: 'demo', model: 'scripted' }
  const ports = seededPorts(seed)
  const started = await startAgent(cli, { preset: 'headless', rows, model, ports, person: false })
  if (!started.ok) throw new Error(started.failure.message)
  const code = await runTask(cli, started.value, { text: 'look', json, quiet: false })
  await started.value.close()
  return { code, out: out(), err: err() }
}

test('two runs with one seed give the same lines, and another seed gives other ids', async () => {
  using place = new Place()
  using other = new Place()
  const first = await seeded(place, 7, true)
  const again = await seeded(other, 7, true)
  const place2 = first.out.replaceAll(place.cwd, 'HERE').replaceAll(/"hash":"\w+"|"sha256":"\w+"/g, '')
  const other2 = again.out.replaceAll(other.cwd, 'HERE').replaceAll(/"hash":"\w+"|"sha256":"\w+"/g, '')
  assert.equal(first.code, 0)
  assert.equal(place2, other2)
  assert.match(first.out, /"session":"s-7-1"/)
})

test('a model whose provider is not there is refused before a session is made, with the nearest name', async () => {
  using place = new Place()
  const { cli } = surroundings(place)
  const rows = [{ id: 'provider:demo', plugin: providerRow(scriptedProvider({ script: [], name: 'demo' })) }]
  const model = { provider: 'dmeo', model: 'scripted' }
  const started = await startAgent(cli, { preset: 'headless', rows, model, person: false })
  assert.partialDeepStrictEqual(started, {
    ok: false,
    failure: { code: 'NO_PROVIDER', next: 'Did you mean demo/scripted?' },
  })
})

/** One task whose session is taken over at the moment an event of `type` is to be written. */
async function takenAt(type: string) {
  using place = new Place()
  const { cli, out, err } = surroundings(place)
  const rows = [
    { id: 'provider:demo', plugin: providerRow(scriptedProvider({ script: [{ text: 'Done.' }], name: 'demo' })) },
  ]
  const model = { provider: 'demo', model: 'scripted' }
  const started = await startAgent(cli, { preset: 'headless', rows, model, person: false })
  if (!started.ok) throw new Error(started.failure.message)
  const { lease } = started.value.agent.session
  const append = lease.append.bind(lease)
  lease.append = async (seq, lines) => {
    if (lines.some((line) => line.includes(`"type":"${type}"`))) throw new FailureError(taken)
    await append(seq, lines)
  }
  const code = await runTask(cli, started.value, { text: 'look', json: true, quiet: true })
  await started.value.close()
  return { code, stdout: out(), stderr: err(), result: resultOf({ stdout: out() }) }
}

const taken = { code: 'SESSION_TAKEN', message: 'the session was taken over by another process' } as const

for (const type of ['turn/end', 'request/sent'])
  test(`an answer that did not reach the log is no answer: taken over at ${type}, the run ends with 1`, async () => {
    const { code, result, stderr, stdout } = await takenAt(type)
    assert.equal(code, 1)
    assert.partialDeepStrictEqual(result, { outcome: 'error', exit: 1, text: '', error: { code: 'SESSION_TAKEN' } })
    assert.match(stderr, /^rein: SESSION_TAKEN: the session was taken over/m)
    assert.doesNotMatch(stdout, new RegExp(`"type":"${type}"`))
  })
