import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { fold, surface } from '@rein/session'
import { Desk } from './desk.ts'

test('what had come of a reply when its process died is shown, and the model does not see it', async () => {
  using desk = new Desk()
  await desk.demo(3)
  const log = desk.log('s-3-1')
  const lines = readFileSync(log, 'utf8').split('\n')
  const chunks = lines.findIndex((line) => line.includes('"type":"assistant/chunks"'))
  writeFileSync(log.replace('s-3-1.jsonl', 's-cut.jsonl'), `${lines.slice(0, chunks + 1).join('\n')}\n`)

  const open = await desk.run(['show', 's-cut'])
  assert.match(open.out, /^I look at the project first\.\n— so far; .* \(it had begun to ask for glob, read\) —$/m)

  const forked = (await desk.run(['fork', 's-cut'])).out.trim()
  const closed = await desk.run(['show', forked])
  assert.match(closed.out, /^I look at the project first\.\n— the reply broke off here; the model does not see it/m)
  assert.equal(closed.out.match(/I look at the project/g)?.length, 1)
  const seen = [...fold(surface, await desk.events(forked)).messages].map(({ type }) => type)
  assert.ok(!seen.includes('assistant/message'))

  const whole = await desk.run(['show', 's-3-1'])
  assert.equal(whole.out.match(/I look at the project/g)?.length, 1)
})
