import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { Desk, forged } from './desk.ts'

const desk = new Desk()
const id = 's-12-1'
before(async () => {
  assert.equal((await desk.run(['demo', '--seed', '12', '--quiet'])).exit, 0)
})
after(() => desk[Symbol.dispose]())

describe('rein verify', () => {
  test('proves every request and prints the head hash', async () => {
    const { exit, out } = await desk.run(['verify', id])
    const events = await desk.events(id)
    assert.equal(exit, 0)
    assert.match(out, new RegExp(`^clean {2}${id}\n {2}requests {2}8 of 8 `))
    assert.ok(out.includes(events.at(-1)?.hash ?? '?'))
  })

  test('a log that does not give what was sent is FALSE, exit 6', async () => {
    desk.write(id, 's-forged', forged(await desk.events(id)))
    const { exit, out } = await desk.run(['verify', 's-forged'])
    assert.equal(exit, 6)
    assert.match(out, /^FALSE {2}s-forged\n[\s\S]*is not what the log gives/)
  })

  test('a log of a newer format cannot be proved, exit 6', async () => {
    const events = await desk.events(id)
    const [first, ...rest] = events
    assert.ok(first?.type === 'session/start')
    desk.write(id, 's-newer', [{ ...first, data: { ...first.data, format: 99 } }, ...rest])
    assert.equal((await desk.run(['verify', 's-newer'])).exit, 6)
  })

  test('a running log is an open tail, which is sound', async () => {
    const events = await desk.events(id)
    desk.write(id, 's-open', events.slice(0, -1))
    const { exit, out } = await desk.run(['verify', 's-open'])
    assert.equal(exit, 0)
    assert.match(out, /^open tail {2}s-open/)
  })

  test('--all has one line a session and a summary, and the worst decides the exit', async () => {
    desk.write(id, 's-forged', forged(await desk.events(id)))
    const { exit, out } = await desk.run(['verify', '--all'])
    const lines = out.trimEnd().split('\n')
    assert.equal(exit, 6)
    assert.ok(lines.some((line) => line.startsWith('clean') && line.includes(id)))
    assert.ok(lines.some((line) => line.startsWith('FALSE') && line.includes('s-forged')))
    assert.match(lines.at(-1) ?? '', /^\d+ sessions: .*1 FALSE/)
  })

  test('needs a session or --all, not both', async () => {
    assert.equal((await desk.run(['verify'])).exit, 2)
    assert.equal((await desk.run(['verify', id, '--all'])).exit, 2)
    assert.equal((await desk.run(['verify', 'nobody'])).exit, 2)
  })
})

describe('rein fork', () => {
  test('makes a session of the prefix that verifies, and leaves the parent alone', async () => {
    const parent = readFileSync(desk.log(id))
    const { exit, out, err } = await desk.run(['fork', id, '--at', '30'])
    const forked = out.trim()
    assert.equal(exit, 0)
    assert.ok(err.includes(`rein resume ${forked}`))
    assert.match((await desk.run(['verify', forked])).out, /^clean/)
    assert.deepEqual((await desk.events(forked)).slice(0, 31), (await desk.events(id)).slice(0, 31))
    assert.deepEqual(readFileSync(desk.log(id)), parent)
  })

  test('refuses an event that is not there', async () => {
    const { exit, err } = await desk.run(['fork', id, '--at', '9999'])
    assert.equal(exit, 2)
    assert.match(err, /there is no event 9999/)
  })
})
