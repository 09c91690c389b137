import assert from 'node:assert/strict'
import { test } from 'node:test'
import { silent } from '../src/progress.ts'
import { report } from '../src/report.ts'
import { surroundings } from './in-process.ts'
import { Place } from './program.ts'

async function answered(text: string, terminal: boolean): Promise<string> {
  using place = new Place()
  const { cli, out } = surroundings(place)
  const usage = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 }
  const result = { outcome: 'completed', text, steps: 1, usage, cost: undefined, denied: [], error: undefined } as const
  const reported = { session: 's', result, events: [], told: silent, signal: undefined }
  await report({ ...cli, terminal }, { json: false }, reported)
  return out()
}

test('an answer on a terminal cannot move its cursor or reorder a line; a pipe gets every byte', async () => {
  const text = 'a\u001b[2Jb\u202ec\r\nd\n'
  assert.equal(await answered(text, true), 'a␛[2Jb⟨U+202E⟩c\nd\n')
  assert.equal(await answered(text, false), text)
})
