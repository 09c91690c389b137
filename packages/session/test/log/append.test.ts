import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turnOfTheLoop } from 'node:timers/promises'
import {
  type AppendOptions,
  type EventType,
  FailureError,
  type Json,
  type LineSink,
  SessionLog,
  surface,
} from '../../src/index.ts'
import { countingPorts } from '../kit/ports.ts'
import { CollectingSink } from '../kit/sinks.ts'

const person = { kind: 'person' } as const
const say = (text: string) => ({ content: [{ type: 'text', text }] as const, source: person })

function newLog(sink: LineSink = new CollectingSink()): SessionLog {
  return new SessionLog({ ports: countingPorts(), sink })
}

type Forced = readonly [type: string, data: unknown, options?: object]

/** Append what the types would not allow: data that comes from a plugin or a bug. */
function force(log: SessionLog, ...[type, data, options = {}]: Forced): () => void {
  return () => log.append(type as EventType, data as never, options as AppendOptions)
}

test('what is no event is refused, and leaves no trace', () => {
  const log = newLog()
  const circle: { self?: unknown } = {}
  circle.self = circle
  const note = (data: unknown) => ({ plugin: 'p', kind: 'k', v: 1, data: data as Json })
  const refused: readonly [string, unknown, object?][] = [
    ['turn/begin', { turn: 1 }],
    ['constructor', {}],
    ['__proto__', {}],
    ['turn/start', { turn: -1 }],
    ['turn/start', { turn: 1.5 }],
    ['turn/start', {}],
    ['turn/start', null],
    ['turn/start', [1]],
    ['turn/end', { turn: 1, outcome: 'fine' }],
    ['user/message', { content: [{ type: 'sound' }], source: person }],
    ['user/message', { content: 'x', source: person }],
    ['turn/start', { turn: 1 }, { surface: 'append' }],
    ['user/message', say('x'), { surface: 'prepend' }],
    ['user/message', say('x'), { surface: { replace: [0] } }],
    ['user/message', say('x'), { sources: [0] }],
    ['user/message', say('x'), { sources: [-1] }],
    ['session/rewound', { to: 0, by: 'person' }],
    ['plugin/note', note({ big: 'x'.repeat(64 * 1024) })],
    ['plugin/note', note({ big: '中'.repeat(22_000) })],
    ['plugin/note', note(Number.NaN)],
    ['plugin/note', note(() => 1)],
    ['plugin/note', note([undefined])],
    ['plugin/note', note(new Map())],
    ['plugin/note', note(1n)],
    ['plugin/note', note(circle)],
  ]
  for (const [type, data, options] of refused)
    assert.throws(force(log, type, data, options), Error, `${type} ${String(data)}`)
  assert.deepEqual(log.events, [])
  log.append('plugin/note', note({ fits: 'x'.repeat(60_000) }))
})

/** Three messages, a reply that calls, and its result: 0 to 4. */
function talked(): SessionLog {
  const log = newLog()
  for (const text of ['0', '1', '2']) log.append('user/message', say(text))
  const content = [{ type: 'call', id: 'a', name: 'x', arguments: '' }] as const
  log.append('assistant/message', { request: 'r', content, origin: { provider: 'p', dialect: 'd', model: 'm' } })
  log.append('tool/result', resultOf('a'))
  return log
}
const resultOf = (call: string) => ({ call, name: 'x', outcome: { kind: 'done' }, content: say('r').content }) as const
const standing = (log: SessionLog) => [...log.state(surface).messages].map(({ seq }) => seq)
const placed = (first: number, last: number, sources?: readonly number[]) => {
  return { surface: { replace: [first, last] as const }, ...(sources && { sources }) }
}

test('a replace must name a range that stands on the surface, and everything it shadows', () => {
  const log = talked()
  const refused = [
    placed(0, 1),
    placed(0, 1, []),
    placed(0, 1, [0]),
    placed(1, 0, [0, 1]),
    placed(0, 9, [0, 1, 2, 3, 4]),
  ]
  for (const options of refused) assert.throws(force(log, 'user/message', say('sum'), options), TypeError)
  assert.throws(force(log, 'tool/result', resultOf('b'), placed(4, 4, [4])), TypeError)
  assert.throws(force(log, 'tool/result', resultOf('a'), placed(1, 1, [1])), TypeError)
  assert.deepEqual(standing(log), [0, 1, 2, 3, 4])
})

test('what replaces stands where the first of it stood, even when that is the later event', () => {
  const log = talked()
  log.append('tool/result', resultOf('a'), placed(4, 4, [4]))
  log.append('user/message', say('sum'), placed(0, 2, [0, 1, 2]))
  assert.deepEqual(standing(log), [6, 3, 5])
  log.append('user/message', say('all'), placed(6, 5, [3, 5, 6]))
  assert.deepEqual(standing(log), [7])
  assert.throws(force(log, 'user/message', say('again'), placed(0, 2, [0, 1, 2])), TypeError)
})

