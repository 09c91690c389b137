import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SessionEvent } from '@rein/session'
import fc from 'fast-check'
import { scriptedProvider } from '../../src/model/scripted.ts'
import { given, givenIn, handed, uncompared, uncomparedAlways } from '../../src/replay/declared.ts'
import { calls, type StageOptions, stage, testTool } from '../agent/kit.ts'
import { replayed, same } from './kit.ts'
import { lived, wild, wildOptions } from './random.ts'

type Path = readonly (string | number)[]

/** Every scalar of a value, by where it stands. */
function leaves(value: unknown, path: Path = []): readonly Path[] {
  if (typeof value !== 'object' || value === null) return [path]
  return Object.entries(value).flatMap(([key, item]) =>
    leaves(item, [...path, Array.isArray(value) ? Number(key) : key]),
  )
}

function mutated(value: unknown, [key, ...rest]: Path): unknown {
  if (key === undefined)
    return typeof value === 'number' ? value + 1 : typeof value === 'boolean' ? !value : `${value}~`
  if (Array.isArray(value)) return value.map((item, at) => (at === key ? mutated(item, rest) : item))
  return Object.fromEntries(
    Object.entries(value as object).map(([k, item]) => [k, k === key ? mutated(item, rest) : item]),
  )
}

/** What is taken from the recording by design: facts from outside, and what model, tool and person said. */
function isTaken(events: readonly SessionEvent[], seq: number, [field]: Path): boolean {
  const event = events[seq]
  if (!event || givenIn(events)[seq] || given[event.type] !== undefined) return true
  const declared = [uncompared[event.type] ?? {}, handed[event.type] ?? {}]
  if (declared.some((fields) => Object.hasOwn(fields, String(field)))) return true
  // A call that ran: its result is the tool's.
  return event.type === 'tool/result' && events.some((e) => e.type === 'tool/call' && e.data.call === event.data.call)
}

const options = (): StageOptions => ({
  provider: scriptedProvider({
    name: 'scripted',
    script: [calls('look', 'look'), { text: 'well' }, { text: 'bye' }],
    facts: { contextWindow: 1000, parameters: { seed: 1 } },
  }),
  tools: [testTool('look', { parallel: true })],
})

test('no field of a recording can be another one unseen, unless it is declared', async () => {
  const live = await stage(options())
  await live.say('go')
  await live.say('on')
  await live.close()
  const { events } = live
  const compared = new Set(['seq', 'type', 'data', 'surface', 'sources', 'ignorable', ...Object.keys(uncomparedAlways)])
  for (const event of events) for (const field of Object.keys(event)) assert.ok(compared.has(field), field)
  await same(events, options())
  let tried = 0
  for (const [seq, event] of events.entries())
    for (const path of leaves(event.data)) {
      if (isTaken(events, seq, path)) continue
      const data = mutated(event.data, path)
      const { parting } = await replayed(events.with(seq, { ...event, data } as SessionEvent), options())
      assert.ok(parting, `${event.type} ${seq}: ${path.join('.')} is another one and nothing is said`)
      assert.ok(parting.seq <= seq, `${event.type} ${seq}: ${path.join('.')} is told at ${parting.seq}`)
      tried++
    }
  assert.ok(tried > 60, `${tried} fields`)
})

test('an event that is missing or stands twice is told there', async () => {
  const live = await stage(options())
  await live.say('go')
  await live.close()
  const numbered = (events: readonly SessionEvent[]) => events.map((event, seq): SessionEvent => ({ ...event, seq }))
  for (const [seq, { type }] of live.events.entries()) {
    if (given[type] !== undefined || type === 'inbox/spliced' || seq === live.events.length - 1) continue
    const missing = await replayed(numbered(live.events.toSpliced(seq, 1)), options())
    assert.ok(missing.parting && missing.parting.seq <= seq + 1, `${type} ${seq} is missing`)
    const twice = await replayed(numbered(live.events.toSpliced(seq, 0, ...live.events.slice(seq, seq + 1))), options())
    assert.ok(twice.parting && twice.parting.seq <= seq + 1, `${type} ${seq} stands twice`)
  }
})

test('whatever happens in a session, it replays as it was', async () => {
  await fc.assert(
    fc.asyncProperty(wild, async (session) => {
      const events = await lived(session, wildOptions(session))
      const played = await same(events, wildOptions(session))
      assert.equal(played.same + played.given, events.length)
    }),
    { numRuns: Number(process.env['RUNS'] ?? 20) },
  )
})

test('a random field of a random session that is another one is told at its event or before', async () => {
  await fc.assert(
    fc.asyncProperty(wild, fc.nat(), fc.nat(), async (session, where, which) => {
      const events = await lived(session, wildOptions(session))
      const seq = where % events.length
      const event = events[seq]
      const paths = leaves(event?.data)
      const path = paths[which % paths.length]
      if (!event || !path || isTaken(events, seq, path)) return
      const data = mutated(event.data, path)
      const { parting } = await replayed(events.with(seq, { ...event, data } as SessionEvent), wildOptions(session))
      assert.ok(parting && parting.seq <= seq, `${event.type} ${seq}: ${path.join('.')} told at ${parting?.seq}`)
    }),
    { numRuns: Number(process.env['RUNS'] ?? 10) },
  )
})

test('what is not compared is this and nothing else', () => {
  const fields = Object.entries(uncompared).map(([type, of]) => [type, Object.keys(of)])
  assert.deepEqual(fields, [
    ['request/settled', ['timing', 'usage', 'finish', 'error', 'cost']],
    ['approval/decided', ['decision', 'by', 'words']],
    ['tool/result', ['durationMs']],
  ])
})
