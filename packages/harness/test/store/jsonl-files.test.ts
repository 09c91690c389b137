import assert from 'node:assert/strict'
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { FailureError } from '@rein/session'
import fc from 'fast-check'
import { parseName, workspaceSlug } from '../../src/store/jsonl/names.ts'
import { holder, Scratch, textOf, value } from './scratch.ts'

function scratch(t: { after(undo: () => void): void }): Scratch {
  const made = new Scratch()
  t.after(() => made.dispose())
  return made
}

const firstLine = (cwd: string): string => JSON.stringify({ seq: 0, type: 'session/start', data: { cwd } })

test('everything of a session is private to its user', async (t) => {
  const of = scratch(t)
  const store = of.store()
  const lease = value(await store.create('ses_a', { cwd: '/work/a', holder: holder(1) }))
  await lease.publish(['{}'], { name: 'cut', bytes: new Uint8Array(1) })
  await store.post('ses_a', { kind: 'cancel', id: 'c' })
  await store.blobs('ses_a').put(new Uint8Array(3))
  const file = await store.spill('ses_a').open('out.txt')
  await file.close()
  await lease.release()
  await value(await store.acquire('ses_a', { holder: holder(2) })).release()
  for (const path of [of.sessions, ...of.paths(/./)]) {
    const stat = statSync(path)
    assert.equal((stat.mode & 0o777).toString(8), stat.isDirectory() ? '700' : '600', path)
  }
})

test('the folder of a workspace is readable, and two directories never share one', () => {
  assert.match(workspaceSlug('/work/ann/My Project'), /^work-ann-My-Project-[0-9a-f]{12}$/)
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (a, b) => {
      assert.match(workspaceSlug(a), /^[A-Za-z0-9-]{1,60}$/)
      assert.equal(workspaceSlug(a) === workspaceSlug(b), a === b)
    }),
    { numRuns: 200 },
  )
})

test('file names say what they are, and foreign files belong to no session', () => {
  assert.deepEqual(parseName('ses_1.jsonl'), { id: 'ses_1', part: { kind: 'log', epoch: 1 } })
  assert.deepEqual(parseName('ses_1.12.jsonl'), { id: 'ses_1', part: { kind: 'log', epoch: 12 } })
  assert.deepEqual(parseName('ses_1.lock.3'), { id: 'ses_1', part: { kind: 'lock', epoch: 3 } })
  assert.deepEqual(parseName('ses_1.inbox'), { id: 'ses_1', part: { kind: 'other' } })
  assert.equal(parseName('notes'), undefined)
  assert.equal(parseName('.hidden.jsonl'), undefined)
})

test('a released session is appended to in place, and one of a silent holder is published anew', async (t) => {
  const of = scratch(t)
  const store = of.store()
  const first = value(await store.create('ses_a', { cwd: '/a', holder: holder(1) }))
  await first.append(0, ['{"n":0}'])
  await first.release()
  const second = value(await store.acquire('ses_a', { holder: holder(2) }))
  assert.deepEqual(of.names(/^ses_a/), ['ses_a.inbox', 'ses_a.jsonl', 'ses_a.lock.2'])
  of.silence('ses_a')
  const third = value(await store.acquire('ses_a', { holder: holder(3) }))
  assert.deepEqual(of.names(/^ses_a/), ['ses_a.3.jsonl', 'ses_a.inbox', 'ses_a.lock.3'])
  await third.append(1, ['{"n":1}'])
  await assert.rejects(second.append(1, ['{"n":"late"}']))
  assert.equal(readFileSync(of.path(/jsonl$/), 'utf8'), '{"n":0}\n{"n":1}\n')
  for (const lease of [second, third]) await lease.release()
})

test('a file in the inbox that no session could take in is left alone, and what is posted beside it comes in', async (t) => {
  const of = scratch(t)
  const store = of.store()
  const lease = value(await store.create('ses_a', { cwd: '/a', holder: holder(1) }))
  const item = { kind: 'input', id: 'bad', delivery: 'followup', source: { kind: 'person' } }
  for (const content of [[{ type: 'text' }], ['text'], [{ type: 'image', blob: 1 }]])
    writeFileSync(join(of.path(/inbox$/), 'bad.json'), JSON.stringify({ at: 1, item: { ...item, content } }))
  await store.post('ses_a', { kind: 'cancel', id: 'good' })
  assert.deepEqual(await lease.posted(), [{ kind: 'cancel', id: 'good' }])
  await lease.release()
})

