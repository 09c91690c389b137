import assert from 'node:assert/strict'
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { EventType, SessionEvent } from '@rein/session'
import type { Agent } from '../../src/agent/agent.ts'
import { Commands } from '../../src/agent/commands.ts'
import { undoIn } from '../../src/config/rows/snapshots.ts'
import { scriptedProvider } from '../../src/model/scripted.ts'
import { restore, restorePlan } from '../../src/undo/restore.ts'
import { SnapshotsPort } from '../../src/undo/snapshots.ts'
import { value } from '../agent/kit.ts'
import { type Product, product, say } from '../compose/kit.ts'

const bash = (command: string) => ({ calls: [{ name: 'bash', arguments: { command } }] })
const done = { text: 'done' }

async function started(t: TestContext, script: Parameters<typeof scriptedProvider>[0]['script'], plugins = {}) {
  const made = await product(scriptedProvider({ name: 'demo', script }), { plugins })
  t.after(() => made.close())
  return { made, agent: await made.open() }
}

const typed = (agent: Agent, ...types: readonly EventType[]) =>
  agent.session.log.events.filter(({ type }) => types.includes(type))

const notes = (agent: Agent) =>
  typed(agent, 'plugin/note').flatMap((event) =>
    event.type === 'plugin/note' && event.data.plugin === 'snapshots' ? [event.data] : [],
  )

const planOf = (made: Product, agent: Agent, to: number) => ({
  undo: undoIn(made.home, join(made.home, 'user'), undefined),
  session: agent.session.id,
  cwd: made.cwd,
  userHome: join(made.home, 'user'),
  events: agent.session.log.events,
  to,
})

const lastSeq = (agent: Agent) => (agent.session.log.events.at(-1)?.seq ?? 0) satisfies SessionEvent['seq']

test('a turn that changes something has a snapshot before its first change and one at its end; a turn that does not has none', async (t) => {
  const look = { calls: [{ name: 'glob', arguments: { pattern: '*' } }] }
  const script = [bash('echo new > made && chmod +x kept && rm gone'), done, look, { text: 'hello' }]
  const { made, agent } = await started(t, script)
  for (const name of ['kept', 'gone']) writeFileSync(join(made.cwd, name), name)
  chmodSync(join(made.cwd, 'kept'), 0o644)
  const start = lastSeq(agent)
  await say(agent, 'go')
  assert.deepEqual(
    typed(agent, 'tool/call', 'files/snapshot', 'tool/result', 'turn/end').map(({ type }) => type),
    ['tool/call', 'files/snapshot', 'tool/result', 'files/snapshot', 'turn/end'],
  )
  await say(agent, 'hello')
  assert.equal(typed(agent, 'files/snapshot').length, 2)

  const options = planOf(made, agent, start)
  t.after(() => options.undo[Symbol.asyncDispose]())
  const plan = value(await restorePlan(options))
  assert.deepEqual(plan.files, [
    { path: 'gone', action: 'create', by: 'session' },
    { path: 'kept', action: 'mode', by: 'session' },
    { path: 'made', action: 'delete', by: 'session' },
  ])
  assert.equal(existsSync(join(made.cwd, 'made')), true)
  const { log } = agent.session
  assert.deepEqual(value(await restore(plan, { undo: options.undo, log })).paths, ['gone', 'kept', 'made'])
  assert.equal(readFileSync(join(made.cwd, 'gone'), 'utf8'), 'gone')
  assert.equal(existsSync(join(made.cwd, 'made')), false)
  assert.equal((await made.verify(agent.session.id)).answer, 'clean')

  await agent.close()
})

test('a restore is itself a change that can be taken back', async (t) => {
  const { made, agent } = await started(t, [bash('echo new > made'), done])
  const start = lastSeq(agent)
  await say(agent, 'go')
  const options = planOf(made, agent, start)
  t.after(() => options.undo[Symbol.asyncDispose]())
  const { log } = agent.session
  const end = lastSeq(agent)
  value(await restore(value(await restorePlan(options)), { undo: options.undo, log }))
  assert.equal(existsSync(join(made.cwd, 'made')), false)
  const back = value(await restorePlan({ ...options, events: log.events, to: end }))
  assert.deepEqual(back.files, [{ path: 'made', action: 'create', by: 'session' }])
  value(await restore(back, { undo: options.undo, log }))
  assert.equal(existsSync(join(made.cwd, 'made')), true)
  await agent.close()
})

