import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { check, due, fold, inbox, owed, repair, SessionLog, turns, verify } from '../../src/index.ts'
import { goOn } from '../kit/going-on.ts'
import { wholeLog } from '../kit/play.ts'
import { countingPorts, hasher } from '../kit/ports.ts'
import { opened } from '../kit/reading.ts'
import { StoppingSink } from '../kit/sinks.ts'
import { strictChat } from '../kit/strict-chat.ts'

test('a log cut at any byte opens, says what was lost, and continues', async () => {
  await fc.assert(
    fc.asyncProperty(wholeLog, fc.nat(), async (world, where) => {
      await world.log.written()
      const bytes = world.sink.bytes()
      const kept = bytes.subarray(0, where % (bytes.length + 1))
      const whole = kept.filter((byte) => byte === 10).length
      const tail = kept.length - (kept.lastIndexOf(10) + 1)
      const { read, log, sink, body } = await goOn(world, kept)

      // A record whose line end alone is missing is whole.
      const complete = tail > 0 && tail === Buffer.byteLength(world.sink.lines[whole] ?? '')
      assert.deepEqual(
        read.lines.slice(0, whole + (complete ? 1 : 0)),
        world.sink.lines.slice(0, whole + (complete ? 1 : 0)),
      )
      const lost = tail > 0 && !complete
      assert.deepEqual(
        read.damage.map(({ events, bytes: size }) => [events, size]),
        lost ? [[0, tail]] : [],
      )
      assert.equal(read.openEnd, lost && read.damage[0]?.reason === 'torn')

      assert.deepEqual(check(log.events), [])
      assert.deepEqual([fold(owed, log.events).calls, fold(owed, log.events).requests], [[], []])
      assert.deepEqual(strictChat(body), [])
      const again = await opened(sink.lines)
      assert.deepEqual(again.damage, [])
      const found = verify(again, { hasher, blob: world.blob })
      assert.equal(found.answer, lost ? 'declared damage' : 'clean', found.problems.join('\n'))
      assert.equal(found.proved, found.requests)
    }),
    { numRuns: 60 },
  )
})

test('a log that is being written, or was cut by a crash, is an open tail until somebody goes on with it', async () => {
  await fc.assert(
    fc.asyncProperty(wholeLog, fc.nat(), async (world, where) => {
      await world.log.written()
      const bytes = world.sink.bytes()
      const first = Buffer.byteLength(world.sink.lines[0] ?? '')
      const kept = bytes.subarray(0, first + 8 + (where % (bytes.length - first - 8)))
      const read = await opened(kept)
      if (read.damage.length > 0 && !read.openEnd) return
      const found = verify(read, { hasher, blob: world.blob })
      const open = read.openEnd || fold(turns, read.events).turnOpen
      assert.equal(found.answer, open ? 'open tail' : 'clean', found.problems.join('\n'))
    }),
    { numRuns: 30 },
  )
})

test('a disk that fills up at any byte stops the log with the cause, and what fitted opens again', async () => {
  await fc.assert(
    fc.asyncProperty(wholeLog, fc.nat({ max: 4000 }), async (world, room) => {
      await world.log.written()
      const sink = new StoppingSink(room)
      const log = new SessionLog({ ports: countingPorts(), sink })
      for (const { type, data, surface: op, sources } of world.log.events) {
        if (log.poison) assert.throws(() => log.append(type, data), { failure: log.poison })
        else {
          log.append(type, data, { ...(op && { surface: op }), ...(sources && { sources }) })
          await log.written().catch((error) => assert.equal(error.failure, log.poison))
        }
      }
      const fits = world.sink.bytes().length <= room
      assert.equal(log.poison?.code, fits ? undefined : 'LOG_WRITE')
      assert.deepEqual(sink.bytes(), Buffer.from(world.sink.bytes().subarray(0, room)))
      const { read } = await goOn(world, sink.bytes())
      const whole = sink.bytes().filter((byte) => byte === 10).length
      assert.deepEqual(read.lines.slice(0, whole), world.sink.lines.slice(0, whole))
    }),
    { numRuns: 25 },
  )
})

