import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { after, before, test } from 'node:test'
import { Desk } from './desk.ts'

const desk = new Desk()
const id = 's-7-1'
before(async () => {
  assert.equal((await desk.run(['demo', '--seed', '7'])).exit, 0)
})
after(() => desk[Symbol.dispose]())

/** A stdin that somebody pipes text into. */
const piped = (text: string) => ({ stdin: new PassThrough().end(text) as unknown as NodeJS.ReadStream })

test('an export is a file named after the session, and nothing is overwritten', async () => {
  for (const kind of ['html', 'json', 'zip']) {
    const made = await desk.run(['export', id, `--${kind}`])
    assert.deepEqual([made.exit, made.out], [0, ''])
    const again = await desk.run(['export', id, `--${kind}`])
    assert.equal(again.exit, 2)
    assert.match(again.err, /is there already/)
  }
  const names = readdirSync(desk.project).filter((name) => name.startsWith(id))
  assert.deepEqual(names.sort(), [`${id}.html`, `${id}.json`, `${id}.zip`])
})

test('an export says that it is redacted and cannot be verified, and holds no secret of this machine', async () => {
  const secret = 'a-token-of-mine-123'
  await desk.run(['sessions', 'title', id, `about ${secret} in ${homedir()}/x`])
  const env = { MY_TOKEN: secret }
  const json = await desk.run(['export', id, '--json', '-o', '-'], { env })
  const told = JSON.parse(json.out)
  assert.deepEqual([told.format, told.redacted, told.verifiable, told.session], ['rein-session', true, false, id])
  assert.equal(told.events.length, told.count)
  assert.ok(told.removed.registered >= 1)
  assert.match(json.err, /Removed: .*registered \(\d+ times?\)/)
  const html = await desk.run(['export', id, '--html', '--output', '-'], { env })
  for (const { out } of [json, html]) {
    assert.ok(!out.includes(secret))
    assert.ok(!out.includes(`${homedir()}/x`))
    assert.match(out, /⟦secret:registered:[0-9a-f]{6}⟧ in ⟦home⟧\/x/)
  }
})

test('formats exclude each other, and only a ZIP can be exact', async () => {
  for (const argv of [[], ['--html', '--json'], ['--exact'], ['--html', '--exact'], ['--json', '--exact']]) {
    const refused = await desk.run(['export', id, ...argv])
    assert.deepEqual([refused.exit, refused.out], [2, ''])
  }
})

test('an exact ZIP is imported elsewhere and verifies; a redacted one says so', async () => {
  using other = new Desk()
  const file = join(other.project, 'exact.zip')
  assert.equal((await desk.run(['export', id, '--zip', '--exact', '-o', file])).exit, 0)
  const imported = await other.run(['sessions', 'import', 'exact.zip'])
  assert.deepEqual([imported.exit, imported.out], [0, `${id}\n`])
  assert.match(imported.err, /not taken over: full access/)
  assert.match((await other.run(['verify', id])).out, /^clean/)
  const again = await other.run(['sessions', 'import', 'exact.zip'])
  assert.match(again.err, /--as NEW/)
  await desk.run(['export', id, '--zip', '-o', join(other.project, 'shared.zip')])
  assert.equal((await other.run(['sessions', 'import', 'shared.zip', '--as', 'copy'])).exit, 0)
  assert.match((await other.run(['verify', 'copy'])).out, /^redacted/)
  writeFileSync(join(other.project, 'none.zip'), 'PK')
  const refused = await other.run(['sessions', 'import', 'none.zip'])
  assert.equal(refused.exit, 2)
  assert.match(refused.err, /not an exported session/)
})

test('a value is taken from stdin, so that it stands in no history, and is gone from the session', async () => {
  const before = desk.paths(/\.jsonl$/).map((path) => readFileSync(path, 'utf8'))
  assert.ok(before.some((text) => text.includes('cart.js')))
  assert.match((await desk.run(['sessions', 'cart.js'])).out, /cart\.js/)
  writeFileSync(join(desk.home, 'index.sqlite.broken'), 'cart.js')
  const done = await desk.run(['redact', id], piped('cart.js\n'))
  assert.equal(done.exit, 0, done.err)
  assert.match(done.err, /in the trash, as \S*s-7-1-unredacted: the value is still there/)
  for (const index of ['index.sqlite', 'index.sqlite.broken']) assert.ok(!existsSync(join(desk.home, index)))
  assert.match((await desk.run(['sessions', 'cart.js'])).err, /No session matches/)
  for (const path of desk.paths(/\.jsonl$/)) assert.ok(!readFileSync(path, 'utf8').includes('cart.js'))
  assert.match((await desk.run(['verify', id])).out, /^redacted/)
  const none = await desk.run(['redact', id, '--value', 'cart.js'])
  assert.equal(none.exit, 2)
  assert.match(none.err, /stands nowhere/)
})

test('with --purge no copy is kept, and it is said, as is what the trash holds of earlier ones', async () => {
  const done = await desk.run(['redact', id, '--value', 'percent', '--value', 'discount', '--purge'])
  assert.equal(done.exit, 0, done.err)
  assert.match(done.err, /as it was is deleted/)
  assert.match(done.err, /Copies of it in the trash are as they were: \S*s-7-1-unredacted\S*\.$/m)
})

test('a second redaction names its own copy in the trash', async () => {
  const done = await desk.run(['redact', id, '--value', 'cents'])
  const [, name = ''] = /in the trash, as (\S+): the value/.exec(done.err) ?? []
  assert.match(name, /s-7-1-unredacted-2$/)
  assert.match((await desk.run(['sessions', 'trash'])).out, new RegExp(name))
})

test('a session in a database is redacted: the database holds the value no more, and the trash has it as files', async () => {
  assert.equal((await desk.run(['demo', '--seed', '8', '--quiet'])).exit, 0)
  assert.equal((await desk.run(['sessions', 'move', 's-8-1', '--to', 'sqlite'])).exit, 0)
  const holding = () =>
    readdirSync(desk.home).filter(
      (name) => name.startsWith('sessions.sqlite') && readFileSync(join(desk.home, name)).includes('cart.js'),
    )
  assert.notDeepEqual(holding(), [])
  const done = await desk.run(['redact', 's-8-1', '--value', 'cart.js'])
  assert.match(done.err, /in the trash, as \S*s-8-1-unredacted: the value is still there/)
  assert.ok(!done.err.includes('It still stands in'))
  assert.deepEqual(holding(), [])
  assert.match((await desk.run(['sessions', 'trash'])).out, /s-8-1-unredacted/)
})
