import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type DataOf, type EventType, isSound, readLog, type SurfaceOp, verify } from '../../src/index.ts'
import { encodeLine } from '../../src/line.ts'
import { play } from '../kit/play.ts'
import { hasher } from '../kit/ports.ts'
import { inBlocks, opened } from '../kit/reading.ts'
import { bytesOf } from '../kit/sinks.ts'
import type { World } from '../kit/world.ts'

interface Written {
  readonly type: EventType
  readonly data: object
  readonly surface?: SurfaceOp
  readonly sources?: readonly number[]
}

/** A log whose chain is whole, whatever its events say: anyone can compute one. */
function chained(events: readonly Written[]): string[] {
  let previous = ''
  return events.map((event, seq) => {
    const { line, hash } = encodeLine({ seq, time: 1, previous }, event, hasher)
    previous = hash
    return line
  })
}

const turn = () => ({ posts: [], picture: true, steps: [], end: 'answer' as const, text: 'the secret word', sides: [] })
const played = (): World => play([turn(), turn()])

/** The same session with one text replaced wherever it stands. */
const rewritten = (world: World): Written[] =>
  JSON.parse(JSON.stringify(world.log.events).replaceAll('the secret word', '⟦redacted⟧'))

async function answer(lines: readonly string[], world: World): Promise<string> {
  const found = verify(await opened(lines), { hasher, blob: world.blob })
  assert.equal(isSound(found.answer), !['FALSE', 'blob missing', 'cannot rebuild'].includes(found.answer))
  return found.answer
}

test('a message rewritten under a whole chain is FALSE, because the requests that held it differ', async () => {
  const world = played()
  assert.equal(await answer(chained(rewritten(world)), world), 'FALSE')
})

test('contents replaced on purpose are redacted: what came before differs, what comes after is proved', async () => {
  const world = played()
  const mark: Written = { type: 'session/migrated', data: { from: 1, to: 1, oldHead: world.log.head } }
  const events = [...rewritten(world), mark]
  const read = await opened(chained(events))
  const found = verify(read, { hasher, blob: world.blob })
  assert.equal(found.answer, 'redacted')
  assert.equal(found.requests - found.proved, 2)
  assert.equal(found.problems.length, 2)
})

test('a redaction excuses only requests in which a placeholder stands: other words rewritten under it are FALSE', async () => {
  const world = played()
  const mark: Written = { type: 'session/migrated', data: { from: 1, to: 1, oldHead: world.log.head } }
  const plain: Written[] = JSON.parse(JSON.stringify(world.log.events).replaceAll('the secret word', 'another word'))
  assert.equal(await answer(chained([...plain, mark]), world), 'FALSE')
  // In what is no part of a request a placeholder excuses nothing.
  const note: Written = { type: 'plugin/note', data: { plugin: 'p', kind: 'k', v: 1, data: '⟦redacted⟧' } }
  assert.equal(await answer(chained([...plain, note, mark]), world), 'FALSE')
})

test('what is sent after a redaction must be what the log gives', async () => {
  const world = played()
  const at = world.log.events.findIndex(({ type }) => type === 'turn/end') + 1
  const mark: Written = { type: 'session/migrated', data: { from: 1, to: 1, oldHead: '' } }
  const [before, after] = [rewritten(world).slice(0, at), rewritten(world).slice(at)]
  const moved = after.map((event): Written => {
    const { type, data } = event as { type: EventType; data: { at?: number } }
    return type === 'request/sent' ? { ...event, data: { ...data, at: (data.at ?? 0) + 1 } } : event
  })
  assert.equal(await answer(chained([...before, mark, ...moved]), world), 'FALSE')
})

test('an empty log is a beginning, or a loss when somebody wrote to it before', async () => {
  const read = await opened([])
  const blob = () => undefined
  assert.equal(verify(read, { hasher, blob }).answer, 'open tail')
  const lost = verify(read, { hasher, blob, written: true })
  assert.equal(lost.answer, 'FALSE')
  assert.match(lost.problems.join(), /what it held is lost/)
})