test('repair tells calls that began from calls that never did, and asks nobody again', async () => {
  await fc.assert(
    fc.asyncProperty(wholeLog, fc.nat(), async (world, where) => {
      const events = world.log.events.slice(0, 1 + (where % world.log.events.length))
      const open = fold(owed, events)
      const drafts = repair(events)
      const results = drafts.flatMap((draft) => (draft.type === 'tool/result' ? [draft.data] : []))
      assert.deepEqual(
        results.map(({ call, outcome }) => [call, outcome.kind]),
        open.calls.map(({ call, started }) => [call.id, started === undefined ? 'not-started' : 'unknown']),
      )
      const decided = drafts.flatMap((draft) => (draft.type === 'approval/decided' ? [draft.data.decision] : []))
      assert.deepEqual(
        decided,
        open.approvals.map(() => 'unanswered'),
      )
    }),
    { numRuns: 30 },
  )
})

for (const outcome of ['cancelled', 'budget', 'error', 'interrupted'] as const)
  test(`input that waited when a turn ended ${outcome} stays parked when the process dies before it can say so`, () => {
    const log = new SessionLog({ ports: countingPorts(), sink: new StoppingSink(Number.POSITIVE_INFINITY) })
    const text = { content: [{ type: 'text', text: 'later' }], source: { kind: 'person' } } as const
    const item = { id: 'i', delivery: 'followup', ...text } as const
    log.append('session/start', { format: 1, id: 's-1', cwd: '/w', rein: '0.1.0' })
    log.append('turn/start', { turn: 1 })
    log.append('inbox/spliced', { lane: 'next-turn', start: 0, remove: [], insert: [item], reason: 'posted' })
    log.append('turn/end', { turn: 1, outcome })
    log.append('session/resume', { epoch: 2, holder: 'h:2', rein: '0.1.0' })
    const drafts = repair(log.events)
    assert.deepEqual(drafts, [{ type: 'inbox/parked', data: { reason: outcome } }])
    for (const { type, data } of drafts) log.append(type, data)
    assert.equal(due(log.state(inbox)), false)
    assert.deepEqual(repair(log.events), [])
  })

test('input stays parked when all that came after the cancelled turn is what happened to the log', () => {
  const log = new SessionLog({ ports: countingPorts(), sink: new StoppingSink(Number.POSITIVE_INFINITY) })
  const text = { content: [{ type: 'text', text: 'later' }], source: { kind: 'person' } } as const
  const item = { id: 'i', delivery: 'followup', ...text } as const
  log.append('session/start', { format: 1, id: 's-1', cwd: '/w', rein: '0.1.0' })
  log.append('turn/start', { turn: 1 })
  log.append('inbox/spliced', { lane: 'next-turn', start: 0, remove: [], insert: [item], reason: 'posted' })
  log.append('turn/end', { turn: 1, outcome: 'cancelled' })
  log.append('session/migrated', { from: 1, to: 1, oldHead: 'f'.repeat(64) })
  log.append('session/resume', { epoch: 2, holder: 'h:2', rein: '0.1.0' })
  assert.deepEqual(repair(log.events), [{ type: 'inbox/parked', data: { reason: 'cancelled' } }])
})

test('input that was posted after the turn ended is due, whatever the turn came to', () => {
  const log = new SessionLog({ ports: countingPorts(), sink: new StoppingSink(Number.POSITIVE_INFINITY) })
  const text = { content: [{ type: 'text', text: 'now' }], source: { kind: 'person' } } as const
  const item = { id: 'i', delivery: 'followup', ...text } as const
  log.append('turn/start', { turn: 1 })
  log.append('turn/end', { turn: 1, outcome: 'cancelled' })
  log.append('inbox/spliced', { lane: 'next-turn', start: 0, remove: [], insert: [item], reason: 'posted' })
  log.append('session/resume', { epoch: 2, holder: 'h:2', rein: '0.1.0' })
  assert.deepEqual(repair(log.events), [])
  assert.equal(due(log.state(inbox)), true)
})

test('a session with nothing open needs no repair', () => {
  fc.assert(
    fc.property(wholeLog, (world) => assert.deepEqual(repair(world.log.events), [])),
    { numRuns: 20 },
  )
})
