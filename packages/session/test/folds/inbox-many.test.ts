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
