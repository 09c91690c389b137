import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import test from 'node:test'
import { processHolder } from '../../src/store/jsonl/holder.ts'
import { isBusy, sqlFailure } from '../../src/store/sqlite/trouble.ts'
import { textOf, value } from './scratch.ts'
import { SqliteScratch } from './sqlite-scratch.ts'

/** Writes to each database it is given, and never comes to an end of it. */
const writer = `
  const { DatabaseSync } = require('node:sqlite')
  const held = process.argv.slice(1).map((path, number) => {
    const db = new DatabaseSync(path)
    const first = number < 2 ? 'PRAGMA journal_mode = WAL; BEGIN IMMEDIATE' : 'BEGIN EXCLUSIVE'
    db.exec(first + '; CREATE TABLE half (made TEXT)')
    return db
  })
  console.log('writing')
  setInterval(() => held.length, 1000)
`

test('sqlite: a process stopped while it writes, or makes the database, keeps nobody from reading', async (t) => {
  const [kept, begun, made] = [new SqliteScratch(), new SqliteScratch(), new SqliteScratch()]
  t.after(() => kept.dispose())
  t.after(() => begun.dispose())
  t.after(() => made.dispose())
  const lease = value(await kept.store().create('ses_a', { cwd: '/a', holder: processHolder() }))
  await lease.append(0, ['{"seq":0}'])
  await lease.release()
  const child = spawn(process.execPath, ['-e', writer, kept.path, begun.path, made.path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.after(() => child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  child.kill('SIGSTOP')

  const store = kept.store()
  assert.deepEqual(
    (await store.list()).map(({ id, state }) => [id, state]),
    [['ses_a', 'free']],
  )
  assert.equal(await textOf(value(await store.read('ses_a'))), '{"seq":0}\n')
  assert.deepEqual(await begun.store().list(), [])
  assert.deepEqual(await made.store().list(), [])

  // Writing waits, and goes on as soon as the process is gone.
  let done = false
  const created = begun.store().create('ses_b', { cwd: '/b', holder: processHolder() })
  void created.then(() => {
    done = true
  })
  await new Promise((resolve) => setTimeout(resolve, 100))
  assert.equal(done, false)
  child.kill('SIGKILL')
  await value(await created).release()
})

test('locks of the journal that are not to be had are a database that is held, with the step that frees it', () => {
  const error = Object.assign(new Error('locking protocol'), { code: 'ERR_SQLITE_ERROR', errcode: 15 })
  assert.ok(isBusy(error))
  const { next } = sqlFailure({ code: 'LOG_WRITE', what: 'could not write', path: '/home/sessions.sqlite' }, error)
  assert.match(next ?? '', /continue or end the one that is stopped/)
})
