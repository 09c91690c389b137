import assert from 'node:assert/strict'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, test } from 'node:test'
import { jsonlStore, processHolder } from '@rein/harness'
import type { Desk } from './desk.ts'
import { findings, id, ready, words } from './diagnosis.ts'

function damage(desk: Desk): Buffer {
  const lines = readFileSync(desk.log(id), 'utf8').split('\n')
  const bytes = Buffer.from(
    lines
      .with(9, `${lines[9]?.slice(0, 40)}\xff\0`)
      .toSpliced(20, 2)
      .join('\n'),
    'latin1',
  )
  writeFileSync(desk.log(id), bytes)
  return bytes
}

describe('rein doctor', () => {
  test('finds nothing wrong where nothing is, and says what it looked at', async () => {
    using desk = await ready()
    const { exit, out } = await desk.run(['doctor'])
    assert.equal(exit, 0, out)
    assert.match(out, /^environment\n {2}✓ node: Node \d+/)
    assert.match(out, /^sessions\n {2}✓ 1 session read \[sessions\]$/m)
    assert.match(out, /\nnothing is wrong\n$/)
  })

  test('a damaged log is exit 6; --fix declares it and keeps every byte of it; after that nothing is left to say', async () => {
    using desk = await ready()
    const before = damage(desk)
    const found = await findings(desk)
    assert.equal(found.exit, 6)
    const [damaged] = found.told.filter(({ level }) => level === 'damaged')
    assert.deepEqual([damaged?.word, damaged?.about], ['session-damaged', id])
    assert.match(
      damaged?.says ?? '',
      /^3 events and \d+ B lost in 3 places \(\S+, from line 10, byte \d+\), not declared$/,
    )
    assert.deepEqual(readFileSync(desk.log(id)), before)

    const fixed = await findings(desk, '--fix')
    assert.equal(fixed.exit, 0)
    const [one] = fixed.told.filter(({ level }) => level === 'fixed')
    assert.match(one?.says ?? '', /^3 lost events declared in 3 places; the log as it was \(\d+ KB\) is kept in \//)
    assert.deepEqual(readFileSync(one?.says.split(' is kept in ')[1] ?? ''), before)
    assert.match((await desk.run(['verify', id])).out, /^declared damage/)

    const again = await findings(desk, '--fix')
    assert.deepEqual([again.exit, words(again.told, 'fixed'), words(again.told, 'damaged')], [0, [], []])
    assert.deepEqual(words(again.told, 'note'), ['session-declared'])
  })

  test('in a database too, --fix declares what is damaged in a log whose process died over it', async () => {
    using desk = await ready()
    assert.equal((await desk.run(['sessions', 'move', id, '--to', 'sqlite'])).exit, 0)
    const path = join(desk.home, 'sessions.sqlite')
    const { host, started } = processHolder()
    {
      using db = new DatabaseSync(path)
      db.prepare('UPDATE session SET host = ?, pid = ?, started = ?, renewed = ?').run(
        host,
        4_100_001,
        started,
        Date.now(),
      )
      db.exec(`UPDATE line SET bytes = x'7b00' WHERE at % 4294967296 = 9`)
    }
    const found = await findings(desk)
    assert.deepEqual([found.exit, words(found.told, 'damaged')], [6, ['session-damaged']])
    const fixed = await findings(desk, '--fix')
    assert.equal(fixed.exit, 0)
    const [one] = fixed.told.filter(({ level }) => level === 'fixed')
    assert.match(
      one?.says ?? '',
      /^1 lost event declared in 1 place; the log as it was \(\d+ KB\) is kept in \S+ in its store$/,
    )
    assert.match((await desk.run(['verify', id])).out, /^declared damage/)
    assert.deepEqual(words((await findings(desk)).told, 'note'), ['session-declared'])
    using db = new DatabaseSync(path)
    const [aside] = db.prepare('SELECT length(bytes) AS bytes FROM aside').all()
    assert.ok(Number(aside?.['bytes']) > 10_000)
  })

  test('--fix does not touch a session that is held', async () => {
    using desk = await ready()
    const store = jsonlStore({ home: desk.home, now: Date.now })
    const lease = await store.acquire(id, { holder: processHolder() })
    assert.ok(lease.ok)
    const before = damage(desk)
    const { exit, told } = await findings(desk, '--fix')
    assert.deepEqual([exit, words(told, 'damaged')], [6, ['session-damaged']])
    assert.deepEqual(readFileSync(desk.log(id)), before)
    await lease.value.release()
  })

  test('a tail that was cut and a turn that was broken off are told, and are nothing wrong', async () => {
    using desk = await ready()
    const size = readFileSync(desk.log(id)).length
    truncateSync(desk.log(id), size - 9)
    const cut = await findings(desk, '--fix')
    assert.deepEqual([cut.exit, words(cut.told, 'note')], [0, ['session-open-tail']])
    const lines = readFileSync(desk.log(id), 'utf8').split('\n')
    writeFileSync(desk.log(id), `${lines.slice(0, 20).join('\n')}\n`)
    const open = await findings(desk)
    assert.deepEqual([open.exit, words(open.told, 'note')], [0, ['session-interrupted']])
  })

  test('a log of a newer version is told as one, and nobody touches it', async () => {
    using desk = await ready()
    const events = await desk.events(id)
    const [first, ...rest] = events
    assert.ok(first?.type === 'session/start')
    desk.write(id, 's-newer', [{ ...first, data: { ...first.data, format: 99, rein: '7.7.7' } }, ...rest])
    const path = desk.log('s-newer')
    const before = readFileSync(path)
    const { exit, told } = await findings(desk, '--fix')
    const [newer] = told.filter(({ word }) => word === 'session-newer')
    assert.deepEqual([exit, newer?.about], [0, 's-newer'])
    assert.match(newer?.next ?? '', /7\.7\.7/)
    assert.deepEqual(readFileSync(path), before)
    assert.deepEqual(
      readdirSync(dirname(path)).filter((name) => name.startsWith('s-newer')),
      ['s-newer.jsonl'],
    )
  })

  test('what interrupted work left goes to the trash with --fix, and nothing else does', async () => {
    using desk = await ready()
    const folder = dirname(desk.log(id))
    writeFileSync(join(folder, `${id}.9.copy`), 'half')
    mkdirSync(join(folder, 's-gone.blobs'))
    const log = readFileSync(desk.log(id))
    const before = await findings(desk)
    assert.deepEqual([before.exit, words(before.told, 'note')], [0, ['leftover', 'leftover']])
    const fixed = await findings(desk, '--fix')
    assert.deepEqual([fixed.exit, words(fixed.told, 'fixed')], [0, ['leftover-moved', 'leftover-moved']])
    const [workspace = ''] = readdirSync(join(desk.home, 'trash'))
    const moved = join(desk.home, 'trash', workspace)
    assert.equal(readFileSync(join(moved, `${id}-leftovers`, `${id}.9.copy`), 'utf8'), 'half')
    assert.ok(existsSync(join(moved, 's-gone-leftovers', 's-gone.blobs')))
    assert.deepEqual(readFileSync(desk.log(id)), log)
    assert.deepEqual(words((await findings(desk)).told, 'note'), [])
  })

  test('what is wrong with settings and keys is told with its place, exit 1', async () => {
    using desk = await ready()
    const yaml =
      'model: gone/m\nproviders:\n  a: { dialect: openai-chat, baseUrl: http://127.0.0.1:1/v1, key: { env: A_KEY } }\nmodle: x\n'
    writeFileSync(join(desk.home, 'rein.yaml'), yaml)
    writeFileSync(join(desk.home, 'credentials.yaml'), 'b: something\n', { mode: 0o644 })
    chmodSync(desk.home, 0o755)
    const { exit, told } = await findings(desk)
    const trouble = told.filter(({ level }) => level === 'trouble')
    assert.equal(exit, 1)
    assert.deepEqual(
      trouble.map(({ word }) => word),
      ['home-open', 'settings-wrong', 'model-wrong', 'credentials-open', 'credential-missing'],
    )
    assert.match(trouble[1]?.says ?? '', /rein\.yaml:4.*modle/)
    assert.match(trouble[4]?.says ?? '', /A_KEY/)
    assert.ok(!JSON.stringify(told).includes('something'))
  })

  test('a database is checked; an index that is spoilt is only noted, for it is built anew', async () => {
    using desk = await ready()
    writeFileSync(join(desk.home, 'index.sqlite'), 'no database at all'.repeat(300))
    const index = await findings(desk)
    assert.deepEqual([index.exit, words(index.told, 'note')], [0, ['index-damaged']])
    rmSync(join(desk.home, 'index.sqlite'))
    writeFileSync(join(desk.home, 'other.sqlite'), 'no database at all'.repeat(300))
    const store = await findings(desk)
    assert.deepEqual([store.exit, words(store.told, 'trouble')], [1, ['store-damaged']])
  })
})