test('what decides the answer is the first problem', async () => {
  const world = played()
  const mark: Written = { type: 'session/migrated', data: { from: 1, to: 1, oldHead: '' } }
  const lines = chained([...rewritten(world), mark])
  const found = verify(await opened([...lines, '\0\0', '']), { hasher, blob: world.blob })
  assert.equal(found.answer, 'FALSE')
  assert.match(found.problems[0] ?? '', /: nul, 0 events and 2 bytes lost, at byte \d+, not declared$/)
  assert.match(found.problems[1] ?? '', /held what was redacted/)
  const pictures = verify(await opened(lines), { hasher, blob: () => undefined })
  assert.deepEqual([pictures.answer, /^blob .* is missing$/.test(pictures.problems[0] ?? '')], ['blob missing', true])
})

test('a migration between formats hides no difference', async () => {
  const world = played()
  const mark: Written = { type: 'session/migrated', data: { from: 0, to: 1, oldHead: world.log.head } }
  assert.equal(await answer(chained([...rewritten(world), mark]), world), 'FALSE')
})

test('a broken rule is not excused by damage that is declared after it', async () => {
  const world = played()
  const damage: DataOf<'session/damage'> = { reason: 'torn', events: 0, lines: 1, bytes: 3 }
  const events: Written[] = [...world.log.events, { type: 'session/damage', data: damage }]
  assert.equal(await answer(chained(events), world), 'declared damage')
  const twice = events.toSpliced(
    events.findIndex(({ type }) => type === 'turn/start'),
    1,
  )
  assert.equal(await answer(chained(twice), world), 'FALSE')
})

test('a blob that is gone, and a header that is not there, are told apart', async () => {
  const world = played()
  await world.log.written()
  const read = await opened(world.sink.lines)
  assert.equal(verify(read, { hasher, blob: () => undefined }).answer, 'blob missing')
  const events = world.log.events.map((event): Written => {
    return event.type === 'request/sent' ? { ...event, data: { ...event.data, header: 0 } } : event
  })
  assert.equal(await answer(chained(events), world), 'cannot rebuild')
})

test('a log without its first event is FALSE', async () => {
  const world = played()
  assert.equal(await answer(chained(world.log.events.slice(1)), world), 'FALSE')
})

async function refusal(lines: readonly string[]) {
  const read = await readLog(inBlocks(bytesOf(lines)), { hasher })
  return read.ok ? undefined : read.failure
}
const unknown = (more: object) => ({ type: 'tool/telepathy' as EventType, data: { words: 'none' }, ...more })
const start: Written = { type: 'session/start', data: { format: 1, id: 's', cwd: '/', rein: '7.1.0' } }

test('an unknown event that may not be skipped refuses the log and names the version that is needed', async () => {
  const failure = await refusal(chained([start, unknown({})]))
  assert.equal(failure?.code, 'FORMAT_TOO_NEW')
  assert.ok(failure.next?.includes('7.1.0'))
})

test('a format that is newer refuses the log, even when its first event looks unlike ours', async () => {
  const newer = (data: object) => chained([{ type: 'session/start', data }])
  for (const data of [
    { ...start.data, format: 2 },
    { format: 2, rein: '9.9.9' },
  ]) {
    const failure = await refusal(newer(data))
    assert.equal(failure?.code, 'FORMAT_TOO_NEW')
    assert.ok(failure.next?.includes(data.rein ?? ''))
  }
})

test('an unknown event that may be skipped is kept as it is and changes nothing', async () => {
  const [first = '', plain = ''] = chained([start, unknown({ type: 'toString' })])
  const { before } = { before: plain.slice(0, plain.indexOf(',"hash":"')) }
  const previous = first.slice(-66, -2)
  const hash = hasher().update(`${previous}${before},"ignorable":true`).digest()
  const skippable = `${before},"ignorable":true,"hash":"${hash}"}`
  const read = await opened([first, skippable])
  assert.deepEqual([read.damage, read.lines], [[], [first, skippable]])
  assert.equal(verify(read, { hasher, blob: () => undefined }).answer, 'clean')
})

test('a type whose letters were damaged is damage, not a newer version', async () => {
  const lines = chained([
    start,
    { type: 'turn/start', data: { turn: 1 } },
    { type: 'turn/end', data: { turn: 1, outcome: 'blocked' } },
  ])
  const read = await opened(lines.with(1, lines[1]?.replace('turn/start', 'turn/sta#t') ?? ''))
  assert.deepEqual(
    read.damage.map(({ reason, events }) => [reason, events]),
    [['broken-chain', 1]],
  )
})
