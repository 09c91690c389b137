import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fold } from '@rein/session'
import { todoList, todoTool } from '../../src/builtin/todo.ts'
import { FakeSession, told, viewed } from './context.ts'

const todo = todoTool()

test('the list is replaced whole, counted, and a fold of the log', async () => {
  const session = new FakeSession('/w')
  const first = [
    { text: 'a', state: 'done' },
    { text: 'b', state: 'active' },
    { text: 'c', state: 'pending' },
  ]
  const output = await session.call(todo, { items: first })
  assert.equal(told(output), '1 of 3 done, 1 active, 1 pending.')
  assert.deepEqual(viewed(output, 'items'), first)
  assert.deepEqual(fold(todoList, session.notes), first)
  const second = await session.call(todo, { items: [{ text: 'c', state: 'done' }] })
  assert.equal(told(second), '1 of 1 done, 0 active, 0 pending. 1 unfinished tasks are no longer on the list.')
  assert.deepEqual(fold(todoList, session.notes, 1), first)
})

test('notes of others and damaged notes leave the list as the same object', async () => {
  const session = new FakeSession('/w')
  await session.call(todo, { items: [{ text: 'a', state: 'pending' }] })
  const list = fold(todoList, session.notes)
  session.context('other').note('list', { items: [] })
  session.context('todo').note('list', { items: 'broken' })
  assert.deepEqual(fold(todoList, session.notes), list)
  assert.equal(todoList.rewinds, true)
})
