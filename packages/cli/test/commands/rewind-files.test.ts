import assert from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { Desk } from './desk.ts'

// The demo changes one file of its scratch project; every test goes back from there or forth again.
let desk: Desk
let project: string
const id = 's-1-1'

before(async () => {
  desk = new Desk()
  assert.equal((await desk.run(['demo', '--seed', '1', '--quiet'])).exit, 0)
  project = join(desk.tmp, readdirSync(desk.tmp)[0] ?? '')
})
after(() => desk[Symbol.dispose]())

const contents = (): Record<string, string> =>
  Object.fromEntries(
    readdirSync(project, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => [join(parentPath, name), readFileSync(join(parentPath, name), 'utf8')]),
  )

const first = async (type: string): Promise<string> =>
  String((await desk.events(id)).findIndex((event) => event.type === type))

test('a dry run names the files that would go back and touches none', async () => {
  const now = contents()
  const { exit, out, err } = await desk.run(['rewind', id, '--to', await first('request/sent'), '--files', '--dry-run'])
  assert.deepEqual([exit, err], [0, ''])
  assert.match(out, /1 file would go back:\n {2}~ \S+\n/)
  assert.deepEqual(contents(), now)
})

test('--files takes back what the session changed; the line that is told brings it back, messages and files', async () => {
  const now = contents()
  const gone = await desk.run(['rewind', id, '--to', await first('request/sent'), '--files'])
  assert.match(gone.err, /1 file went back/)
  assert.notDeepEqual(contents(), now)
  const [, back = ''] = /take it back with: rein (rewind s-1-1 --to \d+ --files)/.exec(gone.err) ?? []
  const again = await desk.run(back.split(' '))
  assert.match(again.out, /come back to what the model sees/)
  assert.deepEqual(contents(), now)
  assert.match((await desk.run(['verify', id])).out, /^clean/)
})

test('a file that was changed by hand since stays, unless --overwrite is said', async () => {
  const { out } = await desk.run(['rewind', id, '--to', await first('request/sent'), '--files', '--dry-run'])
  const [, name = ''] = /~ (\S+)/.exec(out) ?? []
  writeFileSync(join(project, name), 'mine')
  const kept = await desk.run(['rewind', id, '--to', await first('request/sent'), '--files'])
  assert.match(kept.out, /Changed by somebody else since, and kept without --overwrite:\n {2}~ /)
  assert.equal(readFileSync(join(project, name), 'utf8'), 'mine')
  const taken = await desk.run(['rewind', id, '--to', await first('request/sent'), '--files', '--overwrite'])
  assert.equal(taken.exit, 0)
  assert.notEqual(readFileSync(join(project, name), 'utf8'), 'mine')
})

test('--overwrite without --files is refused', async () => {
  const { exit, err } = await desk.run(['rewind', id, '--to', '1', '--overwrite'])
  assert.deepEqual([exit, /--files/.test(err)], [2, true])
})
