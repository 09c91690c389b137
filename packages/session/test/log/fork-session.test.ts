import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import fc from 'fast-check'
import { textOf, value } from '../../src/contract/expect.ts'
import {
  Derivation,
  fold,
  forkSession,
  header,
  inbox,
  isSound,
  MemoryStore,
  owed,
  permission,
  readLog,
  resumeSession,
  type SessionEvent,
  surface,
  turns,
  verify,
} from '../../src/index.ts'
import { wholeLog } from '../kit/play.ts'
import { countingPorts, hasher, sha256 } from '../kit/ports.ts'
import { bytesOf } from '../kit/sinks.ts'

const picture = Uint8Array.of(1, 2, 3)
const golden = readFileSync(new URL('../golden/format-1.jsonl', import.meta.url))
const mended = readFileSync(new URL('../golden/format-1.mended.jsonl', import.meta.url))

/** A store with this log in it as the session `s-1`, and a picture its messages may name. */
async function stored(bytes: Uint8Array) {
  const ports = countingPorts(1_764_900_000_000)
  const store = new MemoryStore({ hasher, now: ports.now })
  store.load('s-1', bytes, '/w')
  await store.blobs('s-1').put(picture)
  const options = {
    store,
    ports: { ...ports, id: () => 'fork-1' },
    holder: { host: 'h', pid: 1, started: '1' },
    rein: '0',
  }
  return { store, options }
}

/** Everything that is promised of a fork at `at`, read back from the store it lies in, its parent trashed. */
async function promised(bytes: Uint8Array, at: number): Promise<void> {
  const { store, options } = await stored(bytes)
  const forked = value(await forkSession(options, { id: 's-1', at }))
  await forked.close()
  assert.equal(await textOf(value(await store.read('s-1'))), Buffer.from(bytes).toString(), 'the parent is untouched')
  value(await store.trash('s-1'))
  const text = await textOf(value(await store.read(forked.id)))
  assert.ok(
    text.startsWith(
      Buffer.from(bytes)
        .toString()
        .split('\n')
        .slice(0, at + 1)
        .join('\n'),
    ),
  )
  const read = value(await readLog(value(await store.read(forked.id)), { hasher }))
  const { events } = read
  const found = verify(read, { hasher, blob: (name) => (name === sha256(picture) ? picture : undefined) })
  assert.ok(
    isSound(found.answer) && found.answer !== 'open tail',
    `${at}: ${found.answer} ${found.problems.join('\n')}`,
  )
  closed(events)
  for (const name of blobsIn(events)) assert.ok(await store.blobs(forked.id).get(name), `blob ${name}`)
}

function closed(events: readonly SessionEvent[]): void {
  const { nextTurn, nextStep } = fold(inbox, events)
  assert.deepEqual([nextTurn, nextStep], [[], []])
  const { callIds: _ids, ...open } = fold(owed, events)
  assert.deepEqual(
    Object.values(open)
      .flat()
      .filter((one) => one !== undefined),
    [],
  )
  assert.partialDeepStrictEqual(fold(turns, events), { turnOpen: false, stepOpen: false })
  assert.ok(fold(permission, events).grants.every(({ scope }) => scope !== 'session'))
  const of = fold(header, events)
  if (!of) return
  const from = { surface: fold(surface, events), header: of.header, headerSeq: of.seq, at: 0, extra: null }
  const made = value(new Derivation({ hasher, blob: () => picture, keep: false }).derive(from, events))
  const broken = made.repairs.filter(({ rule }) => rule === 'missing-result' || rule === 'orphan-result')
  assert.deepEqual(broken, [])
}

const blobsIn = (events: readonly SessionEvent[]): readonly string[] =>
  [...JSON.stringify(events.map(({ data }) => data)).matchAll(/"blob":"([0-9a-f]{64})"/g)].map(([, name]) => name ?? '')

test('a fork at every event of the golden log stands alone, is proved, and owes nothing', async () => {
  const events = golden.toString().trimEnd().split('\n').length
  for (let at = 0; at < events; at++) await promised(golden, at)
})

test('a fork at any event of any session stands alone, is proved, and owes nothing', async () => {
  await fc.assert(
    fc.asyncProperty(wholeLog, fc.nat(), async (world, where) => {
      world.append('permission/grant', { id: 'g', rule: 'bash(ls)', scope: 'session', by: 'person' })
      world.append('job/start', { id: 'j', kind: 'bash', label: 'build' })
      await world.log.written()
      await promised(bytesOf(world.sink.lines), where % world.log.events.length)
    }),
    { numRuns: 25 },
  )
})

test('a log that was mended is forked before, at and behind what it lost', async () => {
  for (const at of [2, 3, 10, 22, 23]) await promised(mended, at)
})

test('a session is forked while its holder writes, who notices nothing', async () => {
  const { store, options } = await stored(golden)
  const ids = ['s-held', 'fork-2']
  const holder = value(
    await resumeSession({ ...options, ports: { ...options.ports, id: () => ids.shift() ?? '' } }, 's-1'),
  )
  holder.log.append('turn/start', { turn: 100 })
  await holder.log.written()
  const forked = value(await forkSession(options, { id: 's-1' }))
  holder.log.append('turn/end', { turn: 100, outcome: 'completed' })
  await holder.close()
  assert.equal(fold(turns, forked.log.events).outcome, 'interrupted')
  assert.equal(fold(turns, holder.log.events).outcome, 'completed')
  await forked.close()
  const last = (await textOf(value(await store.read('s-1')))).trimEnd().split('\n').at(-1)
  assert.match(last ?? '', /"turn\/end"/)
})

test('a fork says what is damaged in the part it takes over, and nothing of what lies behind', async () => {
  const lines = golden.toString().trimEnd().split('\n')
  const bytes = bytesOf([
    ...lines.slice(0, 50),
    'rubbish',
    ...lines.slice(50, 120).with(40, '{"seq":'),
    ...lines.slice(120),
  ])
  for (const [at, lost] of [
    [10, []],
    [60, [51]],
    [90, [51, 92]],
    [150, [51, 92]],
  ] as const) {
    const forked = value(await forkSession((await stored(bytes)).options, { id: 's-1', at }))
    assert.deepEqual(
      forked.damage.map(({ line }) => line),
      lost,
    )
    await forked.close()
  }
})

test('a fork from before its parent was allowed less is allowed no more than its parent now', async () => {
  const { options } = await stored(golden)
  const holder = { ...options.holder, started: '2' }
  const parent = value(await resumeSession({ ...options, holder }, 's-1'))
  const modes = ['workspace-write', 'full-access', 'read-only', 'full-access', 'workspace-write'] as const
  const places = modes.map((mode) => parent.log.append('permission/mode', { mode, by: 'person' }).seq)
  await parent.close()
  const forks = places.map(async (at, index) => {
    const made = value(
      await forkSession({ ...options, ports: { ...options.ports, id: () => `f-${index}` } }, { id: 's-1', at }),
    )
    await made.close()
    return made.log.state(permission).mode
  })
  const narrow = 'workspace-write'
  assert.deepEqual(await Promise.all(forks), [narrow, narrow, 'read-only', narrow, narrow])
})
