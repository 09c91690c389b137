import assert from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { type HomeStore, homeStore } from '../../src/store/home.ts'
import { moveSession } from '../../src/store/move.ts'
import { at, folder, session } from './homes.ts'
import { bytesOf, holder, value } from './scratch.ts'

/** Not UTF-8, a NUL, a carriage return, an empty line, two records on a line, and no end. */
const DAMAGED = Buffer.concat([
  Buffer.from('\ufeff{"seq":0}\r\n\n{"seq":1}{"seq":2}\n'),
  Buffer.from([0xff, 0xfe, 0, 0, 0x0a, 0xf0, 0x9f, 0x0a]),
  Buffer.from('{"seq":3,"torn'),
])

const bytesIn = async (store: HomeStore, id: string): Promise<Buffer> => bytesOf(value(await store.read(id)))

/** A session of files with everything a session can have, and a log that is damaged in every way. */
async function rich(home: string): Promise<HomeStore> {
  const store = at(home)
  const lease = value(await store.create('ses_rich', { cwd: '/work', holder: holder(1) }))
  await lease.publish(['{"seq":0}'], { name: 'cut-1', bytes: Buffer.from([0, 255]) })
  await store.blobs('ses_rich').put(Buffer.from('a picture'))
  const file = await store.spill('ses_rich').open('whole.txt')
  await file.write(Buffer.from('the whole output'))
  await file.close()
  value(await store.post('ses_rich', { kind: 'cancel', id: 'waits' }))
  await lease.release()
  writeFileSync(fileOf(home, 'ses_rich'), DAMAGED)
  return store
}

function fileOf(home: string, id: string): string {
  const all = readdirSync(join(home, 'sessions'), { recursive: true, encoding: 'utf8' })
  const [path = ''] = all.filter((name) => new RegExp(`${id}(\\.\\d+)?\\.jsonl$`).test(name))
  return join(home, 'sessions', path)
}

test('a session is moved to the other store and back with every byte of it, and its epochs go on', async (t) => {
  const home = folder(t)
  const store = await rich(home)
  const first = value(await moveSession(store, { id: 'ses_rich', to: 'sqlite' }, holder(1)))
  assert.deepEqual([first.from, first.outcome, first.bytes], ['jsonl', 'moved', DAMAGED.length])
  assert.equal(await store.whereIs('ses_rich'), 'sqlite')
  assert.deepEqual(await bytesIn(store, 'ses_rich'), DAMAGED)
  assert.deepEqual(value(await moveSession(store, { id: 'ses_rich', to: 'sqlite' }, holder(1))).outcome, 'there')
  const back = value(await moveSession(at(home), { id: 'ses_rich', to: 'jsonl' }, holder(1)))
  assert.deepEqual([back.from, back.outcome], ['sqlite', 'moved'])
  assert.deepEqual(await bytesIn(store, 'ses_rich'), DAMAGED)
  assert.deepEqual(readFileSync(fileOf(home, 'ses_rich')), DAMAGED)
  const folderOf = (await store.spillFolder('ses_rich')) ?? ''
  assert.equal(readFileSync(join(folderOf, 'whole.txt'), 'utf8'), 'the whole output')
  assert.deepEqual(readFileSync(folderOf.replace(/spill$/, 'aside/cut-1')), Buffer.from([0, 255]))
  const lease = value(await store.acquire('ses_rich', { holder: holder(1) }))
  assert.equal(lease.epoch, 4)
  assert.deepEqual(await lease.posted(), [{ kind: 'cancel', id: 'waits' }])
  await lease.release()
  assert.equal((await store.trashed()).length, 2, 'the originals')
})

test('a session that is held is not moved', async (t) => {
  const home = folder(t)
  const store = at(home)
  await session(store, 'ses_a')
  const lease = value(await store.acquire('ses_a', { holder: holder(1) }))
  const refused = await moveSession(store, { id: 'ses_a', to: 'sqlite' }, holder(2))
  assert.equal(refused.ok ? '' : refused.failure.code, 'SESSION_BUSY')
  await lease.release()
})

const STEPS = new Set(['pack', 'unpack', 'show', 'putAway', 'log', 'blobs', 'posted', 'release'])

/**
 * A move whose process dies before its `after`-th step.
 * @returns whether it came so far.
 */
async function broken(home: string, to: 'jsonl' | 'sqlite', after: number): Promise<boolean> {
  const store = at(home)
  let left = after
  const dies = <T extends object>(of: T): T =>
    new Proxy(of, {
      get(target, name) {
        const found: unknown = Reflect.get(target, name)
        if (typeof found !== 'function') return found
        return (...given: readonly unknown[]) => {
          if (left <= 0 && STEPS.has(String(name))) throw new Error('the process died')
          if (STEPS.has(String(name))) left--
          const result: unknown = Reflect.apply(found, target, given)
          return result instanceof Promise ? result.then(wrapped) : result
        }
      },
    })
  const wrapped = (result: unknown): unknown => {
    if (typeof result !== 'object' || result === null || !('ok' in result) || !('value' in result)) return result
    return typeof result.value === 'object' && result.value !== null ? { ...result, value: dies(result.value) } : result
  }
  const movable = new Map([...store.movable].map(([name, each]) => [name, dies(each)]))
  try {
    value(await moveSession({ ...store, movable }, { id: 'ses_rich', to }, holder(1)))
    return false
  } catch (cause) {
    if (cause instanceof Error && cause.message === 'the process died') return true
    throw cause
  }
}

for (const to of ['sqlite', 'jsonl'] as const) {
  test(`a move to ${to} that is broken off anywhere leaves one session, which goes on, and moves when it is asked again`, async (t) => {
    let after = 0
    for (let died = true; died; after++) {
      const home = folder(t)
      await rich(home)
      if (to === 'jsonl') value(await moveSession(at(home), { id: 'ses_rich', to: 'sqlite' }, holder(1)))
      died = await broken(home, to, after)
      const store = at(home)
      const ids = async () => (await store.list()).map(({ id }) => id)
      assert.deepEqual(await ids(), ['ses_rich'], `before step ${after}`)
      assert.deepEqual(await bytesIn(store, 'ses_rich'), DAMAGED)
      const lease = value(await store.acquire('ses_rich', { holder: holder(1), silentMs: -1 }))
      assert.deepEqual(await lease.posted(), [{ kind: 'cancel', id: 'waits' }])
      await lease.publish([`{"before":${after}}`])
      await lease.release()
      // Whoever died held it, and nobody on this machine can tell that it is dead: it has been silent for long.
      const later = homeStore({ home, now: Date.now, silentMs: -1 })
      value(await moveSession(later, { id: 'ses_rich', to }, holder(1)))
      assert.equal(await store.whereIs('ses_rich'), to)
      assert.equal((await bytesIn(store, 'ses_rich')).toString(), `{"before":${after}}\n`)
      assert.deepEqual(await ids(), ['ses_rich'])
      await store.emptyTrash()
      const spilled = readdirSync(home).includes('spill') ? readdirSync(join(home, 'spill')) : []
      assert.equal(spilled.length, to === 'sqlite' ? 1 : 0, 'spill folders: none of a copy that was given up')
    }
    assert.ok(after > 6, `${after} places to break off`)
  })
}

test('what is no store is refused by a move', async (t) => {
  const home = folder(t)
  const store = at(home, 'memory')
  await session(store, 'ses_a')
  for (const to of ['jsonl', 'nowhere']) {
    const refused = await moveSession(store, { id: 'ses_a', to }, holder(1))
    assert.equal(refused.ok ? '' : refused.failure.code, 'USAGE')
  }
})
