import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { check, fold, fork, idOf, inbox, owed, permission, repair, surface, verify } from '../../src/index.ts'
import { wholeLog } from '../kit/play.ts'
import { hasher } from '../kit/ports.ts'
import { continued, opened } from '../kit/reading.ts'

test('a fork at any event shares every byte of its parent, stands alone, and is clean', async () => {
  await fc.assert(
    fc.asyncProperty(wholeLog, fc.nat(), async (world, where) => {
      await world.log.written()
      world.append('permission/grant', { id: 'g', rule: 'bash(ls)', scope: 'session', by: 'person' })
      world.append('permission/grant', { id: 'h', rule: 'bash(ls)', scope: 'project', by: 'person' })
      await world.log.written()
      const at = where % world.log.events.length
      const parent = await opened(world.sink.lines)
      const forked = fork(parent, { id: 'child-1', at })
      assert.ok(forked.ok)
      const { log, sink } = continued({ ...parent, events: forked.value.events, lines: forked.value.lines })
      log.append('session/fork', forked.value.mark)
      for (const { type, data } of repair(log.events)) log.append(type, data)
      await log.synced()

      assert.deepEqual(sink.lines.slice(0, at + 1), world.sink.lines.slice(0, at + 1))
      const read = await opened(sink.lines)
      const found = verify(read, { hasher, blob: world.blob })
      assert.equal(found.answer, 'clean', found.problems.join('\n'))
      assert.deepEqual(check(read.events), [])
      assert.equal(idOf(read.events), 'child-1')
      const { nextTurn, nextStep } = fold(inbox, read.events)
      assert.deepEqual([nextTurn, nextStep], [[], []])
      assert.ok(fold(permission, read.events).grants.every(({ scope }) => scope !== 'session'))
      const { calls, jobs, agents, requests } = fold(owed, read.events)
      assert.deepEqual([calls, jobs, agents, requests], [[], [], [], []])
      const before = [...fold(surface, world.log.events, at + 1).messages]
      assert.deepEqual(
        [...fold(surface, read.events).messages].slice(0, before.length),
        JSON.parse(JSON.stringify(before)),
      )
    }),
    { numRuns: 30 },
  )
})

test('a fork at an event that is not there is refused, and says what is', async () => {
  const read = await opened(new Uint8Array())
  const refused = fork(read, { id: 'x', at: 7 })
  assert.equal(refused.ok ? '' : refused.failure.code, 'USAGE')
})
