import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  ApprovalQueue,
  type ApprovalRequest,
  type Approvals,
  askSafely,
  neverApproves,
  withinTime,
} from '../../src/ask/approval.ts'

const request = (id = 'a1', signal = new AbortController().signal): ApprovalRequest => ({
  id,
  call: 'c1',
  what: 'Run make?',
  signal,
})

const yes: Approvals = { ask: async () => ({ decision: 'allowed-once', by: 'dialog' }) }
const throws: Approvals = { ask: () => Promise.reject(new Error('the dialog broke')) }
const silent: Approvals = { ask: () => new Promise(() => undefined) }

test('with nobody there every question is answered no at once', async () => {
  assert.deepEqual(await neverApproves.ask(request()), { decision: 'denied', by: 'headless' })
})

test('an answerer that throws is no answer, and its error is kept in the words', async () => {
  const decision = await askSafely(throws, request())
  assert.deepEqual(decision, { decision: 'unanswered', by: 'error', words: 'the dialog broke' })
  const broken: Approvals = {
    ask() {
      throw new TypeError('at once')
    },
  }
  assert.equal((await askSafely(broken, request())).decision, 'unanswered')
})

test('a cancelled turn ends the question, also when the answerer never returns', async () => {
  const turn = new AbortController()
  const asked = askSafely(silent, request('a1', turn.signal))
  turn.abort()
  assert.deepEqual(await asked, { decision: 'unanswered', by: 'cancelled' })
  assert.deepEqual(await askSafely(yes, request('a2', turn.signal)), { decision: 'unanswered', by: 'cancelled' })
})

test('no answer in time is a no, and the question is taken away', async () => {
  const screen = new ApprovalQueue()
  const ring = Promise.withResolvers<void>()
  const asked = withinTime(screen, 60_000, () => ring.promise).ask(request())
  assert.equal(screen.pending().length, 1)
  ring.resolve()
  assert.deepEqual(await asked, { decision: 'unanswered', by: 'timeout' })
  assert.deepEqual(screen.pending(), [])
})

test('an answer in time calls the wait off', async () => {
  const waits: AbortSignal[] = []
  const decision = await withinTime(yes, 60_000, (_, signal) => {
    waits.push(signal)
    return new Promise(() => undefined)
  }).ask(request())
  assert.equal(decision.decision, 'allowed-once')
  assert.deepEqual(
    waits.map((signal) => signal.aborted),
    [true],
  )
})

test('the ordinary wait ends with the answer too, so that nothing keeps the program alive', async () => {
  assert.equal((await withinTime(yes, 60_000).ask(request())).decision, 'allowed-once')
  assert.equal((await withinTime(silent, 1).ask(request())).by, 'timeout')
})

test('a queued question is answered once, by its id', async () => {
  const queue = new ApprovalQueue()
  let changes = 0
  const listening = queue.onChange(() => changes++)
  const first = queue.ask(request('a1'))
  const second = queue.ask(request('a2'))
  assert.deepEqual(
    queue.pending().map(({ id }) => id),
    ['a1', 'a2'],
  )
  assert.equal(queue.answer('a2', { decision: 'denied', by: 'screen', words: 'use npm' }), true)
  assert.equal(queue.answer('a2', { decision: 'allowed-once', by: 'screen' }), false)
  assert.equal(queue.answer('a9', { decision: 'allowed-once', by: 'screen' }), false)
  assert.deepEqual(await second, { decision: 'denied', by: 'screen', words: 'use npm' })
  assert.equal(changes, 3)
  listening[Symbol.dispose]()
  queue.answer('a1', { decision: 'allowed-once', by: 'screen' })
  assert.equal((await first).decision, 'allowed-once')
  assert.equal(changes, 3)
})

test('a queued question is withdrawn when its turn is cancelled', async () => {
  const queue = new ApprovalQueue()
  const turn = new AbortController()
  const asked = queue.ask(request('a1', turn.signal))
  turn.abort()
  assert.deepEqual(await asked, { decision: 'unanswered', by: 'cancelled' })
  assert.equal(queue.answer('a1', { decision: 'allowed-once', by: 'late' }), false)
})