test('what a dead claimant and a dead poster left half-made is cleared away by the next writer', async (t) => {
  const of = scratch(t)
  const store = of.store()
  await value(await store.create('ses_a', { cwd: '/a', holder: holder(1) })).release()
  await value(await store.acquire('ses_a', { holder: holder(2) })).release()
  const copy = of.path(/jsonl$/).replace(/jsonl$/, '2.copy')
  const post = join(of.path(/inbox$/), '.123')
  for (const path of [copy, post]) writeFileSync(path, 'half')
  utimesSync(post, 1000, 1000)
  writeFileSync(join(of.path(/inbox$/), '.new'), 'being written now')
  await value(await store.acquire('ses_a', { holder: holder(3) })).release()
  assert.deepEqual(of.names(/copy$|^\./), ['.new'])
})

test('a take-over copies whole lines only, and keeps a last record that lacks nothing but its newline', async (t) => {
  for (const [tail, kept] of [
    ['{"n":1', ''],
    ['{"n":1}', '{"n":1}\n'],
  ] as const) {
    const of = scratch(t)
    const store = of.store()
    const first = value(await store.create('ses_a', { cwd: '/a', holder: holder(1) }))
    await first.append(0, ['{"n":0}'])
    appendFileSync(of.path(/jsonl$/), tail)
    of.silence('ses_a')
    const second = value(await store.acquire('ses_a', { holder: holder(2) }))
    assert.equal(await textOf(second.bytes()), `{"n":0}\n${kept}`)
    for (const lease of [first, second]) await lease.release()
  }
})

test('a log copied here by hand, without lock or inbox, can be read, written and posted to', async (t) => {
  const of = scratch(t)
  mkdirSync(join(of.sessions, 'somewhere'), { recursive: true })
  writeFileSync(join(of.sessions, 'somewhere', 'ses_x.jsonl'), `${firstLine('/x')}\n`)
  const store = of.store()
  assert.deepEqual(
    (await store.list()).map(({ id, cwd, state }) => ({ id, cwd, state })),
    [{ id: 'ses_x', cwd: '/x', state: 'free' }],
  )
  value(await store.post('ses_x', { kind: 'cancel', id: 'c' }))
  const lease = value(await store.acquire('ses_x', { holder: holder(1) }))
  await lease.append(1, ['{"n":1}'])
  assert.equal((await lease.posted()).length, 1)
  assert.equal(await textOf(value(await store.read('ses_x'))), `${firstLine('/x')}\n{"n":1}\n`)
  await lease.release()
})

test('a lock without a name, left by a claimant that died at once, is waited for and then taken over', async (t) => {
  const of = scratch(t)
  const store = of.store()
  const first = value(await store.create('ses_a', { cwd: '/a', holder: holder(1) }))
  await first.release()
  writeFileSync(of.path(/lock\.1$/).replace(/1$/, '2'), '')
  const refused = await store.acquire('ses_a', { holder: holder(2) })
  assert.equal(refused.ok ? '' : refused.failure.code, 'SESSION_BUSY')
  of.silence('ses_a')
  const taken = value(await store.acquire('ses_a', { holder: holder(2) }))
  assert.equal(taken.epoch, 3)
  await taken.release()
})

test('foreign and half-written files of an inbox are no items', async (t) => {
  const of = scratch(t)
  const store = of.store()
  const lease = value(await store.create('ses_a', { cwd: '/a', holder: holder(1) }))
  value(await store.post('ses_a', { kind: 'cancel', id: 'c' }))
  const inbox = of.path(/inbox$/)
  for (const text of ['{"at":1,"item":{"kind":"cancel"', 'null', '{"at":1,"item":{"kind":"root","id":"x"}}', '[]']) {
    writeFileSync(join(inbox, `x${text.length}.json`), text)
  }
  writeFileSync(join(inbox, 'other.json'), '{"at":1,"item":{"kind":"cancel","id":"not-this-file"}}')
  assert.deepEqual(await lease.posted(), [{ kind: 'cancel', id: 'c' }])
  await lease.release()
})

