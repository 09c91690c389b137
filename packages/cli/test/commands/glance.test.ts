import assert from 'node:assert/strict'
import { test } from 'node:test'
import { glance } from '../../src/commands/glance.ts'

const posted = (text: string): string =>
  JSON.stringify({
    seq: 3,
    time: 0,
    type: 'inbox/spliced',
    data: { lane: 'next-turn', insert: [{ id: 'i', content: [{ type: 'text', text }], source: { kind: 'person' } }] },
    hash: '0',
  })
const turn = (type: string, outcome?: string): string => JSON.stringify({ seq: 9, type, data: { turn: 1, outcome } })

test('the title is the first line of the first prompt', () => {
  const { title, prompt } = glance({ head: `${posted('Fix it.\nSoon.')}\n`, tail: '' }, 'free')
  assert.deepEqual([title, prompt], ['Fix it.', 'Fix it.\nSoon.'])
})

test('a prompt that is longer than what is read gives its beginning', () => {
  const { title } = glance({ head: posted(`Look at "this"\n${'x'.repeat(9000)}`).slice(0, 5000), tail: 'rest' }, 'free')
  assert.equal(title, 'Look at "this"')
})

test('a title that was given later wins', () => {
  const titled = '{"seq":8,"type":"session/title","data":{"title":"Better","by":"person"}}'
  assert.equal(glance({ head: `${posted('Fix it.')}\n`, tail: `cut off line\n${titled}\n` }, 'free').title, 'Better')
})

test('a turn that began and did not end is open', () => {
  const ends = (lines: readonly string[]) => ({ head: `${lines.join('\n')}\n`, tail: '' })
  assert.equal(
    glance(ends([turn('turn/start'), turn('turn/end', 'budget'), turn('turn/start')]), 'free').outcome,
    'open',
  )
  assert.equal(glance(ends([turn('turn/start'), turn('turn/end', 'budget')]), 'free').outcome, 'budget')
  assert.equal(glance(ends([posted('Fix it.')]), 'free').outcome, null)
  assert.equal(glance({ head: `${posted('x')}\n`, tail: 'only the middle of a long turn\n' }, 'held').outcome, 'open')
})

test('whatever lies there, a glance is taken without trouble', () => {
  for (const head of ['', '\0\0\0', '{"type":"turn/end"', 'null\n[]\n"turn/end"', '{"type":"inbox/spliced","data":7'])
    assert.deepEqual(glance({ head, tail: '' }, 'broken'), { title: '', prompt: '', outcome: null })
})
