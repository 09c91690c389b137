import assert from 'node:assert/strict'
import { test } from 'node:test'
import { scriptedProvider } from '../../src/model/scripted.ts'
import type { ScriptedReply } from '../../src/model/scripted-reply.ts'
import { assemble, calls, collect, encoded, failureIn, reasoning, text, userSays } from './support.ts'

const go = (content = 'go') => encoded(userSays(content))
const one = (reply: ScriptedReply) => scriptedProvider({ script: [reply] })

test('a reply comes in small pieces and is put together whole', async () => {
  const said = 'Ein längerer Satz, mit 🙂 darin, in Stücken.'
  const reply = { reasoning: 'Erst denken.', text: said, calls: [{ name: 'run', arguments: { cmd: 'ls -la' } }] }
  const chunks = await collect(scriptedProvider({ script: [reply], chunkSize: 3 }), go())
  assert.ok(chunks.length > 15)
  const whole = assemble(chunks)
  assert.equal(text(whole), said)
  assert.equal(reasoning(whole), 'Erst denken.')
  assert.deepEqual(calls(whole), [{ id: 'call_0_0', name: 'run', args: { cmd: 'ls -la' } }])
  assert.deepEqual(whole.finish, { reason: 'calls', raw: 'tool_calls' })
  for (const chunk of chunks) if (chunk.kind === 'text') assert.doesNotMatch(chunk.text, /[\ud800-\udbff]$/)
})

test('a script gives its replies in order, and says when it is over', async () => {
  const provider = scriptedProvider({ script: [{ text: 'a' }, { text: 'b' }] })
  assert.equal(text(assemble(await collect(provider, go()))), 'a')
  assert.equal(text(assemble(await collect(provider, go()))), 'b')
  assert.equal(failureIn(await collect(provider, go()))?.code, 'BAD_RESPONSE')
})

test('a script that goes by messages finds its place again in a new process', async () => {
  const script = [{ text: 'first' }, { text: 'second' }]
  const history = [
    { role: 'user', content: 'a' },
    { role: 'assistant', content: 'first' },
    { role: 'user', content: 'b' },
  ]
  const later = scriptedProvider({ script, advance: 'message' })
  const asked = encoded({ model: 'm', messages: history })
  assert.equal(text(assemble(await collect(later, asked))), 'second')
  assert.equal(text(assemble(await collect(later, asked))), 'second')
})

test('a request a strict server would refuse is refused, and uses up nothing', async () => {
  const provider = one({ text: 'a' })
  const failure = failureIn(await collect(provider, go(' ')))
  assert.equal(failure?.code, 'BAD_REQUEST')
  assert.match(failure?.message ?? '', /messages\[0\] has empty content/)
  assert.equal(failureIn(await collect(provider, encoded('no json')))?.code, 'BAD_REQUEST')
  assert.equal(text(assemble(await collect(provider, go()))), 'a')
})

test('a reply can be made from the request it answers', async () => {
  const provider = scriptedProvider({ script: [(request) => ({ text: `you said ${request.messages[0]?.content}` })] })
  assert.equal(text(assemble(await collect(provider, go('hello')))), 'you said hello')
})

test('usage is worked out from the bytes, the common beginning counted as cached', async () => {
  const provider = scriptedProvider({ script: [{ text: 'four' }, { text: 'four' }] })
  const first = go('x'.repeat(400))
  const usage = assemble(await collect(provider, first)).usage
  assert.deepEqual(usage, { input: Math.ceil(first.bytes / 4), cacheRead: 0, cacheWrite: 0, output: 1 })
  const second = go(`${'x'.repeat(400)} and more`)
  const common = Buffer.from(JSON.stringify(userSays('x'.repeat(400)))).indexOf('"}]')
  const expected = Math.floor(common / 4)
  const next = assemble(await collect(provider, second)).usage
  assert.equal(next?.cacheRead, expected)
  assert.equal((next?.input ?? 0) + expected, Math.ceil(second.bytes / 4))
})

test('failures, cuts and missing ends can be played', async () => {
  const failure = { code: 'OVERLOADED', message: 'busy' } as const
  const failing = assemble(await collect(one({ text: 'half', failure }), go()))
  assert.deepEqual([text(failing), failing.failure], ['half', failure])
  const call = { name: 'run', arguments: '{"a":' }
  const ended = assemble(await collect(one({ calls: [call], finish: null }), go()))
  assert.deepEqual([calls(ended), ended.failure?.code], [[], 'STREAM_TRUNCATED'])
  const cut = assemble(await collect(one({ text: 'a', calls: [call], finish: 'length' }), go()))
  assert.deepEqual([cut.finish?.reason, cut.dropped.length], ['length', 1])
})

test('delays are kept, and an abort ends them and the chunks', async () => {
  const slept: number[] = []
  const stop = new AbortController()
  const sleep = (ms: number) => {
    slept.push(ms)
    if (slept.length === 3) stop.abort()
    return Promise.resolve()
  }
  const script = [{ text: 'abcdef', delayMs: 500 }]
  const provider = scriptedProvider({ script, chunkSize: 1, chunkDelayMs: 7, sleep })
  const chunks = await collect(provider, go(), stop.signal)
  assert.deepEqual(slept, [500, 7, 7])
  assert.deepEqual(chunks.filter((chunk) => chunk.kind === 'text').length, 1)
  assert.ok(chunks.every((chunk) => chunk.kind !== 'finish' && chunk.kind !== 'failed'))
})

test('a real delay ends at once when it is aborted', async () => {
  const stop = new AbortController()
  setTimeout(() => stop.abort(), 10)
  const chunks = await collect(one({ text: 'never', delayMs: 3_600_000 }), go(), stop.signal)
  assert.deepEqual(chunks, [{ kind: 'moment', at: 'connected' }])
})
