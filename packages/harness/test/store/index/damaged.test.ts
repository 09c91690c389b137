import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Bench, type Draft, logOf, said, start } from './kit.ts'

const turn: readonly Draft[] = [{ type: 'turn/start', data: { turn: 1 } }]
const ended: Draft = { type: 'turn/end', data: { turn: 1, outcome: 'completed' } }

test('broken, damaged and newer sessions are listed as such', async () => {
  using bench = new Bench()
  const lines = logOf([start(), ...turn, said('hello'), ended])
  bench.put('s-whole', lines)
  bench.put('s-torn', [...lines, '{"seq":4,"ti'])
  bench.put(
    's-lost',
    lines.filter((_, at) => at !== 2),
  )
  bench.put('s-noise', [...lines.slice(0, 2), 'noise\n', ...lines.slice(2)])
  bench.put(
    's-nul',
    lines.map((line) => line.replace('hello', 'he\0\0o')),
  )
  bench.put('s-end', [...lines, '\0'.repeat(50)])
  bench.put(
    's-json',
    lines.map((line) => line.replace('hello', 'he"llo')),
  )
  bench.put('s-newer', logOf([start('/', 9), said('hello')]))
  bench.put('s-broken', lines)
  bench.store.harm('s-broken', 'session')
  const shown = (await bench.listed()).map(({ entry, damage, format }) => [entry.id, entry.state, damage > 0, format])
  assert.deepEqual(
    new Map(shown.map(([id, ...rest]) => [id, rest])),
    new Map<unknown, unknown>([
      ['s-whole', ['free', false, 1]],
      ['s-torn', ['free', false, 1]],
      ['s-lost', ['free', true, 1]],
      ['s-noise', ['free', true, 1]],
      ['s-nul', ['free', true, 1]],
      ['s-end', ['free', true, 1]],
      ['s-json', ['free', true, 1]],
      ['s-newer', ['free', false, 9]],
      ['s-broken', ['broken', false, null]],
    ]),
  )
})

test('of a damaged line nothing is told, and an end of NULs is no damage any more once it is declared', async () => {
  using bench = new Bench()
  const asked = { type: 'request/header', data: { provider: 'p', model: 'm' } } as never
  const [first = '', second = ''] = logOf([start(), asked])
  bench.put('s-a', [first, second.replace('"p"', '"\0"')])
  assert.deepEqual(
    (await bench.listed()).map(({ facts }) => facts?.models),
    [[]],
  )
  bench.put('s-a', [first, '\0\0'])
  assert.deepEqual(
    (await bench.listed()).map(({ damage }) => damage),
    [1],
  )
  bench.put('s-a', [first, second])
  assert.deepEqual(
    (await bench.listed()).map(({ damage }) => damage),
    [0],
  )
  using quick = await bench.index()
  bench.put('s-b', [first, '\0\0'])
  assert.equal((await quick.list({ facts: false, withinMs: 0 })).find(({ entry }) => entry.id === 's-b')?.damage, 1)
})
