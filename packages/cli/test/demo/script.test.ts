import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ChatMessage, ChatRequest } from '@rein/harness'
import { cure, fault, source } from '../../src/demo/project.ts'
import { reply } from '../../src/demo/script.ts'

const asked = (messages: readonly ChatMessage[]): ChatRequest => ({ model: 'scripted', messages, tools: [], body: {} })
const person: ChatMessage = { role: 'user', content: 'The test fails.' }

/** A call and its result, as they stand in a request. */
let ids = 0
function called(name: string, args: object, result: string): readonly ChatMessage[] {
  const id = `c${++ids}`
  return [
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id, type: 'function', function: { name, arguments: JSON.stringify(args) } }],
    },
    { role: 'tool', tool_call_id: id, content: result },
  ]
}

const glob = called('glob', { pattern: '**/*' }, `README.md\n${source}\ntest.js`)
const readTest = called('read', { path: 'test.js' }, '1\timport')
const planned = called('todo', { items: [] }, '0 of 4 done, 1 active, 3 pending.')
const ready = [person, ...glob, ...readTest, ...planned]
const failing = called('bash', {}, '2 passed, 1 failed\n[exit code 1]')
const passing = called('bash', {}, '3 passed, 0 failed')
const faulty = called('read', { path: source }, `1\tcode\n9\t${fault}`)
const edited = called('edit', {}, `Edited ${source} in 1 place.`)
const unknown = 'The process stopped while this call was running. Its outcome is unknown.'

/** The calls of the reply, or its text when it makes none. */
function next(...messages: readonly ChatMessage[]): readonly string[] | string {
  const { calls, text = '' } = reply(asked(messages))
  return calls ? calls.map(({ name }) => name) : text
}

describe('the model of the demo', () => {
  test('goes by what it has seen, one step after the other', () => {
    assert.deepEqual(next(person), ['glob', 'read'])
    assert.deepEqual(next(person, ...glob), ['read'])
    assert.deepEqual(next(...ready), ['bash'])
    assert.deepEqual(next(...ready, ...failing), ['read'])
    assert.deepEqual(next(...ready, ...failing, ...faulty), ['edit'])
    assert.deepEqual(next(...ready, ...failing, ...faulty, ...edited), ['bash'])
    assert.deepEqual(next(...ready, ...failing, ...faulty, ...edited, ...passing), ['todo'])
  })

  test('never says that the test passes before it saw it pass', () => {
    const cutOff = called('bash', {}, unknown)
    assert.deepEqual(next(...ready, ...failing, ...faulty, ...edited, ...cutOff), ['bash'])
    assert.deepEqual(next(...ready, ...failing, ...faulty, ...edited, ...failing), ['read'])
  })

  test('looks again when it does not know whether the edit took effect', () => {
    const cutOff = called('edit', {}, unknown)
    assert.deepEqual(next(...ready, ...failing, ...faulty, ...cutOff), ['bash'])
    assert.deepEqual(next(...ready, ...failing, ...faulty, ...cutOff, ...failing), ['read'])
    const cured = called('read', { path: source }, `1\tcode\n9\t${cure}`)
    assert.match(String(next(...ready, ...failing, ...cured)), /is not the file I know/)
  })

  test('stops, and says so, when commands are refused', () => {
    const denied = called('bash', {}, 'This call was denied by permissions.')
    assert.deepEqual(next(...ready, ...denied, ...denied), ['bash'])
    assert.match(String(next(...ready, ...denied, ...denied, ...denied)), /cannot tell whether the test passes/)
    const told: ChatMessage = { role: 'assistant', content: 'I cannot tell.' }
    assert.deepEqual(next(...ready, ...denied, ...denied, ...denied, told, person), ['bash'])
  })

  test('gives up when it gets nowhere', () => {
    const lost = Array.from({ length: 40 }, () => called('glob', {}, 'No file matches.')).flat()
    assert.match(String(next(person, ...lost)), /do not get anywhere/)
  })
})
