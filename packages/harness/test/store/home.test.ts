import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import type { HomeStore } from '../../src/store/home.ts'
import { at, folder, session } from './homes.ts'
import { holder, textOf, value } from './scratch.ts'
import { SqliteScratch } from './sqlite-scratch.ts'

const log = async (store: HomeStore, id: string): Promise<string> => textOf(value(await store.read(id)))

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

/** Files under a folder that hold these words. */
const holding = (home: string, words: string): number =>
  readdirSync(home, { recursive: true, withFileTypes: true }).filter(
    (each) => each.isFile() && readFileSync(join(each.parentPath, each.name)).includes(words),
  ).length

for (const keep of ['jsonl', 'sqlite'] as const) {
  test(`${keep}: pictures and large outputs go with their session, into the trash, back, and away for good`, async (t) => {
    const home = folder(t)
    const store = at(home, keep)
    await session(store, 'ses_a', ['{"said":"in the log"}'])
    const picture = await store.blobs('ses_a').put(Buffer.from('a picture'))
    const file = await store.spill('ses_a').open('whole.txt')
    await file.write(Buffer.from('a large output'))
    await file.close()
    value(await store.trash('ses_a'))
    const [away] = await store.trashed()
    assert.ok(away && away.bytes >= '{"said":"in the log"}\na picturea large output'.length)
    assert.equal(await store.spillFolder('ses_a'), undefined)
    value(await store.restore(away.name))
    const back = join((await store.spillFolder('ses_a')) ?? '', 'whole.txt')
    assert.equal(readFileSync(back, 'utf8'), 'a large output')
    assert.equal(Buffer.from((await store.blobs('ses_a').get(picture)) ?? []).toString(), 'a picture')
    value(await store.trash('ses_a'))
    assert.equal((await store.emptyTrash()).removed, 1)
    for (const words of ['in the log', 'a picture', 'a large output']) assert.equal(holding(home, words), 0, words)
  })
}

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
  const before = readFileSync(join(other, 'sessions.sqlite'))
  const refused = await at(other, 'sqlite').create('ses_a', { cwd: '/', holder: holder(1) })
  assert.equal(refused.ok ? '' : refused.failure.code, 'FILE_ERROR')
  assert.deepEqual(readFileSync(join(other, 'sessions.sqlite')), before)
  const sql = new SqliteScratch()
  t.after(() => sql.dispose())
  await session(at(sql.home, 'sqlite'), 'ses_a')
  sql.sql('PRAGMA user_version = 99')
  const later = await at(sql.home).read('ses_a')
  assert.equal(later.ok ? '' : later.failure.code, 'FORMAT_TOO_NEW')
})
