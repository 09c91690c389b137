import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { crashScripts } from '../../src/testing/crash/scripts.ts'
import { crashContract } from '../../src/testing/crash/suite.ts'
import { crashSuite } from './stores.ts'

/** Crash points a script; every script is crashed on every store, most where a point costs least. */
const points = { memory: 38, jsonl: 5, sqlite: 3 } as const

const names = ['memory', 'jsonl', 'sqlite'] as const
const crashed = names.map((name) => crashContract({ ...crashSuite(name, points[name]), test }))

after(() => {
  const all = crashed.flat()
  assert.equal(all.length, names.length * crashScripts.length)
  const tried = all.reduce((sum, { resumed }) => sum + resumed, 0)
  assert.ok(tried >= 500, `only ${tried} crash points were tried`)
})
