import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fold, type InboxItem, inbox, type SessionEvent } from '../../src/index.ts'

const spliced = (seq: number, reason: 'posted' | 'edited', insert: readonly InboxItem[]): SessionEvent => {
  const data = { lane: 'next-turn', start: 0, remove: [], insert, reason } as const
  return { seq, time: 0, type: 'inbox/spliced', data, hash: '' }
}

// Each compared with each, it takes minutes.
test('one event may bring in or edit any number of items, each once', () => {
  const source = { kind: 'person' } as const
  const items = Array.from(
    { length: 200_000 },
    (_, at): InboxItem => ({ id: `i-${at}`, delivery: 'followup', content: [], source }),
  )
  const state = fold(inbox, [spliced(0, 'posted', [...items, ...items]), spliced(1, 'edited', items)])
  assert.deepEqual([state.nextTurn.length, state.nextTurn[7]?.id], [items.length, 'i-7'])
})

test('one event takes out several items of both lanes, and one that takes out nothing copies no list', () => {
  const source = { kind: 'person' } as const
  const item = (id: string): InboxItem => ({ id, delivery: 'followup', content: [], source })
  const data = { start: 9, remove: [], insert: [], reason: 'posted' } as const
  const events = [
    { lane: 'next-turn', ...data, insert: ['a', 'b', 'c', 'd'].map(item) } as const,
    { lane: 'next-step', ...data, insert: ['e', 'f'].map(item) } as const,
    // A post that also takes out what waits, as damaged or foreign logs may hold it.
    { lane: 'next-step', ...data, insert: [item('g')], remove: ['e', 'a', 'c'] } as const,
  ].map((data, seq): SessionEvent => ({ seq, time: 0, type: 'inbox/spliced', data, hash: '' }))
  const state = fold(inbox, events)
  const names = (items: readonly InboxItem[]) => items.map(({ id }) => id).join('')
  assert.deepEqual([names(state.nextTurn), names(state.nextStep)], ['bd', 'fg'])
  const nothing = { lane: 'next-turn', ...data, remove: ['x'], reason: 'withdrawn' } as const
  assert.equal(inbox.step(state, { seq: 3, time: 0, type: 'inbox/spliced', data: nothing, hash: '' }), state)
})
