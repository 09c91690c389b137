import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type EventNamed, type Finish, SessionLog } from '@rein/session'
import fc from 'fast-check'
import { assembler, type Reply } from '../../src/model/assembler.ts'
import type { Chunk } from '../../src/model/chunk.ts'
import { type ChunkLogOptions, longestMs, recorded } from '../../src/model/chunk-log.ts'
import type { EncodedRequest, Provider } from '../../src/model/provider.ts'
import { streamed } from '../../src/model/streamed.ts'
import { openEnd } from '../../src/secret/open-end.ts'
import { redactor } from '../../src/secret/redact.ts'
import { RegisteredSecrets } from '../../src/secret/registered.ts'
import { nodeHasher } from '../../src/store/hasher.ts'

const secret = 'key-1234567890"x'
const registered = new RegisteredSecrets()
registered.add(secret)
const known = redactor({ key: () => new Uint8Array(32), registered, formats: false })
const redact = { ...known, openEnd: (text: string) => openEnd(text, registered) }

/** A log whose lines are kept. */
function keptLog() {
  const lines: string[] = []
  const sink = { append: async (_: number, more: readonly string[]) => void lines.push(...more), sync: async () => {} }
  const log = new SessionLog({ ports: { now: () => 1, id: (prefix) => prefix, hasher: nodeHasher }, sink })
  const batches = () =>
    log.events.filter((event): event is EventNamed<'assistant/chunks'> => event.type === 'assistant/chunks')
  return { log, lines, batches }
}

const request = { id: 'rq-1' } as EncodedRequest

/** A provider that gives these chunks, `tick` milliseconds apart on a clock of its own. */
function saying(chunks: readonly Chunk[], tick = 1) {
  let time = 5_000
  const provider: Provider = {
    name: 'p',
    dialect: 'openai-chat',
    facts: () => assert.fail('not asked'),
    async *stream() {
      for (const chunk of chunks) {
        time += tick
        yield chunk
      }
    },
  }
  return { provider, now: () => time }
}

/** What the assembler makes of chunks: with ids that only count. */
function assembled(chunks: Iterable<Chunk>, how?: 'cancelled'): Reply {
  let ids = 0
  const assembly = assembler({ now: () => 0, taken: () => false, mint: () => `call-${++ids}` })
  for (const chunk of chunks) assembly.push(chunk)
  return assembly.end(how)
}

async function play(chunks: readonly Chunk[], options: { tick?: number; signal?: AbortSignal; stopAt?: number } = {}) {
  const kept = keptLog()
  const { provider, now } = saying(chunks, options.tick)
  const given: Chunk[] = []
  const with_: ChunkLogOptions = { log: kept.log, now, redact }
  const controller = new AbortController()
  for await (const chunk of recorded(provider, with_).stream(request, controller.signal)) {
    given.push(chunk)
    if (given.length === options.stopAt) {
      controller.abort()
      break
    }
  }
  return { ...kept, given }
}

const words = fc.oneof(
  fc.constantFrom('', 'a', ' ', 'key-', '1234567890', '"x', secret, '\\"x', '\ud83d', '\ude00', 'é', '\n'),
  fc.string({ maxLength: 6 }),
)
const block = fc.nat({ max: 2 })
/** Any chunks, in any order: also those that break the rules of a stream. */
const anyChunk: fc.Arbitrary<Chunk> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constantFrom('text', 'reasoning', 'arguments'), block, text: words }) },
  fc.record({ kind: fc.constant('reasoning' as const), block, text: words, signature: words }),
  fc.record({ kind: fc.constant('call' as const), block, id: words, name: words }, { requiredKeys: ['kind', 'block'] }),
  fc.record({ kind: fc.constant('private' as const), block, data: fc.constantFrom(null, [secret], { a: 1 }) }),
  fc.record({ kind: fc.constant('close' as const), block }),
  fc.constantFrom<Chunk>({ kind: 'moment', at: 'first-byte' }),
)
const usage = { input: 1, cacheRead: 0, cacheWrite: 0, output: 2 }
const ends: readonly (readonly Chunk[])[] = [
  [],
  ...['stop', 'tool_calls', 'length', 'content_filter'].map((raw): readonly Chunk[] => {
    const reason: Finish['reason'] = raw === 'length' ? 'length' : raw === 'content_filter' ? 'filtered' : 'stop'
    return [
      { kind: 'usage', usage },
      { kind: 'finish', finish: { reason, raw } },
    ]
  }),
  [{ kind: 'failed', failure: { code: 'SERVER_ERROR', message: 'no' } }],
]

test('what is written of a reply, whole, cut or cancelled, is the reply: the same blocks through the same assembler', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.tuple(fc.array(anyChunk, { maxLength: 25 }), fc.constantFrom(...ends)).map((parts) => parts.flat()),
      fc.record(
        { tick: fc.constantFrom(1, 30, 400), stopAt: fc.integer({ min: 1, max: 20 }) },
        { requiredKeys: ['tick'] },
      ),
      async (chunks, options) => {
        const { log, given } = await play(chunks, options)
        const how = options.stopAt === undefined ? undefined : 'cancelled'
        const closing = given.filter(({ kind }) => kind === 'usage' || kind === 'finish' || kind === 'failed')
        const written = streamed(log.events, 'rq-1').map(({ chunk }) => chunk)
        const { timing: _a, violations: _b, ...reply } = assembled([...written, ...closing], how)
        const { timing: _c, violations: _d, ...settled } = known.content(assembled(given, how))
        assert.deepEqual(reply, settled)
        assert.deepEqual(given, chunks.slice(0, given.length), 'nothing is held back from the screen')
      },
    ),
    { numRuns: 400 },
  )
})

