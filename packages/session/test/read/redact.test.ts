import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  Derivation,
  type EventType,
  fold,
  redactLog,
  type SessionEvent,
  splitLine,
  surface,
  verify,
} from '../../src/index.ts'
import { wholeLog } from '../kit/play.ts'
import { hasher } from '../kit/ports.ts'
import { opened } from '../kit/reading.ts'
import { strictChat } from '../kit/strict-chat.ts'
import { plainHeader, World } from '../kit/world.ts'

const secret = 'hunter-2-"x"\\é'
const shown = '⟦secret:registered:abcdef⟧'
const escaped = (text: string): string => JSON.stringify(text).slice(1, -1)
/** As it is, and in a JSON text of one or two levels. */
const spellings = [escaped(escaped(secret)), escaped(secret), secret]
const hide = (text: string): string => spellings.reduce((safe, each) => safe.replaceAll(each, shown), text)

/** Puts the value somewhere into texts of a value, where `pick` says so. */
function planted(value: unknown, pick: () => number): unknown {
  if (typeof value === 'string')
    return value.length > 3 && pick() === 0 && !isWord(value) ? `${value} ${secret}!` : value
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item: unknown) => planted(item, pick))
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, planted(field, pick)]))
}

/** Words of the format, names and ids: planting there would make another log, or none. */
const isWord = (text: string): boolean => /^[\w/-]{1,64}$/.test(text)

async function read(world: World) {
  await world.log.synced()
  return opened(world.sink.lines)
}

test('whatever text of whatever event holds a value, it is gone: the chain holds, and no other event changes', async () => {
  await fc.assert(
    fc.asyncProperty(wholeLog, fc.infiniteStream(fc.nat({ max: 5 })), async (world, picks) => {
      const pick = (): number => picks.next().value ?? 1
      const log = await read(world)
      const events = log.events.map((event) => ({ ...event, data: planted(event.data, pick) }) as SessionEvent)
      const lines = events.map((event) => JSON.stringify(event))
      const redacted = redactLog({ events, lines }, { hasher, hide, time: 5 })
      for (const line of redacted.lines) for (const each of spellings) assert.ok(!line.includes(escaped(each)), line)
      const again = await opened(redacted.lines)
      assert.deepEqual(again.damage, [])
      assert.deepEqual(again.events, redacted.events)
      assert.deepEqual(redacted.kept, [])
      for (const [seq, line] of lines.entries()) {
        // The first holds the mark.
        if (seq === 0 || redacted.changed.includes(seq)) continue
        assert.equal(splitLine(redacted.lines[seq] ?? '')?.before, splitLine(line)?.before)
      }
      const shape = (of: readonly SessionEvent[]) => [...fold(surface, of).messages].map(({ seq, type }) => [seq, type])
      assert.deepEqual(shape(redacted.events), shape(events))
      assert.deepEqual(strictChat(nextBody(redacted.events, world)), [])
      const { answer } = verify(again, { hasher, blob: world.blob })
      assert.equal(answer, 'redacted')
    }),
    { numRuns: 25 },
  )
})

/** The request that would be sent next, as text. */
function nextBody(events: readonly SessionEvent[], world: World): string {
  const headerSeq = events.findLastIndex(({ type }) => type === 'request/header')
  const last = events[headerSeq]
  if (last?.type !== 'request/header') throw new Error('the log has no header')
  const from = { surface: fold(surface, events), header: last.data, headerSeq, at: events.length - 1, extra: null }
  const derived = new Derivation({ hasher, blob: world.blob, keep: true }).derive(from, events)
  if (!derived.ok) throw new Error(derived.failure.message)
  return Buffer.concat(derived.value.body).toString()
}