test('what a person changes between two turns is theirs', async (t) => {
  const script = [bash('echo 1 > a; echo 1 > b'), done, bash('echo 3 > a; echo 3 > c'), done]
  const { made, agent } = await started(t, script)
  const start = lastSeq(agent)
  await say(agent, 'go')
  const middle = lastSeq(agent)
  writeFileSync(join(made.cwd, 'b'), 'mine')
  await say(agent, 'on')
  writeFileSync(join(made.cwd, 'c'), 'mine too')
  const options = planOf(made, agent, start)
  t.after(() => options.undo[Symbol.asyncDispose]())
  const all = value(await restorePlan(options))
  assert.deepEqual(
    all.files.map(({ path, by }) => [path, by]),
    [
      ['a', 'session'],
      ['b', 'both'],
      ['c', 'both'],
    ],
  )
  // To the middle: what the person did to b before the second turn began is part of what it goes back to.
  const half = value(await restorePlan({ ...options, to: middle }))
  assert.deepEqual(
    half.files.map(({ path, by }) => [path, by]),
    [
      ['a', 'session'],
      ['c', 'both'],
    ],
  )
  const result = value(await restore(half, { undo: options.undo, log: agent.session.log }))
  assert.deepEqual([result.paths, result.kept], [['a'], ['c']])
  assert.equal(readFileSync(join(made.cwd, 'c'), 'utf8'), 'mine too')
  await agent.close()
})

test('a run that changes nothing starts no thread and leaves no folder', async (t) => {
  const { made, agent } = await started(t, [{ text: 'hello' }])
  await say(agent, 'hello')
  assert.equal(made.host.get(SnapshotsPort)?.undo.started, false)
  assert.equal(existsSync(join(made.home, 'snapshots')), false)
  await agent.close()
})

test('a snapshot that takes too long, or cannot be made, hurts no turn, and the log says that there is none', async (t) => {
  const { made, agent } = await started(t, [bash('echo 1 > a'), done, bash('echo 2 > b'), done], {
    snapshots: { config: { waitMs: 0 } },
  })
  await say(agent, 'go')
  writeFileSync(join(made.cwd, 'c'), '')
  assert.equal(readFileSync(join(made.cwd, 'a'), 'utf8'), '1\n')
  assert.deepEqual(
    notes(agent).map(({ kind, data }) => [kind, data]),
    [['unavailable', { turn: 1, reason: 'The snapshot took longer than 0 ms.' }]],
  )
  const options = planOf(made, agent, 0)
  t.after(() => options.undo[Symbol.asyncDispose]())
  assert.deepEqual(value(await restorePlan(options)).uncovered, [1])
  await agent.close()

  const broken = await product(scriptedProvider({ name: 'demo', script: [bash('echo 1 > a'), done] }))
  t.after(() => broken.close())
  writeFileSync(join(broken.home, 'snapshots'), 'a file where the folder should be')
  const other = await broken.open()
  await say(other, 'go')
  assert.deepEqual(
    notes(other).map(({ kind }) => kind),
    ['unavailable'],
  )
  assert.equal(existsSync(join(broken.cwd, 'a')), true)
  await other.close()
})

test('a turn cancelled while its snapshot is made runs nothing', async (t) => {
  const script = [bash('echo 1 > a'), done]
  const { made, agent } = await started(t, script)
  const called = Promise.withResolvers<void>()
  using _ = agent.session.log.onWritten(({ type }) => void (type === 'tool/call' && called.resolve()))
  await agent.post({ delivery: 'followup', content: [{ type: 'text', text: 'go' }], source: { kind: 'person' } })
  await called.promise
  await agent.cancel()
  assert.deepEqual(
    typed(agent, 'tool/result').map(({ data }) => 'outcome' in data && data.outcome),
    [{ kind: 'cancelled' }],
  )
  assert.equal(existsSync(join(made.cwd, 'a')), false)
  await agent.close()
})

test('/restore takes files of the open session back, says what it kept, and how to take it back', async (t) => {
  const { made, agent } = await started(t, [bash('echo new > made; echo new > mine'), done])
  const start = lastSeq(agent)
  await say(agent, 'go')
  writeFileSync(join(made.cwd, 'mine'), 'mine')
  const command = made.host.get(Commands)?.get('restore')
  const run = async (words: string) => value((await command?.run(words, agent)) ?? { ok: true, value: 'no command' })
  assert.equal(
    await run(`@${start} --dry-run`),
    [
      '1 file would go back:',
      '  - made',
      'Changed by somebody else since, and kept without --overwrite:',
      '  - mine',
      '- is deleted',
    ].join('\n'),
  )
  assert.match(
    await run(`@${start}`),
    /^1 file would go back:\n {2}- made\n.*\n {2}- mine\n.*\n1 file went back\nTake it back with \/restore @\d+$/,
  )
  assert.deepEqual([existsSync(join(made.cwd, 'made')), existsSync(join(made.cwd, 'mine'))], [false, true])
  assert.equal((await command?.run('all', agent))?.ok, false)
  await agent.close()
})
