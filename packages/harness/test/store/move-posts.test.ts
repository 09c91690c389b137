import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import type { Posted } from '@rein/session'
import { postAcross } from '../../src/store/follow-moved.ts'
import type { HomeStore } from '../../src/store/home.ts'
import { postItem } from '../../src/store/jsonl/inbox.ts'
import { lockPath, logPath } from '../../src/store/jsonl/names.ts'
import { moveToTrash } from '../../src/store/jsonl/trash.ts'
import { moveSession } from '../../src/store/move.ts'
import { at, folder, session } from './homes.ts'
import { holder, value } from './scratch.ts'

const STEPS = new Set(['pack', 'unpack', 'show', 'putAway', 'log', 'posted', 'late', 'release'])
const cancel = (id: string): Posted => ({ kind: 'cancel', id })
const namesIn = (path: string): readonly string[] => (existsSync(path) ? readdirSync(path) : [])

/** The same home, whose moves call `before` in front of each of their steps. */
function watched(store: HomeStore, before: () => Promise<void>): HomeStore {
  const told = <T extends object>(of: T): T =>
    new Proxy(of, {
      get(target, name) {
        const found: unknown = Reflect.get(target, name)
        if (typeof found !== 'function' || !STEPS.has(String(name))) return found
        if (name === 'log') return found.bind(target)
        return async (...given: readonly unknown[]) => {
          await before()
          return wrapped(await Reflect.apply(found, target, given))
        }
      },
    })
  const wrapped = (result: unknown): unknown => {
    if (typeof result !== 'object' || result === null || !('ok' in result) || !('value' in result)) return result
    return typeof result.value === 'object' && result.value !== null ? { ...result, value: told(result.value) } : result
  }
  return { ...store, movable: new Map([...store.movable].map(([name, each]) => [name, told(each)])) }
}

for (const to of ['sqlite', 'jsonl'] as const) {
  test(`what is posted while a session moves to ${to} goes with it, whenever it comes`, async (t) => {
    const home = folder(t)
    const store = at(home, to === 'sqlite' ? 'jsonl' : 'sqlite')
    await session(store, 'ses_a')
    // Of another process, which found the session before it moved.
    const poster = at(home)
    value(await poster.post('ses_a', cancel('post-0')))
    let count = 1
    const post = async () => void value(await poster.post('ses_a', cancel(`post-${count++}`)))
    assert.equal(value(await moveSession(watched(store, post), { id: 'ses_a', to }, holder(1))).outcome, 'moved')
    assert.ok(count > 6)
    value(await poster.post('ses_a', cancel(`post-${count++}`)))
    const lease = value(await at(home).acquire('ses_a', { holder: holder(1) }))
    const ids = (await lease.posted()).map(({ id }) => id)
    assert.deepEqual(ids.toSorted(), Array.from({ length: count }, (_, number) => `post-${number}`).toSorted())
    await lease.release()
  })

  test(`who follows a session that moves to ${to} goes on following it there`, async (t) => {
    const home = folder(t)
    const store = at(home, to === 'sqlite' ? 'jsonl' : 'sqlite')
    await session(store, 'ses_a')
    const over = new AbortController()
    const news = at(home).watch('ses_a', 0, over.signal)[Symbol.asyncIterator]()
    assert.deepEqual((await news.next()).value, { kind: 'lines', from: 0, lines: ['{"seq":0}'] })
    value(await moveSession(store, { id: 'ses_a', to }, holder(1)))
    const lease = value(await at(home).acquire('ses_a', { holder: holder(1) }))
    await lease.append(1, ['{"seq":1}'])
    await lease.release()
    assert.deepEqual((await news.next()).value, { kind: 'lines', from: 1, lines: ['{"seq":1}'] })
    value(await store.trash('ses_a'))
    await assert.rejects(news.next(), /ses_a/)
    over.abort()
  })
}

test('a post to a session that is put away meanwhile goes with it or is refused, and leaves nothing behind', async (t) => {
  const home = folder(t)
  for (let round = 0; round < 6; round++) {
    const place = { folder: join(home, 'work'), id: `ses_${round}` }
    mkdirSync(join(place.folder, `${place.id}.inbox`), { recursive: true })
    writeFileSync(logPath(place, 1), '')
    // Many, so that putting it away takes its time.
    for (let epoch = 1; epoch <= 60; epoch++) writeFileSync(lockPath(place, epoch), '')
    let moving = true
    const told: string[] = []
    const posting = async (name: string) => {
      for (let number = 0; moving; number++) {
        const posted = await postItem(place, cancel(`${name}-${number}`), Date.now)
        if (posted.ok) told.push(`${name}-${number}.json`)
        else assert.equal(posted.failure.code, 'SESSION_MISSING', posted.failure.message)
      }
    }
    const posters = ['a', 'b', 'c'].map(posting)
    while (told.length < 3) await new Promise(setImmediate)
    const away = await moveToTrash(place, join(home, 'trash'))
    moving = false
    await Promise.all(posters)
    const kept = new Set(namesIn(join(away, `${place.id}.inbox`)))
    const lost = told.filter((name) => !kept.has(name))
    assert.deepEqual(lost, [], `posts that were taken in, in round ${round}`)
    assert.deepEqual(namesIn(place.folder), [], `round ${round}`)
  }
})

test('a post that finds the session gone from its store is made where the session is now', async (t) => {
  const [old, now] = [at(folder(t)), at(folder(t))]
  await session(now, 'ses_a')
  const places = [old, now]
  value(await postAcross(async () => places.shift(), 'ses_a', cancel('late')))
  const lease = value(await now.acquire('ses_a', { holder: holder(1) }))
  assert.deepEqual(await lease.posted(), [cancel('late')])
  await lease.release()
  const nowhere = await postAcross(async () => old, 'ses_a', cancel('late'))
  assert.equal(nowhere.ok ? '' : nowhere.failure.code, 'SESSION_MISSING')
})