test('a session is found by the beginning of its id, and last prefers the directory', async (t) => {
  const of = scratch(t)
  const store = of.store()
  for (const [id, cwd] of [
    ['ses_ab1', '/a'],
    ['ses_ab2', '/b'],
    ['ses_c', '/b'],
  ] as const) {
    const lease = value(await store.create(id, { cwd, holder: holder(1) }))
    await lease.append(0, [firstLine(cwd)])
    await lease.release()
  }
  const found = async (typed: string, cwd = '/b'): Promise<string> => {
    const result = await store.find(typed, cwd)
    return result.ok ? result.value.id : result.failure.code
  }
  const answers = [
    await found('ses_ab1'),
    await found('ses_ab'),
    await found('ses_c'),
    await found('zzz'),
    await found(''),
  ]
  assert.deepEqual(answers, ['ses_ab1', 'USAGE', 'ses_c', 'SESSION_MISSING', 'SESSION_MISSING'])
  assert.equal(await found('last', '/a'), 'ses_ab1')
  assert.equal(await found('last', '/nowhere'), (await store.list())[0]?.id)
})

test('an empty home has no sessions', async (t) => {
  const store = scratch(t).store()
  assert.deepEqual(await store.list(), [])
  const last = await store.find('last', '/')
  assert.equal(last.ok ? '' : last.failure.code, 'SESSION_MISSING')
})

test('what was put away keeps every file, and a second session of that id is put beside it', async (t) => {
  const of = scratch(t)
  const store = of.store()
  for (const text of ['{"first":1}', '{"second":1}']) {
    const lease = value(await store.create('ses_a', { cwd: '/a', holder: holder(1) }))
    await lease.append(0, [text])
    await store.blobs('ses_a').put(Buffer.from(text))
    await lease.release()
    value(await store.trash('ses_a'))
  }
  const away = join(of.home, 'trash', workspaceSlug('/a'))
  assert.equal(readFileSync(join(away, 'ses_a', 'ses_a.jsonl'), 'utf8'), '{"first":1}\n')
  assert.equal(readFileSync(join(away, 'ses_a-2', 'ses_a.jsonl'), 'utf8'), '{"second":1}\n')
  assert.ok(statSync(join(away, 'ses_a', 'ses_a.blobs')).isDirectory())
  assert.deepEqual(of.names(/^ses_a/), [])
})

test('a home that cannot be written is a failure that says what to do', async (t) => {
  const of = scratch(t)
  writeFileSync(join(of.home, 'sessions'), 'a file, not a folder')
  const result = await of.store().create('ses_a', { cwd: '/a', holder: holder(1) })
  assert.equal(result.ok ? '' : result.failure.code, 'FILE_ERROR')
  assert.notEqual(result.ok ? '' : (result.failure.next ?? ''), '')
  const told = (error: unknown) => error instanceof FailureError && error.failure.code === 'FILE_ERROR'
  await assert.rejects(of.store().list(), told)
})

test('a folder that cannot be looked into hides no session of another, and keeps none from being made', async (t) => {
  const of = scratch(t)
  mkdirSync(of.sessions)
  symlinkSync('loop', join(of.sessions, 'loop'))
  await value(await of.store().create('ses_a', { cwd: '/a', holder: holder(1) })).release()
  assert.ok((await of.store().read('ses_a')).ok)
  assert.partialDeepStrictEqual(await of.store().read('ses_b'), { ok: false, failure: { code: 'FILE_ERROR' } })
})

test('a workspace folder that cannot be opened is shown as broken', { skip: process.getuid?.() === 0 }, async (t) => {
  const of = scratch(t)
  await value(await of.store().create('ses_a', { cwd: '/a', holder: holder(1) })).release()
  const folder = join(of.sessions, workspaceSlug('/a'))
  chmodSync(folder, 0)
  const states = (await of.store().list()).map((entry) => entry.state)
  chmodSync(folder, 0o700)
  assert.deepEqual(states, ['broken'])
})
