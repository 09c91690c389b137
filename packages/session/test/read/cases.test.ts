import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Derivation, fold, type ReadLog, repair, surface, verify } from '../../src/index.ts'
import { caseLog } from '../kit/cases.ts'
import { hasher } from '../kit/ports.ts'
import { continued, type LinedLog, opened } from '../kit/reading.ts'
import { strictChat } from '../kit/strict-chat.ts'
import { plainHeader } from '../kit/world.ts'

const blob = (): Uint8Array => Uint8Array.of(1, 2, 3)

function derived(log: ReadLog) {
  const from = {
    surface: fold(surface, log.events),
    header: plainHeader,
    headerSeq: 0,
    at: log.events.length - 1,
    extra: null,
  }
  const made = new Derivation({ hasher, blob, keep: true }).derive(from, log.events)
  assert.ok(made.ok)
  const body = Buffer.concat(made.value.body).toString()
  assert.deepEqual(strictChat(body), [])
  return { body, repairs: made.value.repairs.map(({ rule }) => rule), messages: JSON.parse(body).messages }
}

/** Goes on with a log, closes it, opens it again, and does all of it twice. */
async function survivesTwice(log: LinedLog): Promise<void> {
  let now = log
  for (const text of ['again', 'and again']) {
    const { log: next, sink } = continued(now)
    const { seq } = next.append('user/message', { content: [{ type: 'text', text }], source: { kind: 'person' } })
    await next.synced()
    now = await opened(sink.lines)
    assert.deepEqual(now.damage, [])
    assert.ok(JSON.stringify(now.events[seq]).includes(text))
    assert.deepEqual(now.lines.slice(0, log.lines.length), log.lines)
  }
}

const kept = (log: ReadLog): readonly number[] =>
  log.events.filter(({ type }) => type !== 'session/damage').map(({ seq }) => seq)

for (const name of ['torn-tail', 'torn-utf8']) {
  test(`${name}: the seven whole events load, the fragment is reported and kept aside, and what is appended survives`, async () => {
    const log = await opened(caseLog(name))
    assert.deepEqual(kept(log), [0, 1, 2, 3, 4, 5, 6])
    assert.deepEqual(
      log.damage.map(({ reason, events }) => [reason, events]),
      [['torn', 0]],
    )
    assert.equal(log.aside.length, 1)
    assert.equal(log.openEnd, true)
    await survivesTwice(log)
  })
}

test('no-final-newline: the last record is whole, nothing is damage, and what is appended survives', async () => {
  const log = await opened(caseLog('no-final-newline'))
  assert.deepEqual(kept(log), [0, 1, 2, 3, 4, 5, 6])
  assert.deepEqual([log.damage, log.openEnd], [[], false])
  await survivesTwice(log)
})

test('nul-run: everything around it loads, the run is reported with its length, and the model sees what came later', async () => {
  const bytes = caseLog('nul-run')
  const log = await opened(bytes)
  const nulAt = bytes.lastIndexOf(10, bytes.indexOf(0)) + 1
  assert.deepEqual(kept(log), [0, 1, 2, 3, 4, 5, 6])
  assert.deepEqual(log.damage, [{ reason: 'nul', line: 6, offset: nulAt, bytes: 257, events: 0 }])
  assert.ok(derived(log).body.includes('One file: x.txt'))
  await survivesTwice(log)
})

test('dup-seq: the log opens on one branch, the other is reported once and kept aside readable', async () => {
  const log = await opened(caseLog('dup-seq'))
  assert.deepEqual(kept(log), [0, 1, 2, 3, 4, 5, 6])
  assert.ok(log.damage.every(({ reason, events }) => reason === 'bad-seq' && events === 0))
  const declared = log.events.flatMap((event) => (event.type === 'session/damage' ? [event.data.lines] : []))
  assert.deepEqual(declared, [3])
  assert.ok(Buffer.concat(log.aside).includes('from the other process'))
  assert.equal(verify(log, { hasher, blob }).answer, 'FALSE')
  await survivesTwice(log)
})

test('dangling: the model gets the real result, one unknown and one not started, all paired', async () => {
  const log = await opened(caseLog('dangling'))
  const { log: next } = continued(log)
  for (const { type, data } of repair(next.events)) next.append(type, data)
  const outcomes = next.events.flatMap((event) =>
    event.type === 'tool/result' ? [[event.data.call, event.data.outcome.kind]] : [],
  )
  assert.deepEqual(outcomes, [
    ['a', 'done'],
    ['b', 'unknown'],
    ['c', 'not-started'],
  ])
  const { messages, repairs } = derived({ ...log, events: next.events })
  assert.deepEqual(messages.filter(({ role }: { role: string }) => role === 'tool').length, 3)
  assert.deepEqual(
    repairs.filter((rule) => rule !== 'blank-text'),
    [],
  )
})

test('orphan-result: the orphan stays in the log, is left out of the request, and is reported once', async () => {
  const log = await opened(caseLog('orphan-result'))
  const { messages, repairs } = derived(log)
  assert.deepEqual(repairs, ['orphan-result'])
  assert.ok(messages.every(({ role }: { role: string }) => role !== 'tool'))
  assert.ok(log.lines.join('').includes('needs approval'))
})

test('dup-call-id: ids are unique, results stay with their calls, and every derivation gives the same bytes', async () => {
  const log = await opened(caseLog('dup-call-id'))
  const { body, messages } = derived(log)
  assert.equal(body, derived(log).body)
  const ids = messages.flatMap(({ tool_calls: calls = [] }: { tool_calls?: { id: string }[] }) =>
    calls.map(({ id }) => id),
  )
  const answers = messages.filter(({ role }: { role: string }) => role === 'tool')
  assert.equal(new Set(ids).size, 2)
  assert.deepEqual(
    answers.map((message: { tool_call_id: string; content: string }) => [message.tool_call_id, message.content]),
    [
      [ids[0], '1'],
      [ids[1], '2'],
    ],
  )
})

test('empty-blocks: no blank text is sent, and an empty result becomes a short fixed phrase', async () => {
  const { body } = derived(await opened(caseLog('empty-blocks')))
  assert.ok(body.includes('(no output)'))
  assert.ok(!body.includes('\\n\\t'))
})

test('oversize-image: no picture over a limit is sent, and the question beside it is', async () => {
  const { body } = derived(await opened(caseLog('oversize-image')))
  assert.ok(!body.includes('data:image'))
  assert.ok(body.includes('what is this'))
})
