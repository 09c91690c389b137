import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Desk } from './desk.ts'

const desk = new Desk()
after(() => desk[Symbol.dispose]())

const ran = await desk.run(['demo', '--seed', '7', '--quiet'])
const [id = ''] = desk.paths(/\.jsonl$/).map((path) => path.replace(/^.*\/|\.jsonl$/g, ''))

test('the demo replays as it was', async () => {
  assert.equal(ran.exit, 0)
  const { exit, out, err } = await desk.run(['replay', id])
  assert.equal(err, '')
  assert.match(out, /^the same /)
  assert.equal(exit, 0)
})

test('the demo with its tools run again in a copy gives the same results but for what takes time', async () => {
  const { exit, out, err } = await desk.run(['replay', id, '--tools', 'live'])
  assert.equal(err, '')
  console.log(exit, out)
})
