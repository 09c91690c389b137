import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { questionText, read } from '../src/asking.ts'

const request = {
  id: 'ap-1',
  call: 'call_1',
  what: 'Run npm test?',
  detail: { command: 'npm test', offer: { scope: 'session', rule: 'npm test' } },
  signal: new AbortController().signal,
} as const

const { detail: _none, ...plain } = request

test('only a clear yes allows', () => {
  for (const yes of ['y', 'Y', ' yes ']) {
    assert.deepEqual(read(yes, request), { kind: 'answer', decision: { decision: 'allowed-once', by: 'person' } })
  }
  fc.assert(
    fc.property(fc.string(), (line) => {
      const said = read(line, request)
      const allows = said.kind === 'answer' && said.decision.decision === 'allowed-once'
      return allows === /^\s*(y|yes|s|session)\s*$/i.test(line)
    }),
  )
})

test('nothing at all is a no, and words behind a no go to the model', () => {
  assert.deepEqual(read('', request), { kind: 'answer', decision: { decision: 'denied', by: 'person' } })
  const words = { kind: 'answer', decision: { decision: 'denied', by: 'person', words: 'use pnpm' } }
  assert.deepEqual(read('no, use pnpm', request), words)
  assert.deepEqual(read('use pnpm', request), words)
})

test('a yes with words behind it is asked about again', () => {
  assert.deepEqual(read('yes but only once', request), { kind: 'unclear' })
})

test('s allows this very command for the session, where that is offered', () => {
  assert.deepEqual(read('s', request), {
    kind: 'answer',
    decision: { decision: 'allowed-once', by: 'person' },
    grant: 'npm test',
  })
  assert.match(questionText(request), /\[y\/N\/s\/\?\]$/)
  assert.equal(read('s', plain).kind, 'unclear')
  assert.match(questionText(plain), /\[y\/N\/\?\]$/)
})

test('a question mark asks what the answers mean and decides nothing', () => {
  assert.equal(read(' ? ', request).kind, 'unclear')
})

test('a question cannot move the cursor', () => {
  const esc = String.fromCharCode(27)
  assert.doesNotMatch(questionText({ ...plain, what: `Run ${esc}[2Jls?` }), new RegExp(esc))
})
