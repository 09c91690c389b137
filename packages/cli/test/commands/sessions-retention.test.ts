import assert from 'node:assert/strict'
import { existsSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { Desk } from './desk.ts'

const desk = new Desk()
const id = 's-31-1'
const day = 86_400_000
const state = `${desk.home}/retention.json`
before(async () => {
  await desk.demo(31)
})
after(() => desk[Symbol.dispose]())

/** A session of long ago, which a look a day ago already found old. */
async function seenOld(): Promise<string> {
  const old = (await desk.run(['fork', id])).out.trim()
  const changed = Math.floor((Date.now() - 40 * day) / 1000)
  utimesSync(desk.log(old), changed, changed)
  const at = Date.now() - 2 * day
  writeFileSync(state, JSON.stringify({ at, old: { [old]: changed * 1000 } }))
  utimesSync(state, at / 1000, at / 1000)
  return old
}

const isListed = async (old: string): Promise<boolean> => (await desk.run(['sessions'])).out.includes(old)

describe('sessions.keep.days', () => {
  test('unset, nothing is ever put away', async () => {
    const old = await seenOld()
    assert.ok(await isListed(old))
    assert.ok(await isListed(old))
    assert.ok(!existsSync(state))
  })

  test('a project cannot turn it on', async () => {
    const old = await seenOld()
    mkdirSync(`${desk.project}/.rein`, { recursive: true })
    writeFileSync(`${desk.project}/.rein/rein.yaml`, 'sessions: { keep: { days: 1 } }\n')
    assert.ok(await isListed(old))
    assert.ok(await isListed(old))
    writeFileSync(`${desk.project}/.rein/rein.yaml`, '')
  })

  test('set, what is older goes to the trash with a line that says so, and the trash is emptied by nobody', async () => {
    const old = await seenOld()
    writeFileSync(`${desk.home}/rein.yaml`, 'sessions: { keep: { days: 30 } }\n')
    const first = await desk.run(['sessions'])
    assert.match(first.err, /^Put 1 session into the trash, unchanged for 30 days \(sessions\.keep\.days\);/)
    const later = await desk.run(['sessions'])
    assert.ok(!later.out.includes(old) && later.out.includes(id))
    assert.equal(later.err, '')
    assert.match((await desk.run(['sessions', 'trash'])).out, new RegExp(old))
    assert.ok(existsSync(state))
  })
})
