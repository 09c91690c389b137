import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { checks, run } from '../scripts/checks.ts'

describe('static checks', { concurrency: 2 }, () => {
  for (const check of checks) {
    test(`${check.name} (${check.command.join(' ')})`, async () => {
      const { passed, output } = await run(check)
      assert.ok(passed, output)
    })
  }
})
