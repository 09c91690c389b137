import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, suite, test } from 'node:test'
import { crashScripts } from '../../src/testing/crash/scripts.ts'
import { type Kill, kill } from './kills.ts'

/** Every script once, and the moments at which most is open: a question to a person, a call that runs, a wait. */
const kills: readonly Kill[] = [
  ...crashScripts.map(({ name }, n) => ({
    store: n % 3 === 2 ? 'sqlite' : 'jsonl',
    script: name,
    at: String(9 + 2 * n),
  })),
  { store: 'jsonl', script: 'approvals', at: 'approval/asked' },
  { store: 'jsonl', script: 'queued input', at: 'tool/call' },
  { store: 'jsonl', script: 'retries', at: 'retry/scheduled' },
]

/** Processes of the command that other tests kill: the demo at its moments, a call that hangs, a holder that is followed. */
const elsewhere = [
  { file: '../../../cli/test/demo/crash.test.ts', kills: (text: string) => /moments = \[(.*)\]/.exec(text)?.[1] ?? '' },
  { file: '../compose/kill.test.ts', kills: (text: string) => /kill\('SIGKILL'\)/.exec(text)?.[0] ?? '' },
  { file: '../../../cli/test/follow.test.ts', kills: (text: string) => /kill\('SIGKILL'\)/.exec(text)?.[0] ?? '' },
]
const killedElsewhere = elsewhere.reduce((sum, { file, kills }) => {
  const found = kills(readFileSync(new URL(file, import.meta.url), 'utf8'))
  return sum + found.split(',').filter(Boolean).length
}, 0)

let killed = 0

suite('a process that is killed', { concurrency: 3 }, () => {
  for (const one of kills) {
    test(`at ${one.at} of ${one.script} leaves a session that goes on, and nothing happens twice`, async () => {
      const { killed: was, sessions, unanswered, problems } = await kill(one)
      assert.deepEqual([was, sessions > 0, problems], [true, true, []])
      if (one.at === 'approval/asked') assert.equal(unanswered, 1)
      killed++
    })
  }
})

after(() => {
  assert.ok(killed + killedElsewhere >= 20, `only ${killed} and ${killedElsewhere} processes were killed`)
})