test('an event is frozen to its last leaf, whatever was frozen before', () => {
  const log = newLog()
  const shallow = Object.freeze({ inner: { list: [{ deep: 1 }] } })
  const event = log.append('plugin/note', { plugin: 'p', kind: 'k', v: 1, data: shallow })
  const thaw = (value: object, key: string) => () => Object.assign(value, { [key]: 2 })
  assert.throws(thaw(event, 'seq'), TypeError)
  assert.throws(thaw(event.data, 'v'), TypeError)
  assert.throws(thaw(shallow.inner, 'list'), TypeError)
  assert.throws(thaw(shallow.inner.list[0] ?? {}, 'deep'), TypeError)
})

test('an event in memory is what its line says', async () => {
  const sink = new CollectingSink()
  const log = newLog(sink)
  log.append('plugin/note', { plugin: 'p', kind: 'k', v: 1, data: null })
  log.append('user/message', say('a\ud800\u2028'))
  await log.written()
  assert.deepEqual(
    sink.lines.map((line) => JSON.parse(line)),
    log.events,
  )
})

test('appends of one run are one write, and barriers resolve in order, written before heard', async () => {
  const sink = new CollectingSink()
  const log = newLog(sink)
  const order: string[] = []
  using _heard = log.onWritten(({ seq }) => order.push(`heard ${seq}, ${sink.lines.length} on disk`))
  for (let turn = 1; turn <= 3; turn++) log.append('turn/start', { turn })
  await Promise.all([
    log.written(0).then(() => order.push('written 0')),
    log.synced(1).then(() => order.push('synced 1')),
    log.written(2).then(() => order.push('written 2')),
  ])
  assert.deepEqual(sink.calls, [3, 'sync'])
  const heard = [0, 1, 2].map((seq) => `heard ${seq}, 3 on disk`)
  assert.deepEqual(
    order.filter((what) => what.startsWith('heard')),
    heard,
  )
  assert.deepEqual(
    order.filter((what) => !what.startsWith('heard')),
    ['written 0', 'written 2', 'synced 1'],
  )
  await log.synced()
  assert.deepEqual(sink.calls, [3, 'sync'])
  await assert.rejects(log.synced(99), RangeError)
})

test('a failed write poisons the log: who waits hears the failure, and nothing can be appended', async () => {
  let room = 1
  const log = newLog({
    append: async () => {
      await turnOfTheLoop()
      if (room-- <= 0) throw new FailureError({ code: 'LOG_WRITE', message: 'no space left' })
    },
    sync: async () => {},
  })
  const heard: number[] = []
  using _heard = log.onWritten(({ seq }) => heard.push(seq))
  log.append('turn/start', { turn: 1 })
  await log.written()
  log.append('turn/start', { turn: 2 })
  const waiting = [log.written(), log.synced(), log.synced(1)]
  for (const barrier of waiting)
    await assert.rejects(barrier, { failure: { code: 'LOG_WRITE', message: 'no space left' } })
  assert.equal(log.poison?.code, 'LOG_WRITE')
  assert.throws(force(log, 'turn/start', { turn: 3 }), FailureError)
  await assert.rejects(log.written(1), FailureError)
  assert.deepEqual(heard, [0])
  assert.equal(log.events.length, 2)
})

test('a failed sync poisons the log as a failed write does', async () => {
  const refused = new FailureError({ code: 'LOG_WRITE', message: 'EIO' })
  const log = newLog({ append: async () => {}, sync: () => Promise.reject(refused) })
  log.append('turn/start', { turn: 1 })
  await log.written()
  await assert.rejects(log.synced(), FailureError)
  assert.equal(log.poison?.code, 'LOG_WRITE')
})

test('a bug of a sink poisons the log, and still reaches the top of the program as the bug it is', async (t) => {
  const bug = new TypeError('of the sink')
  const thrown: unknown[] = []
  process.setUncaughtExceptionCaptureCallback((error) => thrown.push(error))
  t.after(() => process.setUncaughtExceptionCaptureCallback(null))
  const log = newLog({ append: () => Promise.reject(bug), sync: async () => {} })
  log.append('turn/start', { turn: 1 })
  await assert.rejects(log.written(), { name: 'FailureError', cause: bug })
  await turnOfTheLoop()
  assert.deepEqual(thrown, [bug])
  assert.throws(force(log, 'turn/start', { turn: 2 }), FailureError)
})

test('events appended by a listener while others are being written are written too', async () => {
  const sink = new CollectingSink()
  const log = newLog(sink)
  using _heard = log.onWritten(({ seq }) => {
    if (seq < 5) log.append('turn/start', { turn: seq })
  })
  log.append('turn/start', { turn: 0 })
  await log.written()
  await turnOfTheLoop()
  assert.equal(sink.lines.length, 6)
})
