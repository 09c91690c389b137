import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { storeContract } from '@rein/session'
import { type HomeOptions, type HomeStore, homeStore } from '../../src/store/home.ts'
import { moveSession } from '../../src/store/move.ts'
import { holder, textOf, value } from './scratch.ts'
import { SqliteScratch } from './sqlite-scratch.ts'

const at = (home: string, keep: NonNullable<HomeOptions['keep']> = 'jsonl'): HomeStore =>
  homeStore({ home, now: Date.now, keep, pollMs: 20 })

function folder(t: TestContext): string {
  const home = mkdtempSync(join(tmpdir(), 'rein-home-'))
  t.after(() => rmSync(home, { recursive: true, force: true }))
  return home
}

async function session(store: HomeStore, id: string, lines: readonly string[] = ['{"seq":0}']): Promise<void> {
  const lease = value(await store.create(id, { cwd: '/work', holder: holder(1) }))
  await lease.append(0, lines)
  await lease.release()
}

const log = async (store: HomeStore, id: string): Promise<string> => textOf(value(await store.read(id)))

storeContract({
  test: (title, run) => test(`home over sqlite: ${title}`, run),
  make: async () => {
    const sql = new SqliteScratch()
    return {
      store: at(sql.home, 'sqlite'),
      other: at(sql.home, 'sqlite'),
      holder,
      silence: async (id) => sql.silence(id),
      cutLog: async (id, bytes) => sql.cutLog(id, bytes),
      tamperBlob: async (_id, sha256) => void sql.sql(`UPDATE blob SET bytes = x'00' WHERE sha256 = ?`, sha256),
      breakLog: async () => void sql.sql('DELETE FROM line'),
      dispose: async () => sql.dispose(),
    }
  },
})

test('the sessions of every store of a home are listed, found, read and put away as those of one', async (t) => {
  const home = folder(t)
  for (const kind of ['jsonl', 'sqlite', 'memory'] as const) await session(at(home, kind), `ses_${kind}`)
  const store = at(home)
  assert.deepEqual((await store.list()).map(({ id }) => id).sort(), ['ses_jsonl', 'ses_memory', 'ses_sqlite'])
  for (const kind of ['jsonl', 'sqlite', 'memory'] as const) {
    assert.equal(await store.whereIs(`ses_${kind}`), kind)
    assert.equal(value(await store.find(`ses_${kind.slice(0, 2)}`, '/')).id, `ses_${kind}`)
    assert.equal(await log(store, `ses_${kind}`), '{"seq":0}\n')
    const again = await store.create(`ses_${kind}`, { cwd: '/', holder: holder(1) })
    assert.equal(again.ok ? '' : again.failure.code, 'SESSION_EXISTS')
    value(await store.trash(`ses_${kind}`))
  }
  const names = (await store.trashed()).map(({ name }) => name)
  assert.equal(names.length, 3)
  for (const name of names) value(await store.restore(name))
  assert.equal((await store.list()).length, 3)
})

test('a blob is taken over from a session that another store keeps', async (t) => {
  const home = folder(t)
  const store = at(home, 'sqlite')
  await session(at(home), 'ses_parent')
  await session(store, 'ses_fork')
  const name = await store.blobs('ses_parent').put(Buffer.from('a picture'))
  assert.equal(await store.blobs('ses_fork').link(name, 'ses_parent'), true)
  value(await store.trash('ses_parent'))
  assert.equal(Buffer.from((await store.blobs('ses_fork').get(name)) ?? []).toString(), 'a picture')
})

test('where no database is, nothing makes one but a session that is to be kept there', async (t) => {
  const home = folder(t)
  const store = at(home)
  await session(store, 'ses_a')
  await store.list()
  await store.trashed()
  await store.read('nobody')
  assert.deepEqual(readdirSync(home), ['sessions'])
  await session(at(home, 'sqlite'), 'ses_b')
  assert.equal(statSync(join(home, 'sessions.sqlite')).mode & 0o777, 0o600)
})

for (const [what, spoil] of [
  ['is no database', (path: string) => writeFileSync(path, 'x'.repeat(5000))],
  ['is a folder', (path: string) => mkdirSync(path)],
  ['is torn in its header', (path: string) => writeFileSync(path, `SQLite format 3\0${'\xff'.repeat(9000)}`)],
] as const) {
  test(`a database that ${what} is shown as broken, and the sessions in files go on`, async (t) => {
    const home = folder(t)
    spoil(join(home, 'sessions.sqlite'))
    const store = at(home)
    await session(store, 'ses_file')
    const states = (await store.list()).map(({ id, state }) => `${id} ${state}`).sort()
    assert.deepEqual(states, ['ses_file free', 'sessions.sqlite broken'])
    assert.equal(await log(store, 'ses_file'), '{"seq":0}\n')
    const missing = await store.read('ses_elsewhere')
    assert.equal(missing.ok ? '' : missing.failure.code, 'FILE_ERROR')
    const made = await at(home, 'sqlite').create('ses_new', { cwd: '/', holder: holder(1) })
    assert.equal(made.ok ? '' : made.failure.code, 'FILE_ERROR')
    assert.ok(made.ok || made.failure.next)
    value(await store.trash('ses_file'))
    assert.equal((await store.trashed()).length, 1)
  })
}

test('a database of another program and one of a later version are refused and left as they are', async (t) => {
  const other = folder(t)
  const { DatabaseSync } = await import('node:sqlite')
  const db = new DatabaseSync(join(other, 'sessions.sqlite'))
  db.exec('CREATE TABLE theirs (x)')
  db.close()
  const refused = await at(other, 'sqlite').create('ses_a', { cwd: '/', holder: holder(1) })
  assert.equal(refused.ok ? '' : refused.failure.code, 'FILE_ERROR')
  const sql = new SqliteScratch()
  t.after(() => sql.dispose())
  await session(at(sql.home, 'sqlite'), 'ses_a')
  sql.sql('PRAGMA user_version = 99')
  const later = await at(sql.home).read('ses_a')
  assert.equal(later.ok ? '' : later.failure.code, 'FORMAT_TOO_NEW')
})

/** Not UTF-8, a NUL, a carriage return, an empty line, two records on a line, and no end. */
const DAMAGED = Buffer.concat([
  Buffer.from('\ufeff{"seq":0}\r\n\n{"seq":1}{"seq":2}\n'),
  Buffer.from([0xff, 0xfe, 0, 0, 0x0a, 0xf0, 0x9f, 0x0a]),
  Buffer.from('{"seq":3,"torn'),
])

async function bytesIn(store: HomeStore, id: string): Promise<Buffer> {
  const parts: Uint8Array[] = []
  for await (const part of value(await store.read(id))) parts.push(part)
  return Buffer.concat(parts)
}

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
