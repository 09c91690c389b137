import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { jsonlStore, processHolder } from '@rein/harness'
import { Desk } from './desk.ts'

const desk = new Desk()
const id = 's-21-1'
before(async () => {
  await desk.demo(21)
})
after(() => desk[Symbol.dispose]())

describe('rein sessions title', () => {
  test('a title given by a person stands in the log and in the list, also behind a long turn', async () => {
    assert.equal((await desk.run(['sessions', 'title', id, '  The demo,\n renamed ']))?.exit, 0)
    const titles = (await desk.events(id)).filter(({ type }) => type === 'session/title')
    assert.deepEqual(titles.at(-1)?.data, { title: 'The demo, renamed', by: 'person' })
    const { title, titledBy } = JSON.parse((await desk.run(['sessions', id, '--json'])).out)
    assert.deepEqual([title, titledBy], ['The demo, renamed', 'person'])
    assert.equal((await desk.run(['verify', id])).exit, 0)
  })

  test('a title nobody could read is refused, and nothing is written', async () => {
    const before = readFileSync(desk.log(id), 'utf8')
    for (const [title, says] of [
      ['', /needs something that can be read/],
      [' \u200b\u202e ', /needs something that can be read/],
      ['red \u001b[31m', /no control characters/],
      ['x'.repeat(201), /at most 200 characters, not 201/],
    ] as const) {
      const { exit, err } = await desk.run(['sessions', 'title', id, title])
      assert.equal(exit, 2, JSON.stringify(title))
      assert.match(err, says)
    }
    assert.equal(readFileSync(desk.log(id), 'utf8'), before)
  })

  test('a session that is open elsewhere keeps its title, and the sentence says what to do', async () => {
    const store = jsonlStore({ home: desk.home, now: Date.now })
    const lease = await store.acquire(id, { holder: { ...processHolder(), host: 'elsewhere' } })
    assert.ok(lease.ok)
    try {
      const { exit, err } = await desk.run(['sessions', 'title', id, 'Mine now'])
      assert.equal(exit, 2)
      assert.match(err, /open in another process.*Give the title when that process has ended/s)
    } finally {
      await lease.value.release()
    }
  })
})
