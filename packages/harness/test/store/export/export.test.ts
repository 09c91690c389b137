import assert from 'node:assert/strict'
import { appendFileSync, rmSync } from 'node:fs'
import { test } from 'node:test'
import { exportSession } from '../../../src/store/export/export-session.ts'
import { type Sharing, sharing } from '../../../src/store/export/sharing.ts'
import { homeStore } from '../../../src/store/home.ts'
import { bytesOf, done, kept, Scratch, someHome } from './kept.ts'

const plain = (text: string): string => text
const options = (scratch: Scratch, exact = false) => {
  const shared = (events: Parameters<typeof sharing>[1]) => sharing({ secrets: plain, homes: [], hosts: [] }, events)
  return { store: scratch.store(), rein: '0', now: () => 1, sharing: exact ? undefined : shared }
}

test('a session that is held is exported as far as it is written, and its holder goes on', async () => {
  const scratch = new Scratch()
  const session = await kept(scratch.store(), 'text')
  const path = scratch.path(/\.jsonl$/)
  appendFileSync(path, '{"seq":13,"ti')
  const { events, damage, zip } = done(await exportSession(session.id, options(scratch, true)))
  assert.deepEqual([events.length, damage], [session.log.events.length, []])
  const { unzipSync } = await import('fflate')
  const files = unzipSync(await bytesOf(zip()))
  assert.ok(
    Buffer.from(files['log.jsonl'] ?? [])
      .toString()
      .endsWith('"}\n'),
  )
  await session.lease.check()
  await session.close()
  rmSync(scratch.home, { recursive: true })
})

test('a damaged session is exported, its damage told in every format', async () => {
  const scratch = new Scratch()
  const session = await kept(scratch.store(), 'text')
  await session.close()
  appendFileSync(scratch.path(/\.jsonl$/), 'no record\nnor this\n')
  const { damage, json, exact } = done(await exportSession(session.id, options(scratch)))
  assert.deepEqual([damage.length, exact], [2, false])
  const told = JSON.parse([...json()].join(''))
  assert.equal(told.damage.length, 2)
  assert.equal(told.events.length, told.count)
  rmSync(scratch.home, { recursive: true })
})

test('homes, users, machines and processes are hidden in every spelling, and what only looks like them is not', () => {
  const resumed = { seq: 1, type: 'session/resume', data: { epoch: 2, holder: 'box/ab12/40:77:99', rein: '0' } }
  const started = { seq: 0, type: 'session/start', data: { format: 1, id: 's', cwd: `${someHome}/w`, rein: '0' } }
  const events = [started, resumed] as unknown as Parameters<typeof sharing>[1]
  const windows = ['C:', 'Users', 'ada'].join('\\')
  const { hide, removed }: Sharing = sharing({ secrets: plain, homes: [windows], hosts: ['laptop'] }, events)
  const shown: Readonly<Record<string, string>> = {
    [`in ${someHome}/w and ${someHome}`]: 'in ⟦home⟧/w and ⟦home⟧',
    [`file://${someHome}/x`]: 'file://⟦home⟧/x',
    [`${someHome}x/w ${someHome}.old`]: `${someHome}x/w ${someHome}.old`,
    [JSON.stringify({ path: `${windows}\\w` })]: '{"path":"⟦home⟧\\\\w"}',
    'ada@laptop:~$ adamant': '⟦user⟧@⟦host⟧:~$ adamant',
    'on box, not in inbox or box-like': 'on ⟦host⟧, not in inbox or box-like',
    'box/ab12/40:77:99': '⟦process⟧',
  }
  for (const [text, safe] of Object.entries(shown)) {
    assert.equal(hide(text), safe)
    assert.equal(hide(safe), safe)
  }
  assert.deepEqual(removed(), { home: 4, host: 2, process: 1, user: 1 })
})

test('the damaged lines of a session in a database are in its ZIP, redacted and exact', async () => {
  const scratch = new Scratch()
  const store = homeStore({ home: scratch.home, now: Date.now, keep: 'sqlite' })
  const session = await kept(store, 'text')
  const lines = (await bytesOf(done(await store.read(session.id)))).toString().trimEnd().split('\n')
  await session.lease.publish(lines, { name: 'damaged-1', bytes: Buffer.from(`torn in ${someHome}/w`) })
  await session.close()
  const { unzipSync } = await import('fflate')
  for (const [exact, expected] of [
    [false, 'torn in ⟦home⟧/w'],
    [true, `torn in ${someHome}/w`],
  ] as const) {
    const { zip } = done(await exportSession(session.id, { ...options(scratch, exact), store }))
    const files = unzipSync(await bytesOf(zip()))
    assert.equal(Buffer.from(files['aside/damaged-1'] ?? []).toString(), expected)
  }
  rmSync(scratch.home, { recursive: true })
})

test('a whole output that is left out for its name is told, without what the name held', async () => {
  const scratch = new Scratch()
  const session = await kept(scratch.store(), 'text')
  const spilled = await scratch.store().spill(session.id).open('hunter2.txt')
  await spilled.write(Buffer.from('text'))
  await spilled.close()
  await session.close()
  const secrets = (text: string) => text.replaceAll('hunter2', '⟦secret:registered:000000⟧')
  const shared = (events: Parameters<typeof sharing>[1]) => sharing({ secrets, homes: [], hosts: [] }, events)
  const { zip, left } = done(await exportSession(session.id, { ...options(scratch), sharing: shared }))
  assert.deepEqual(left(), [])
  const { unzipSync } = await import('fflate')
  const files = unzipSync(await bytesOf(zip()))
  const [told = '', ...more] = left()
  assert.match(told, /^A whole output called ⟦secret:registered:000000⟧\.txt left out: the name itself held/)
  const manifest = JSON.parse(Buffer.from(files['manifest.json'] ?? []).toString())
  assert.deepEqual([more, manifest.notes.at(-1)], [[], told])
  assert.deepEqual(
    Object.keys(files).filter((name) => name.startsWith('spill/')),
    ['spill/bash.txt'],
  )
  rmSync(scratch.home, { recursive: true })
})
