import assert from 'node:assert/strict'
import { test } from 'node:test'
import { afterRewind } from '../../src/interactive/going-back.ts'
import { event } from '../view/events.ts'

test('a rewind says how files go back, where there is a way and something was kept since', () => {
  const kept = [event('files/snapshot', { id: 'a', turn: 1, when: 'before', files: 1, bytes: 1, skipped: [] })]
  const [without, way] = ['Files stay as they are.', 'Files stay as they are; they go back with /restore @6.']
  const back = 'Take it back with /rewind @8'
  assert.equal(afterRewind(kept, { to: 6, seq: 9, restores: true }), `${way} ${back}`)
  assert.equal(afterRewind(kept, { to: 6, seq: 9, restores: false }), `${without} ${back}`)
  assert.equal(afterRewind(kept, { to: 7, seq: 9, restores: true }), `${without} ${back}`)
})
