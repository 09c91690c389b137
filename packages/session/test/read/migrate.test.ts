import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  type Formats,
  fold,
  MemoryStore,
  type Migration,
  mend,
  type OldEvent,
  readLog,
  type SessionEvent,
  surface,
  verify,
} from '../../src/index.ts'
import { chained } from '../../src/migrate.ts'
import { wholeLog } from '../kit/play.ts'
import { hasher } from '../kit/ports.ts'
import { inBlocks } from '../kit/reading.ts'
import { bytesOf } from '../kit/sinks.ts'

// Two formats that exist here only. What today's code reads is format 3. In format 2 a person's name for a session was
// a `session/name`, and in format 1 that was `named` in upper case besides; notes of the plugin `old` are gone since 3.

const fields = (data: object): Record<string, unknown> => ({ ...data })

const to2: Migration = {
  from: 1,
  to: 2,
  event: (old) => (old.type === 'session/named' ? { ...old, type: 'session/name' } : old),
}
const to3: Migration = {
  from: 2,
  to: 3,
  event(old) {
    if (old.type === 'session/name') return { ...old, type: 'session/title', data: { ...old.data, by: 'person' } }
    return old.type === 'plugin/note' && fields(old.data)['plugin'] === 'old' ? undefined : old
  },
}
const formats: Formats = { newest: 3, migrations: [to3, to2] }

/** A log of today as format 1 or 2 would have written it, under a whole chain. */
function older(events: readonly SessionEvent[], format: 1 | 2): string[] {
  const name = format === 1 ? 'session/named' : 'session/name'
  const old = events.map((event): OldEvent => {
    if (event.type === 'session/start') return { ...event, data: { ...event.data, format } }
    if (event.type === 'session/title') return { ...event, type: name, data: { title: event.data.title } }
    return event.type === 'plugin/note' ? { ...event, data: { ...event.data, plugin: 'old' } } : event
  })
  return [...chained(old as readonly object[] as readonly SessionEvent[], hasher).lines]
}

async function read(lines: readonly string[] | Uint8Array, as: Formats = formats) {
  const bytes = lines instanceof Uint8Array ? lines : bytesOf(lines)
  const found = await readLog(inBlocks(bytes), { hasher, formats: as })
  assert.ok(found.ok, found.ok ? '' : found.failure.message)
  return found.value
}

const holder = { host: 'h', pid: 1, started: '1' }

/** A session of the memory store whose log holds these bytes, and its lease. */
async function held(lines: readonly string[]) {
  const store = new MemoryStore({ now: () => 7, hasher })
  const made = await store.create('s-1', { cwd: '/w', holder })
  assert.ok(made.ok)
  await made.value.append(0, lines)
  await made.value.release()
  const lease = await store.acquire('s-1', { holder })
  assert.ok(lease.ok)
  return { store, lease: lease.value }
}

async function stored(store: MemoryStore): Promise<Uint8Array> {
  const bytes = await store.read('s-1')
  assert.ok(bytes.ok)
  const parts: Uint8Array[] = []
  for await (const part of bytes.value) parts.push(part.slice())
  return Buffer.concat(parts)
}

test('a log of an older format is read as the newest: same places, same surface, every request proved', async () => {
  await fc.assert(
    fc.asyncProperty(wholeLog, fc.constantFrom<1 | 2>(1, 2), async (world, format) => {
      const log = await read(older(world.log.events, format))
      assert.deepEqual([log.damage, log.format], [[], format])
      assert.equal(log.events.length, world.log.events.length)
      for (const [seq, event] of log.events.entries()) {
        const was = world.log.events[seq]
        const husk = was?.type === 'plugin/note'
        assert.equal(event.type, husk ? 'was/plugin/note' : was?.type)
        assert.deepEqual(event.data, expected(was))
      }
      const texts = (events: readonly SessionEvent[]) => [...fold(surface, events).messages].map(({ data }) => data)
      assert.deepEqual(texts(log.events), texts(world.log.events))
      const found = verify(log, { hasher, blob: world.blob })
      assert.deepEqual([found.answer, found.proved], ['clean', found.requests])
    }),
    { numRuns: 25 },
  )
})

function expected(was: SessionEvent | undefined): unknown {
  if (was?.type === 'session/start') return { ...was.data, format: 3 }
  if (was?.type === 'session/title') return { title: was.data.title, by: 'person' }
  return was?.type === 'plugin/note' ? {} : was?.data
}

test('a writer publishes an older log in the newest format, keeps the old one whole, and does so once', async () => {
  await fc.assert(
    fc.asyncProperty(wholeLog, fc.constantFrom<1 | 2>(1, 2), async (world, format) => {
      const lines = older(world.log.events, format)
      const { store, lease } = await held(lines)
      const mended = await mend(lease, { hasher, formats, now: () => 9 })
      assert.ok(mended.ok)
      assert.deepEqual([mended.value.aside?.whole, mended.value.aside?.bytes], [true, bytesOf(lines).length])
      const log = await read(await stored(store))
      assert.deepEqual(log.events, mended.value.events)
      const oldHead = lines.at(-1)?.slice(-66, -2)
      assert.deepEqual(log.events.at(-1)?.data, { from: format, to: 3, oldHead })
      assert.deepEqual([log.damage, log.format], [[], 3])
      const found = verify(log, { hasher, blob: world.blob })
      assert.deepEqual([found.answer, found.proved], ['clean', found.requests])
      await lease.release()
      const next = await store.acquire('s-1', { holder })
      assert.ok(next.ok)
      const again = await mend(next.value, { hasher, formats, now: () => 9 })
      assert.ok(again.ok && again.value.aside === undefined)
    }),
    { numRuns: 15 },
  )
})

test('a damaged log of an older format is declared and migrated at once', async () => {
  await fc.assert(
    fc.asyncProperty(wholeLog, fc.nat(), async (world, where) => {
      const lines = older(world.log.events, 1)
      const at = 1 + (where % (lines.length - 2))
      const { store, lease } = await held(lines.with(at, '{"seq":rubbish'))
      const mended = await mend(lease, { hasher, formats, now: () => 9 })
      assert.ok(mended.ok)
      const log = await read(await stored(store))
      assert.deepEqual([log.damage, log.format, log.events[at]?.type], [[], 3, 'session/damage'])
      assert.equal(verify(log, { hasher, blob: world.blob }).answer, 'declared damage')
      await lease.release()
    }),
    { numRuns: 15 },
  )
})

test('a log of a newer format is refused with the version it needs, and not a byte of it is touched', async () => {
  const start = { format: 4, id: 's-1', cwd: '/w', rein: '9.9.9' }
  const event = { seq: 0, time: 1, type: 'session/start', data: start, hash: '' } as const
  const { lines } = chained([event], hasher)
  const { store, lease } = await held(lines)
  const mended = await mend(lease, { hasher, formats, now: () => 9 })
  assert.ok(!mended.ok)
  assert.equal(mended.failure.code, 'FORMAT_TOO_NEW')
  assert.match(mended.failure.next ?? '', /9\.9\.9/)
  await lease.release()
  assert.deepEqual(Buffer.from(await stored(store)), Buffer.from(bytesOf(lines)))
})
