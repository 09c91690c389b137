import assert from 'node:assert/strict'
import { test } from 'node:test'
import { textOf, value } from '../../src/contract/expect.ts'
import {
  createSession,
  due,
  FailureError,
  forkSession,
  inbox,
  MemoryStore,
  resumeSession,
  type Store,
} from '../../src/index.ts'
import { countingPorts, hasher } from '../kit/ports.ts'

/** Counts how often the log of a lease is read. */
class CountingStore extends MemoryStore {
  passes = 0

  override async acquire(...asked: Parameters<MemoryStore['acquire']>): ReturnType<MemoryStore['acquire']> {
    const lease = await super.acquire(...asked)
    if (!lease.ok) return lease
    const bytes = lease.value.bytes.bind(lease.value)
    lease.value.bytes = () => {
      this.passes++
      return bytes()
    }
    return lease
  }
}

/** A session with some notes, closed; its lines, and what to go on with. */
async function written() {
  const ports = countingPorts()
  const store = new CountingStore({ hasher, now: ports.now })
  const options = { store, ports, holder: { host: 'h', pid: 1, started: '1' }, rein: '0.1.0' }
  const session = value(await createSession(options, '/w'))
  for (let number = 0; number < 5; number++)
    session.log.append('plugin/note', { plugin: 'p', kind: 'k', v: 1, data: `${number} ✓` })
  await session.close()
  const text = await textOf(value(await store.read(session.id)))
  return { id: session.id, store, options, lines: text.trimEnd().split('\n') }
}

const linesOf = async (store: Store, id: string): Promise<readonly string[]> =>
  (await textOf(value(await store.read(id)))).trimEnd().split('\n')

test('a sound log is read once to be resumed, and stays as it is', async () => {
  const { id, store, options, lines } = await written()
  const session = value(await resumeSession(options, id))
  assert.deepEqual([store.passes, session.damage], [1, []])
  assert.deepEqual((await linesOf(store, id)).slice(0, lines.length), lines)
  await session.close()
})

test('a damaged log is resumed from its mended lines, with the loss declared and the damaged line kept aside', async () => {
  const { id, store, options, lines } = await written()
  store.load(id, new TextEncoder().encode(`${lines.with(3, 'rubbish').join('\n')}\n`))
  const session = value(await resumeSession(options, id))
  assert.deepEqual([store.passes, session.damage.length], [2, 1])
  const mended = await linesOf(store, id)
  assert.deepEqual([mended[2], mended[4]], [lines[2], lines[4]])
  const declared = session.log.events[3]
  assert.ok(declared?.type === 'session/damage' && declared.data.aside !== undefined)
  assert.equal(JSON.parse(mended[3] ?? '').hash, declared.hash)
  const kept: string[] = []
  for await (const { name, bytes } of store.beside(id, 'aside'))
    kept.push(`${name}: ${new TextDecoder().decode(bytes)}`)
  assert.deepEqual(kept, [`${declared.data.aside}: rubbish\n`])
  await session.close()
  const again = value(await resumeSession(options, id))
  assert.deepEqual([again.damage, store.passes], [[], 3])
  await again.close()
})

test('an emptied log is never called whole: the loss is declared, in the directory it is resumed from', async () => {
  const { id, store, options } = await written()
  store.load(id, new Uint8Array())
  const session = value(await resumeSession(options, id, '/here'))
  assert.deepEqual(session.damage, [{ reason: 'torn', line: 1, offset: 0, bytes: 0, events: 0 }])
  const [start, declared] = session.log.events
  assert.equal(start?.type === 'session/start' && start.data.cwd, '/here')
  assert.equal(declared?.type, 'session/damage')
  await session.close()
})

test('a fork begins with the very lines of its parent', async () => {
  const { id, store, options, lines } = await written()
  const forked = value(await forkSession(options, { id, at: 3 }))
  assert.deepEqual((await linesOf(store, forked.id)).slice(0, 4), lines.slice(0, 4))
  await forked.close()
})

test('a task whose claim is lost is withdrawn when the session is resumed, and handed over to be told', async () => {
  const ports = countingPorts()
  const store = new MemoryStore({ hasher, now: ports.now })
  const options = { store, ports, holder: { host: 'h', pid: 1, started: '1' }, rein: '0.1.0' }
  const session = value(await createSession(options, '/w'))
  const { log, id } = session
  const content = [{ type: 'text', text: 'delete it' }] as const
  const item = { id: 'i', delivery: 'followup', content, source: { kind: 'person' } } as const
  log.append('inbox/spliced', { lane: 'next-turn', start: 0, remove: [], insert: [item], reason: 'posted' })
  log.append('turn/start', { turn: 1 })
  const claim = log.append('user/message', { content, source: item.source, item: 'i' }).seq
  log.append('turn/end', { turn: 1, outcome: 'completed' })
  assert.deepEqual(session.withdrawn, [])
  await session.close()
  store.load(id, new TextEncoder().encode(`${(await linesOf(store, id)).with(claim, 'rubbish').join('\n')}\n`))
  const resumed = value(await resumeSession(options, id))
  assert.deepEqual(resumed.withdrawn, [item])
  assert.equal(due(resumed.log.state(inbox)), false)
  await resumed.close()
  const again = value(await resumeSession(options, id))
  assert.deepEqual([again.withdrawn, again.log.state(inbox).nextTurn], [[], []])
  await again.close()
})

/** The written session in a store in which every lease is lost at its first sync or publish. */
async function takenOver() {
  const { store, options, id } = await written()
  let released = 0
  const failing = async (made: ReturnType<MemoryStore['acquire']>) => {
    const lease = await made
    if (!lease.ok) return lease
    const release = lease.value.release.bind(lease.value)
    const taken = () => Promise.reject(new FailureError({ code: 'SESSION_TAKEN', message: 'taken over' }))
    lease.value.sync = taken
    lease.value.publish = taken
    lease.value.release = () => {
      released++
      return release()
    }
    return lease
  }
  const [acquire, create] = [store.acquire.bind(store), store.create.bind(store)]
  store.acquire = (...asked) => failing(acquire(...asked))
  store.create = (...asked) => failing(create(...asked))
  return { id, options, released: () => released }
}

test('a session that is taken over while it is opened is a failure, not an exception, and its lease goes back', async () => {
  const { id, options, released } = await takenOver()
  assert.partialDeepStrictEqual(await resumeSession(options, id), { ok: false, failure: { code: 'SESSION_TAKEN' } })
  assert.equal(released(), 1)
  assert.partialDeepStrictEqual(await forkSession(options, { id }), { ok: false, failure: { code: 'SESSION_TAKEN' } })
  assert.equal(released(), 2)
})

test('closing a session that was taken over says so and gives its lease back', async () => {
  const { options, released } = await takenOver()
  const session = value(await createSession(options, '/w'))
  await assert.rejects(session.close(), { failure: { code: 'SESSION_TAKEN', message: 'taken over' } })
  assert.equal(released(), 1)
})
