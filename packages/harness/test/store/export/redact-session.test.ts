import assert from 'node:assert/strict'
import { appendFileSync } from 'node:fs'
import { test } from 'node:test'
import { resumeSession } from '@rein/session'
import fc from 'fast-check'
import { redactSession } from '../../../src/store/export/redact-session.ts'
import { done, eventsOf, filesIn, kept, options, proved } from './kept.ts'
import { at, holding, redacting, secret, waiting } from './redacting.ts'

test(
  'after redact no file of the session holds the value, verify says redacted, and the session goes on',
  at(async (scratch) => {
    const store = scratch.store()
    const session = await kept(store, secret)
    const { id } = session
    await session.close()
    await store.post(id, {
      kind: 'input',
      id: 'i-1',
      delivery: 'followup',
      content: [{ type: 'text', text: secret }],
      source: { kind: 'person' },
    })
    const result = done(await redactSession(id, redacting(scratch)))
    assert.deepEqual(holding(scratch), [])
    assert.equal(result.changed, 4)
    assert.deepEqual([result.files, result.left], [['post/i-1', 'spill/bash.txt'], []])
    assert.equal((await proved(store, id)).answer, 'redacted')
    const resumed = done(await resumeSession(options(store), id))
    const [item] = await resumed.lease.posted()
    assert.ok(item?.kind === 'input' && JSON.stringify(item.content).includes('⟦secret:registered:'))
    await resumed.close()
  }),
)

test(
  'without purge the session as it was is in the trash, exactly',
  at(async (scratch) => {
    const store = scratch.store()
    const session = await kept(store, secret)
    await session.close()
    const before = (await proved(store, session.id)).head
    const { original = '' } = done(await redactSession(session.id, redacting(scratch, secret, false)))
    const [trashed] = await store.trashed()
    assert.equal(trashed?.id, original)
    done(await store.restore(trashed?.name ?? ''))
    const found = await proved(store, original)
    assert.deepEqual([found.answer, found.head], ['clean', before])
    const [, spilled] =
      [...filesIn(scratch.home, 'sessions')].find(([path]) => path.includes(`${original}.spill`)) ?? []
    assert.equal(spilled?.toString(), `whole: ${secret}`)
  }),
)

test(
  'whoever holds the session is named, and nothing is changed',
  at(async (scratch) => {
    const session = await kept(scratch.store(), secret)
    const refused = await redactSession(session.id, redacting(scratch))
    assert.ok(!refused.ok && refused.failure.code === 'SESSION_BUSY')
    assert.match(refused.failure.message, new RegExp(`process ${process.pid}`))
    await session.close()
  }),
)

test(
  'a value that is nowhere, in the id, or a word of the format changes nothing',
  at(async (scratch) => {
    const session = await kept(scratch.store(), secret)
    await session.close()
    const before = filesIn(scratch.home, 'sessions')
    for (const [value, code] of [
      ['not in there', 'NOT_FOUND'],
      [session.id.slice(2, 12), 'USAGE'],
      ['interrupted', 'USAGE'],
    ] as const) {
      const refused = await redactSession(session.id, redacting(scratch, value))
      assert.ok(!refused.ok && refused.failure.code === code, value)
    }
    const log = [...before].find(([path]) => path.endsWith('.jsonl'))
    assert.deepEqual(filesIn(scratch.home, 'sessions').get(log?.[0] ?? ''), log?.[1])
  }),
)

test(
  'a picture that holds the value is gone from the log and from the disk',
  at(async (scratch) => {
    const session = await kept(scratch.store(), secret)
    await session.close()
    const result = done(await redactSession(session.id, redacting(scratch, 'rest of the picture')))
    assert.deepEqual([result.pictures, result.left], [1, []])
    assert.deepEqual(holding(scratch, 'rest of the picture'), [])
    assert.equal((await proved(scratch.store(), session.id)).answer, 'redacted')
  }),
)

test(
  'damaged lines that hold the value are kept aside without it, and the damage is declared',
  at(async (scratch) => {
    const session = await kept(scratch.store(), 'harmless')
    await session.close()
    appendFileSync(scratch.path(/\.jsonl$/), `{"seq":99,"torn ${JSON.stringify(secret).slice(1, -1)}`)
    done(await redactSession(session.id, redacting(scratch)))
    assert.deepEqual(holding(scratch), [])
    assert.equal((await proved(scratch.store(), session.id)).answer, 'declared damage')
  }),
)

test(
  'any text is taken out whole, and the messages stay as many',
  at(async (scratch) => {
    const store = scratch.store()
    const texts = fc.string({ unit: 'grapheme', minLength: 5, maxLength: 30 }).map((text) => `~${text.trim()}~#%`)
    await fc.assert(
      fc.asyncProperty(texts, async (value) => {
        const session = await kept(store, value)
        await session.close()
        const before = await eventsOf(store, session.id)
        done(await redactSession(session.id, redacting(scratch, value)))
        const after = await eventsOf(store, session.id)
        assert.deepEqual(
          after.slice(0, -1).map(({ type }) => type),
          before.map(({ type }) => type),
        )
        assert.ok(!JSON.stringify(after).includes(JSON.stringify(value).slice(1, -1)))
      }),
      { numRuns: 8 },
    )
  }),
)

test(
  'what waits stays an item under its id when the value is in the id, or a word of it, and that is told',
  at(async (scratch) => {
    const store = scratch.store()
    const session = await kept(store, 'harmless')
    await session.close()
    for (const item of [waiting('i-hunter-3', 'text'), waiting('i-2', 'followup')])
      done(await store.post(session.id, item))
    for (const [value, where] of [
      ['hunter-3', 'post/i-hunter-3'],
      ['followup', 'post/i-2'],
    ] as const) {
      const refused = await redactSession(session.id, redacting(scratch, value))
      assert.ok(!refused.ok && refused.failure.code === 'USAGE' && refused.failure.message.includes(where), value)
    }
    const resumed = done(await resumeSession(options(store), session.id))
    assert.deepEqual(
      (await resumed.lease.posted()).map(({ id }) => id),
      ['i-hunter-3', 'i-2'],
    )
    await resumed.close()
  }),
)