test('a secret is in no batch, wherever it is split over chunks and batches', async () => {
  for (const kind of ['text', 'reasoning', 'arguments'] as const)
    for (let cut = 1; cut < secret.length; cut++)
      for (const tick of [1, 400]) {
        const parts = ['so ', secret.slice(0, cut), secret.slice(cut), ' on']
        const { log, lines } = await play(
          parts.map((text): Chunk => ({ kind, block: 0, text })),
          { tick },
        )
        await log.written()
        const told = streamed(log.events, 'rq-1').map(({ chunk }) => ('text' in chunk ? chunk.text : ''))
        assert.equal(told.join(''), known.text(parts.join('')))
        const written = lines.join('\n')
        assert.ok(!written.includes('1234567890'), written)
        if (tick === 400 && kind === 'text') assert.ok(told.length > 1)
      }
})

test('there are at most ten batches a second, fewer of little text; pieces of one block are one, with its time', async () => {
  const said = (text: string) =>
    Array.from({ length: 120 }, (_, n): Chunk => ({ kind: 'text', block: n < 60 ? 0 : 1, text }))
  const slow = await play(said('a. '), { tick: 10 })
  assert.equal(slow.batches().length, 4)
  const text = 'a. '.repeat(30)
  assert.deepEqual(slow.batches()[0]?.data, { request: 'rq-1', chunks: [{ ms: 10, kind: 'text', block: 0, text }] })
  assert.equal(slow.batches().flatMap(({ data }) => data.chunks).length, 4)
  const fast = await play(said('a great deal of text. '), { tick: 10 })
  assert.equal(fast.batches().length, 12)
})

test('a stream that stalls is written soon all the same, and a stopped one before its settlement', async () => {
  const { log, batches } = keptLog()
  const stalled = Promise.withResolvers<void>()
  const provider: Provider = {
    ...saying([]).provider,
    async *stream() {
      yield { kind: 'text', block: 0, text: 'so far!' }
      await stalled.promise
      yield { kind: 'text', block: 0, text: ' never' }
    },
  }
  const controller = new AbortController()
  let time = 0
  const stream = recorded(provider, { log, now: () => time, redact }).stream(request, controller.signal)
  const iterator = stream[Symbol.asyncIterator]()
  await iterator.next()
  const next = iterator.next()
  while (batches().length === 0) await new Promise((resolve) => setTimeout(resolve, 10))
  time += longestMs
  controller.abort()
  stalled.resolve()
  await next
  await iterator.return?.()
  assert.deepEqual(
    batches().map(({ data }) => data.chunks),
    [[{ ms: 0, kind: 'text', block: 0, text: 'so far!' }]],
  )
})

test('the log of a long reply in tiny pieces is little larger than what was said', async () => {
  const chunks: Chunk[] = []
  let content = 0
  const say = (kind: 'text' | 'reasoning' | 'arguments', block: number, text: string) => {
    content += JSON.stringify(text).length - 2
    for (let at = 0; at < text.length; at += 3) chunks.push({ kind, block, text: text.slice(at, at + 3) })
    chunks.push({ kind: 'close', block })
  }
  say('reasoning', 0, 'thinking about it, '.repeat(150))
  say('text', 1, 'Ich schreibe: "größer" und 中文.\n'.repeat(150))
  for (let call = 2; call < 6; call++) {
    chunks.push({ kind: 'call', block: call, id: `call_${call}`, name: 'write' })
    say('arguments', call, JSON.stringify({ path: 'a.ts', content: 'const a = "b"\n\tif (a) { c() }\n'.repeat(120) }))
  }
  const { log, lines } = await play(chunks, { tick: 4 })
  await log.written()
  const bytes = Buffer.byteLength(lines.join('\n'))
  const allowed = 1.2 * content + 300 * lines.length
  assert.ok(lines.length > 20 && bytes <= allowed, `${bytes} bytes in ${lines.length} events, ${allowed} allowed`)
})

test('a log that can be written no more stops no stream', async () => {
  const { log } = keptLog()
  const dead = {
    append: () => assert.fail('nothing is appended'),
    poison: { code: 'LOG_WRITE', message: 'full' },
  } as const
  const { provider, now } = saying([{ kind: 'text', block: 0, text: 'on' }])
  const given: Chunk[] = []
  const stream = recorded(provider, { log: { ...log, ...dead }, now, redact }).stream(
    request,
    new AbortController().signal,
  )
  for await (const chunk of stream) given.push(chunk)
  assert.equal(given.length, 1)
})

test('a secret is in no signature, no name of a call and no private block that is written', async () => {
  const { log, lines, batches } = await play([
    { kind: 'reasoning', block: 0, text: 'hm', signature: secret },
    { kind: 'call', block: 1, id: secret, name: secret },
    { kind: 'private', block: 2, data: { of: [secret] } },
  ])
  await log.written()
  assert.ok(!lines.join('\n').includes('1234567890'))
  assert.equal(JSON.stringify(batches()).match(/⟦secret:registered:/g)?.length, 4)
})
