import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { nodeHasher } from '../../src/store/hasher.ts'
import { crashScripts } from '../../src/testing/crash/scripts.ts'
import { crashContract } from '../../src/testing/crash/suite.ts'
import { crashStores } from './stores.ts'

/** Crash points a script; every script is crashed on every store. */
const points = { memory: 36, jsonl: 10 } as const

const names = ['memory', 'jsonl'] as const
const crashed = names.map((name) =>
  crashContract({ test, name, make: crashStores[name], hasher: nodeHasher, points: points[name] }),
)

after(() => {
  const all = crashed.flat()
  assert.equal(all.length, names.length * crashScripts.length)
  const tried = all.reduce((sum, { resumed }) => sum + resumed, 0)
  assert.ok(tried >= 500, `only ${tried} crash points were tried`)
})