test('a redacted log that is cut off before it says so, or forked there, is still redacted, and only where it hides', async () => {
  const world = new World()
  world.start(`say ${secret}`)
  world.append('user/message', { content: [{ type: 'text', text: 'go' }], source: { kind: 'person' } })
  world.send('step')
  const { lines } = redactLog(await read(world), { hasher, hide, time: 5 })
  const cut = await opened(lines.slice(0, -1))
  const found = verify(cut, { hasher, blob: world.blob })
  assert.deepEqual([found.answer, found.proved, found.requests], ['redacted', 0, 1])
  const other = cut.events.map((event) => ({ ...event, data: withoutPlaceholder(event.data) }) as SessionEvent)
  assert.equal(verify({ ...cut, events: other }, { hasher, blob: world.blob }).answer, 'FALSE')
})

const withoutPlaceholder = (data: unknown): unknown => JSON.parse(JSON.stringify(data).replaceAll(shown, 'other'))

test('a log that is redacted twice is the same but for the second mark', async () => {
  const world = new World()
  world.start(`say ${secret}`)
  const once = redactLog(await read(world), { hasher, hide, time: 5 })
  const twice = redactLog(once, { hasher, hide, time: 5 })
  assert.deepEqual(twice.changed, [])
  assert.deepEqual(twice.lines.slice(0, -1), once.lines)
})

test('a value that was streamed in pieces is gone from the pieces, across records too', async () => {
  const world = new World()
  world.start('system')
  const piece = (text: string) => ({ kind: 'text', block: 0, text })
  world.append('assistant/chunks', { request: 'r-1', chunks: [piece('it is hun'), piece('ter-2'), piece('-"x"')] })
  world.append('assistant/chunks', {
    request: 'r-1',
    chunks: [piece('\\é.'), { kind: 'text', block: 1, text: 'other' }],
  })
  const { events } = redactLog(await read(world), { hasher, hide, time: 5 })
  const texts = events.flatMap((event) => (event.type === 'assistant/chunks' ? event.data.chunks : [])) as {
    text: string
  }[]
  assert.deepEqual(
    texts.map(({ text }) => text),
    [`it is ${shown}.`, '', '', '', 'other'],
  )
})

test('keys and free numbers are hidden, and a word of the format stays and is told', async () => {
  const world = new World()
  world.start('system')
  const note = { plugin: 'p', kind: 'k', v: 1, data: { [secret]: 1, code: 12345678, deep: ['12345678'] } }
  world.append('plugin/note', note)
  world.append('permission/mode', { mode: 'workspace-write', by: 'person' })
  const hides = (text: string): string => hide(text).replaceAll('12345678', shown).replaceAll('workspace', shown)
  const { events, kept } = redactLog(await read(world), { hasher, hide: hides, time: 5 })
  const data = (type: EventType): unknown => events.find((event) => event.type === type)?.data
  assert.deepEqual(data('plugin/note'), { ...note, data: { [shown]: 1, code: shown, deep: [shown] } })
  assert.deepEqual(data('permission/mode'), { mode: 'workspace-write', by: 'person' })
  assert.deepEqual(kept, [4])
})

test('a note that grows beyond its limit is emptied, and the log stays one', async () => {
  const world = new World()
  world.start('system')
  world.append('plugin/note', { plugin: 'p', kind: 'k', v: 1, data: 'abcd'.repeat(15_000) })
  const hides = (text: string): string => text.replaceAll('abcd', shown)
  const { lines } = redactLog(await read(world), { hasher, hide: hides, time: 5 })
  const again = await opened(lines)
  assert.deepEqual(again.damage, [])
  assert.deepEqual(again.events[3]?.data, { plugin: 'p', kind: 'k', v: 1, data: null })
})

test('a value nested deeper than is rebuilt goes with what it stands in', async () => {
  const world = new World()
  world.start('system')
  const deep = (inner: string) => JSON.parse(`${'['.repeat(800)}${JSON.stringify(inner)}${']'.repeat(800)}`)
  world.append('plugin/note', { plugin: 'p', kind: 'k', v: 1, data: deep(secret) })
  world.append('plugin/note', { plugin: 'p', kind: 'k', v: 1, data: deep('other') })
  world.append('request/header', plainHeader)
  const { lines, changed } = redactLog(await read(world), { hasher, hide, time: 5 })
  assert.ok(!lines.join('\n').includes(escaped(secret)))
  assert.deepEqual(changed, [3])
})
