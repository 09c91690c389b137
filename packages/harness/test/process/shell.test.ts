import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { LivingTrees } from '../../src/process/living.ts'
import { processShell } from '../../src/process/shell.ts'
import { livingOf } from '../../src/process/tree.ts'
import { childEnvironment, withholdSecrets } from '../../src/secret/environment.ts'
import { scratch, value } from '../builtin/context.ts'

interface Case {
  readonly id: string
  readonly cmd: string
  readonly secrets?: { readonly [name: string]: string }
}
const cases = JSON.parse(readFileSync(new URL('../fixtures/shell/processes.json', import.meta.url), 'utf8')) as {
  cases: Case[]
}
const commandOf = (id: string): string => cases.cases.find((item) => item.id === id)?.cmd ?? assert.fail(id)

let marks = 0

function setup(t: TestContext, environment: NodeJS.ProcessEnv = process.env) {
  const living = new LivingTrees()
  t.after(() => living.endAll(100))
  const used: string[] = []
  const mark = () => {
    const fresh = `test-${process.pid}-${marks++}`
    used.push(fresh)
    return fresh
  }
  const env = () =>
    childEnvironment(
      environment,
      withholdSecrets(() => ['value-used-for-auth']),
    )
  const shell = processShell({ living, mark, environment: env, now: () => performance.now(), graceMs: 150 })
  const cwd = scratch(t)
  const run = async (command: string, options: { timeoutMs?: number; signal?: AbortSignal } = {}) => {
    const signal = options.signal ?? new AbortController().signal
    return value(
      await shell.run({ command, cwd, mode: 'full-access', timeoutMs: options.timeoutMs ?? 20_000, signal }, {}),
    )
  }
  const left = () => livingOf(used.map((name) => ({ root: -1, mark: name })))
  return { living, run, left, cwd, shell }
}

test('exit code, signal and both outputs in the order written are separate facts', async (t) => {
  const { run } = setup(t)
  const failed = await run('echo one; echo two >&2; echo three; exit 3')
  assert.equal(failed.output.text, 'one\ntwo\nthree\n')
  assert.deepEqual([failed.exitCode, failed.signal, failed.timedOut, failed.cancelled], [3, null, false, false])
  const killed = await run('kill -9 $$')
  assert.deepEqual([killed.exitCode, killed.signal], [null, 'SIGKILL'])
})

/** What was started is a copy of the shell until it has become the other program. */
const untilItSleeps = "; for _ in $(seq 200); do grep -q '^sleep' /proc/$!/cmdline && break; sleep 0.01; done"

for (const id of ['bg-silent', 'bg-stderr-only', 'bg-setsid'])
  test(`${id}: a call ends with its shell and names what stays behind, which ends with the session`, async (t) => {
    const { run, left, living } = setup(t)
    const ran = await run(`${commandOf(id)}${untilItSleeps}`)
    assert.equal(ran.output.text, 'ready\n')
    assert.deepEqual(
      ran.survivors.map(({ command }) => command),
      ['sleep 60'],
    )
    await living.endAll(100)
    assert.deepEqual(left(), [])
  })

test('stdin-read: a command that reads its input finds it empty', async (t) => {
  const ran = await setup(t).run(commandOf('stdin-read'))
  assert.deepEqual([ran.exitCode, ran.timedOut], [0, false])
})

test('one-long-line and progress-cr: a flood is told in few bytes and a progress line as it ended', async (t) => {
  const { run } = setup(t)
  assert.ok(Buffer.byteLength((await run(commandOf('one-long-line'))).output.text) < 65_536)
  assert.equal((await run(commandOf('progress-cr'))).output.text, '20000')
})

test('timeout-tree and ignore-term: when the time is up nothing of the tree is left', async (t) => {
  const { run, left } = setup(t)
  for (const command of [commandOf('timeout-tree'), commandOf('ignore-term')]) {
    const ran = await run(command, { timeoutMs: 150 })
    assert.deepEqual([ran.timedOut, ran.cancelled], [true, false])
    assert.deepEqual(left(), [])
  }
})

test('what left the group and cleared its environment is killed with the rest', async (t) => {
  const { run, left } = setup(t)
  // Tells these from what anybody else runs here.
  const nap = `sleep 97.${process.pid}`
  const ran = await run(`setsid ${nap} & env -i ${nap} & ${nap}`, { timeoutMs: 200 })
  assert.equal(ran.timedOut, true)
  assert.deepEqual(left(), [])
  const all = spawnSync('ps', ['-eo', 'args'], { encoding: 'utf8' }).stdout
  assert.ok(!all.includes(nap))
})

test('aborting ends the tree, and the output so far is kept', async (t) => {
  const { run, left } = setup(t)
  const controller = new AbortController()
  const running = run('echo begun; sleep 60', { signal: controller.signal })
  await sleep(150)
  controller.abort()
  const ran = await running
  assert.deepEqual([ran.cancelled, ran.timedOut, ran.output.text], [true, false, 'begun\n'])
  assert.deepEqual(left(), [])
})

test('env: no secret is in the environment of a command, whatever its variable is called', async (t) => {
  const secrets = cases.cases.find(({ id }) => id === 'env')?.secrets ?? assert.fail()
  const { run } = setup(t, { ...process.env, ...secrets })
  const { text } = (await run(commandOf('env'))).output
  for (const secret of Object.values(secrets)) assert.ok(!text.includes(secret))
  assert.match(text, /^PATH=/m)
  assert.match(text, /^PAGER=cat$/m)
})

test('an endless output ends with its time, told in few bytes', async (t) => {
  const ran = await setup(t).run('yes', { timeoutMs: 200 })
  assert.equal(ran.timedOut, true)
  assert.ok(ran.output.bytes > 100_000 && ran.output.text.length < 31_000)
})

test('a command too long for the system is refused in words', async (t) => {
  const { shell, cwd } = setup(t)
  const signal = new AbortController().signal
  const ran = await shell.run(
    { command: `: ${'x'.repeat(3_000_000)}`, cwd, mode: 'full-access', timeoutMs: 1000, signal },
    {},
  )
  assert.equal(ran.ok ? '' : ran.failure.code, 'INVALID_ARGUMENTS')
})

test('a directory that is gone is said so, and no process is started', async (t) => {
  const { shell, cwd } = setup(t)
  const signal = new AbortController().signal
  const ran = await shell.run({ command: 'true', cwd: `${cwd}/gone`, mode: 'full-access', timeoutMs: 1000, signal }, {})
  assert.equal(ran.ok ? '' : ran.failure.code, 'NOT_FOUND')
})

test('what is left in the background dies with the process that started it', async (t) => {
  const cwd = scratch(t)
  const script = `
    import { LivingTrees } from '${new URL('../../src/process/living.ts', import.meta.url)}'
    import { processShell } from '${new URL('../../src/process/shell.ts', import.meta.url)}'
    const shell = processShell({ living: new LivingTrees(), mark: () => 'exit-${process.pid}', now: () => performance.now(),
      environment: () => ({ PATH: process.env.PATH }) })
    const ran = await shell.run({ command: 'setsid sleep 60 & sleep 60 & echo ok', cwd: '${cwd}', mode: 'full-access',
      timeoutMs: 5000, signal: new AbortController().signal }, {})
    console.log(ran.value.survivors.length)`
  const done = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' })
  assert.equal(done.stdout, '2\n', done.stderr)
  const left = () => livingOf([{ root: -1, mark: `exit-${process.pid}` }])
  // A killed process takes a moment to be gone.
  for (let waited = 0; waited < 2000 && left().length > 0; waited += 20) await sleep(20)
  assert.deepEqual(left(), [])
})
