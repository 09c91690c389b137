import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { resumeSession } from '@rein/session'
import fc from 'fast-check'
import { redactSession } from '../../../src/store/export/redact-session.ts'
import type { SessionStore } from '../../../src/store/session-store.ts'
import { bytesOf, done, eventsOf, kept, options, proved } from './kept.ts'
import { at, database, holding, redacting, secret, waiting } from './redacting.ts'

/** Lines of many lengths: some share a page of the database, some take several. */
const lengths = Array.from({ length: 60 }, (_, count) => (count % 7 === 0 ? 9000 : count * 20))

/** A session kept by a database in which the value stands everywhere it can, its lines among those of another. */
async function keptInDatabase(store: SessionStore, sizes: readonly number[] = lengths): Promise<string> {
  const session = await kept(store, secret)
  const other = await kept(store, 'harmless')
  const { id, log, lease } = session
  for (const size of sizes) {
    log.append('plugin/note', { plugin: 'p', kind: 'k', v: 1, data: `${secret} ${'x'.repeat(size)} ${secret}` })
    other.log.append('plugin/note', { plugin: 'p', kind: 'k', v: 1, data: 'y'.repeat(size) })
    await log.synced()
    await other.log.synced()
  }
  const lines = (await bytesOf(done(await store.read(id)))).toString().trimEnd().split('\n')
  await lease.publish(lines, { name: 'damaged-1', bytes: Buffer.from(`torn ${secret}`) })
  await store.blobs(id).put(Buffer.from(`a picture no event names: ${secret}`))
  done(await store.post(id, waiting('i-1', secret)))
  await session.close()
  await other.close()
  return id
}

test(
  'after redact with purge no file of the home holds the value of a session in a database, and the session goes on',
  at(async (scratch) => {
    const store = database(scratch)
    const id = await keptInDatabase(store)
    assert.notDeepEqual(holding(scratch), [])
    const result = done(await redactSession(id, { ...redacting(scratch), store }))
    assert.deepEqual(holding(scratch), [])
    assert.deepEqual(result.files, ['aside/damaged-1', 'post/i-1', 'spill/bash.txt'])
    assert.deepEqual([result.pictures, result.left], [1, []])
    assert.equal((await proved(store, id)).answer, 'redacted')
    const resumed = done(await resumeSession(options(store), id))
    const [item] = await resumed.lease.posted()
    assert.ok(item?.kind === 'input' && JSON.stringify(item.content).includes('⟦secret:registered:'))
    await resumed.close()
  }),
)

test(
  'whatever the lengths of its lines, none of a value is left in the pages of a database',
  at(async (scratch) => {
    const store = database(scratch)
    const sizes = fc.array(fc.integer({ min: 0, max: 12_000 }), { minLength: 1, maxLength: 40 })
    await fc.assert(
      fc.asyncProperty(sizes, async (some) => {
        const id = await keptInDatabase(store, some)
        assert.deepEqual(done(await redactSession(id, { ...redacting(scratch), store })).left, [])
        assert.deepEqual(holding(scratch), [])
      }),
      { numRuns: 6 },
    )
  }),
)

test(
  'without purge only the trash holds the value, which in a database is the same file, until it is emptied',
  at(async (scratch) => {
    const store = database(scratch)
    const id = await keptInDatabase(store)
    const { original = '' } = done(await redactSession(id, { ...redacting(scratch, secret, false), store }))
    const [trashed] = await store.trashed()
    assert.equal(trashed?.id, original)
    for (const path of holding(scratch)) assert.match(path, /sessions\.sqlite$|[/]spill[/]/)
    const left = JSON.stringify(await eventsOf(store, id))
    assert.ok(!left.includes(JSON.stringify(secret).slice(1, -1)))
    await store.emptyTrash()
    assert.deepEqual(holding(scratch), [])
  }),
)

test(
  'while somebody still reads the database as it was, that is told, and running it again clears its journal',
  at(async (scratch) => {
    const store = database(scratch)
    const id = await keptInDatabase(store)
    const reader = new DatabaseSync(join(scratch.home, 'sessions.sqlite'))
    reader.exec('BEGIN')
    reader.prepare('SELECT count(*) FROM line').get()
    const result = done(await redactSession(id, { ...redacting(scratch), store }))
    assert.match(result.left.join(), /^the store's journal, which others read just now: run this again/)
    const stillThere = await redactSession(id, { ...redacting(scratch), store })
    assert.ok(!stillThere.ok && stillThere.failure.code === 'USAGE')
    reader.close()
    const again = await redactSession(id, { ...redacting(scratch), store })
    assert.ok(!again.ok && again.failure.code === 'NOT_FOUND')
    assert.deepEqual(holding(scratch), [])
  }),
)
