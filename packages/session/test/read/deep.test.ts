import assert from 'node:assert/strict'
import { test } from 'node:test'
import { value } from '../../src/contract/expect.ts'
import { type Json, readLog, SessionLog } from '../../src/index.ts'
import { countingPorts, hasher } from '../kit/ports.ts'

const note = (data: Json) => ({ plugin: 'p', kind: 'k', v: 1, data })

/** A log whose second line holds lists in lists; its hash is of no use, for that comes after. */
async function* nested(levels: number) {
  const lines: string[] = []
  const sink = { append: async (_: number, more: readonly string[]) => void lines.push(...more), sync: async () => {} }
  const log = new SessionLog({ ports: countingPorts(0), sink })
  log.append('session/start', { format: 1, id: 's-1', cwd: '/w', rein: '0' })
  log.append('plugin/note', note('@'))
  await log.synced()
  yield Buffer.from(`${lines.join('\n').replace('"@"', '['.repeat(levels) + ']'.repeat(levels))}\n`)
}

test('a line that nests deeper than a stack is damage, and never the end of who reads it', async () => {
  for (const levels of [1001, 10_000, 300_000]) {
    const { events, damage } = value(await readLog(nested(levels), { hasher }))
    assert.deepEqual([events.map(({ type }) => type), damage.length], [['session/start', 'session/damage'], 1])
  }
})

test('what nests too deep to be read again is not taken into a log', () => {
  const log = new SessionLog({ ports: countingPorts(0), sink: { append: async () => {}, sync: async () => {} } })
  log.append('session/start', { format: 1, id: 's-1', cwd: '/w', rein: '0' })
  const deep = (levels: number): Json => JSON.parse('['.repeat(levels) + ']'.repeat(levels))
  assert.throws(() => log.append('plugin/note', note(deep(1500))), /deeper than 1000 levels/)
  assert.equal(log.append('plugin/note', note(deep(500))).seq, 1)
})
