import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { type TestContext, test } from 'node:test'
import { bashTool } from '../../src/builtin/bash.ts'
import { LivingTrees } from '../../src/process/living.ts'
import { processShell } from '../../src/process/shell.ts'
import { FakeSession, scratch, told, viewed } from './context.ts'

let marks = 0

function setup(t: TestContext) {
  const living = new LivingTrees()
  t.after(() => living.endAll(100))
  const mark = () => `bash-${process.pid}-${marks++}`
  const environment = () => ({ PATH: process.env.PATH ?? '' })
  const shell = processShell({ living, mark, environment, now: () => performance.now(), graceMs: 100 })
  return { bash: bashTool({ shell }), session: new FakeSession(scratch(t)) }
}

test('a command that fails is told with its output and exit code, not as a failed call', async (t) => {
  const { bash, session } = setup(t)
  const output = await session.call(bash, { command: 'pwd; echo no >&2; exit 2', description: 'fails' })
  assert.equal(output.kind, 'done')
  assert.equal(told(output), `${session.cwd}\nno\n[exit code 2]`)
  assert.deepEqual(
    ['kind', 'exitCode', 'signal', 'timedOut'].map((name) => viewed(output, name)),
    ['command', 2, null, false],
  )
})

test('silence, a signal and what is left running are said in words', async (t) => {
  const { bash, session } = setup(t)
  assert.equal(told(await session.call(bash, { command: 'true' })), '(no output)')
  assert.equal(told(await session.call(bash, { command: 'kill -9 $$' })), '[killed by SIGKILL]')
  // What was started is a copy of the shell until it has become the other program.
  const command = "sleep 60 & until grep -q '^sleep' /proc/$!/cmdline; do :; done; echo up"
  assert.match(told(await session.call(bash, { command })), /^up\n\[still running: \d+ sleep 60\]$/)
})

test('a command whose time is up is a timed-out call with what it wrote so far', async (t) => {
  const { bash, session } = setup(t)
  const output = await session.call(bash, { command: 'echo begun; sleep 60', timeout_ms: 150 })
  assert.equal(output.kind === 'timed-out' ? output.afterMs : 0, 150)
  assert.match(told(output), /^begun\n\[timed out after 150 ms/)
})

test('long output is told by its two ends and kept whole in a file the model can read', async (t) => {
  const { bash, session } = setup(t)
  const output = await session.call(bash, { command: 'seq 1 20000; exit 1' })
  const text = told(output)
  assert.match(text, /^1\n2\n3\n/)
  assert.match(text, /\n20000\n\[exit code 1\]$/)
  const [path = ''] = session.spilled
  assert.ok(text.includes(`the whole output is in ${path}]`) && viewed(output, 'outputPath') === path)
  assert.equal(readFileSync(path, 'utf8').split('\n').length, 20_001)
})

test('a person can watch a command while it runs', async (t) => {
  const { bash, session } = setup(t)
  await session.call(bash, { command: 'echo first; sleep 0.25; echo last' })
  assert.deepEqual(session.progress, ['first\n'])
})

test('guards are shown the command and where it runs', (t) => {
  const { bash } = setup(t)
  const parsed = bash.parameters.parse({ command: 'ls' })
  assert.ok(parsed.ok)
  assert.deepEqual(bash.accesses?.(parsed.value, '/w'), [{ kind: 'command', command: 'ls', cwd: '/w' }])
  assert.equal(bash.effects(parsed.value), 'some')
  assert.equal(bash.parameters.parse({ command: 'ls', timeout_ms: 600_001 }).ok, false)
})
