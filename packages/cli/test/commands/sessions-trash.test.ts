import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { Desk } from './desk.ts'

const desk = new Desk()
const id = 's-22-1'
before(async () => {
  assert.equal((await desk.run(['demo', '--seed', '22', '--quiet'])).exit, 0)
})
after(() => desk[Symbol.dispose]())

const forked = async (): Promise<string> => (await desk.run(['fork', id])).out.trim()
const trashed = async (): Promise<readonly string[]> =>
  (await desk.run(['sessions', 'trash', '--json'])).out
    .split('\n')
    .filter(Boolean)
    .map((line): string => JSON.parse(line).id)
const listed = async (): Promise<string> => (await desk.run(['sessions'])).out

describe('rein sessions trash', () => {
  test('what is put away leaves the list, stands in the trash with its size, and comes back as it was', async () => {
    const one = await forked()
    const before = await desk.events(one)
    assert.equal((await desk.run(['sessions', 'trash', one])).exit, 0)
    assert.ok(!(await listed()).includes(one))
    const { out, err } = await desk.run(['sessions', 'trash'])
    assert.match(out, new RegExp(`${one} .* KB`))
    assert.match(err, /1 session, .* KB; --restore NAME/)
    assert.equal((await desk.run(['sessions', 'trash', '--restore', one])).out, `${one}\n`)
    assert.deepEqual(await desk.events(one), before)
    assert.ok((await listed()).includes(one))
  })

  test('when one of several is not there, none of them is put away', async () => {
    const one = await forked()
    const { exit } = await desk.run(['sessions', 'trash', one, 's-nobody'])
    assert.notEqual(exit, 0)
    assert.ok((await listed()).includes(one))
  })

  test('only --empty deletes: with --yes where nobody can be asked, and what was named alone', async () => {
    const [one, other] = [await forked(), await forked()]
    await desk.run(['sessions', 'trash', one, other])
    const unasked = await desk.run(['sessions', 'trash', '--empty'])
    assert.equal(unasked.exit, 2)
    assert.match(unasked.err, /deletes 2 sessions, .* for good.*--yes/s)
    assert.equal((await desk.run(['sessions', 'trash', '--empty', 's-nobody', '--yes'])).exit, 2)
    assert.match(
      (await desk.run(['sessions', 'trash', '--restore', 's-nobody'])).err,
      /nothing in the trash is named "s-nobody"\n {2}`rein sessions trash` has the names/,
    )
    assert.deepEqual(new Set(await trashed()), new Set([one, other]))
    const named = await desk.run(['sessions', 'trash', '--empty', one, '--yes'])
    assert.match(named.out, /Deleted for good: 1 session, /)
    assert.deepEqual(await trashed(), [other])
    await desk.run(['sessions', 'trash', '--empty', '--yes'])
    assert.deepEqual(await trashed(), [])
    assert.ok(existsSync(desk.log(id)))
  })

  test('flags that say different things are refused', async () => {
    for (const argv of [['--empty', '--restore', 'x'], ['--yes'], ['x', '--restore', 'y'], ['x', '--json']])
      assert.equal((await desk.run(['sessions', 'trash', ...argv])).exit, 2, argv.join(' '))
  })
})
