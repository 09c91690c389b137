import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { plugin } from '@rein/kernel'
import { cwdOf, readLog } from '@rein/session'
import { defaults } from '../../src/config/load.ts'
import { StorePort } from '../../src/config/rows/core.ts'
import { SandboxPort } from '../../src/config/rows/shell.ts'
import { type ScriptEntry, scriptedProvider } from '../../src/model/scripted.ts'
import { type ReplayOptions, replaySession } from '../../src/replay/replay.ts'
import { scratchCopy } from '../../src/replay/scratch-copy.ts'
import { noSandbox } from '../../src/sandbox/launch.ts'
import { nodeHasher } from '../../src/store/hasher.ts'
import { ApprovalPort, Tools } from '../../src/tools/ports.ts'
import { testTool, value } from '../agent/kit.ts'
import { type Product, product, say } from '../compose/kit.ts'

const call = (name: string, args: object) => ({ calls: [{ name, arguments: args as never }] })

async function replay(made: Product, id: string, change: Partial<ReplayOptions> = {}) {
  const store = made.host.get(StorePort)
  if (!store) throw new Error('there is no store')
  const log = value(await readLog(value(await store.read(id)), { hasher: nodeHasher }))
  const world = { home: made.home, userHome: made.home, env: process.env, settings: defaults().settings }
  const rest = { preset: 'standard', steps: 50, maxWaitMs: 1000, tools: 'recorded' } as const
  return value(await replaySession({ id, log, blob: () => undefined, store, world, ...rest, ...change }))
}

/** Everything below a folder: names, times and bytes. */
const seen = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => {
    const at = statSync(join(folder, name))
    return `${name} ${at.mtimeMs} ${at.isFile() ? readFileSync(join(folder, name), 'base64') : ''}`
  })

async function worked(script: readonly ScriptEntry[], options: Parameters<typeof product>[1] = {}) {
  const made = await product(scriptedProvider({ name: 'demo', script }), options)
  writeFileSync(join(made.cwd, 'a.txt'), 'one\n')
  return made
}

test('a session of real tools replays as it was, and nothing is written anywhere', async () => {
  const script: ScriptEntry[] = [
    call('read', { path: 'a.txt' }),
    call('edit', { path: 'a.txt', edits: [{ old: 'one', new: 'two' }] }),
    call('bash', { command: 'cat a.txt; echo done > b.txt' }),
    call('todo', { items: [{ text: 'x', state: 'active' }] }),
    { text: 'done' },
    { text: 'again' },
    { text: 'forked' },
  ]
  const made = await worked(script)
  const agent = await made.open()
  await say(agent, 'go')
  await agent.close()
  const again = await made.open({ kind: 'resume', id: agent.session.id })
  again.session.log.append('session/rewound', { to: 4, by: 'person' })
  await say(again, 'on')
  await again.close()
  const forked = await made.open({ kind: 'fork', id: agent.session.id, at: 20 })
  await say(forked, 'elsewhere')
  await forked.close()
  const before = [seen(made.home), seen(made.cwd)]
  const whole = await replay(made, agent.session.id)
  assert.deepEqual([whole.divergence, whole.requests, whole.copied], [undefined, 6, 0])
  const fork = await replay(made, forked.session.id)
  assert.deepEqual([fork.divergence, fork.requests, fork.copied], [undefined, 1, 21])
  assert.deepEqual([seen(made.home), seen(made.cwd)], before)
  await made.close()
})

test('a row that is turned off today is told as the tool that is gone', async () => {
  const made = await worked([{ text: 'done' }])
  const agent = await made.open()
  await say(agent, 'go')
  await agent.close()
  const { settings } = defaults()
  const world = {
    home: made.home,
    userHome: made.home,
    env: {},
    settings: { ...settings, plugins: { bash: { enabled: false } } },
  }
  const { divergence } = await replay(made, agent.session.id, { world })
  assert.equal(divergence?.cause, 'tool bash is gone')
  assert.match(divergence?.request?.path ?? '', /^tools\[/)
  await made.close()
})

test('what was cut is cut again from its spill file, while that is there', async () => {
  const long = plugin({
    name: 'long',
    needs: { tools: Tools },
    setup: ({ needs, scope }) =>
      needs.tools.tools.add(
        scope,
        'long',
        testTool('long', { run: () => ({ kind: 'done', content: 'é'.repeat(50_000) }) }),
      ),
  })
  const rows = [{ id: 'long', plugin: long }]
  const made = await worked([call('long', {}), { text: 'done' }], { rows })
  const agent = await made.open()
  await say(agent, 'go')
  await agent.close()
  const { id } = agent.session
  assert.equal((await replay(made, id, { rows })).divergence, undefined)
  const folder = await made.host.get(StorePort)?.spillFolder(id)
  const [name = ''] = readdirSync(folder ?? '')
  writeFileSync(join(folder ?? '', name), 'é'.repeat(49_000))
  const found = await replay(made, id, { rows })
  assert.deepEqual([found.divergence?.cause, found.divergence?.place.path], ['result of long', 'content[0].text'])
  rmSync(join(folder ?? '', name))
  assert.equal((await replay(made, id, { rows })).divergence, undefined)
  await made.close()
})

test('tools that run for real run in a copy, and a result that is another one is told at its event', async () => {
  const made = await worked([
    { text: 'look', ...call('read', { path: 'a.txt' }) },
    call('bash', { command: `cat ${'a.txt'}; pwd; echo new > made.txt` }),
    call('bash', { command: 'cat made.txt' }),
    { text: 'done' },
  ])
  const agent = await made.open()
  await say(agent, 'go')
  await agent.close()
  rmSync(join(made.cwd, 'made.txt'))
  const before = seen(made.cwd)
  const { id } = agent.session
  const live = { tools: 'live', trusted: true } as const
  const same = await replay(made, id, live)
  assert.deepEqual([same.divergence, same.live?.differences, same.live?.ran], [undefined, [], 3])
  assert.deepEqual(seen(made.cwd), before)
  writeFileSync(join(made.cwd, 'a.txt'), 'two\n')
  const other = await replay(made, id, live)
  const results = agent.session.log.events.filter(({ type }) => type === 'tool/result').map(({ seq }) => seq)
  assert.equal(other.divergence, undefined)
  assert.deepEqual(
    other.live?.differences.map(({ seq, name }) => [seq, name]),
    [
      [results[0], 'read'],
      [results[1], 'bash'],
    ],
  )
  assert.match(String(other.live?.differences[1]?.place.was), /^one\n/)
  assert.match(String(other.live?.differences[1]?.place.now), /^two\n/)
  assert.ok(JSON.stringify(agent.session.log.events).includes(cwdOf(agent.session.log.events)))
  await made.close()
})

test('a workspace that is too large is not copied, and links into it lead into the copy', async () => {
  const made = await worked([])
  mkdirSync(join(made.cwd, 'deep'))
  symlinkSync(join(made.cwd, 'a.txt'), join(made.cwd, 'deep', 'link'))
  const refused = await scratchCopy(made.cwd, { bytes: 3, entries: 10 })
  assert.equal(refused.ok || refused.failure.code, 'USAGE')
  const few = await scratchCopy(made.cwd, { bytes: 100, entries: 2 })
  assert.equal(few.ok || few.failure.code, 'USAGE')
  const copy = value(await scratchCopy(made.cwd))
  writeFileSync(join(copy.folder, 'deep', 'link'), 'changed\n')
  assert.equal(readFileSync(join(made.cwd, 'a.txt'), 'utf8'), 'one\n')
  assert.equal(readFileSync(join(copy.folder, 'a.txt'), 'utf8'), 'changed\n')
  await copy[Symbol.asyncDispose]()
  await made.close()
})

test('a denial without a person, and no approval that the log did not give', async () => {
  const made = await worked([
    call('bash', { command: 'echo hi' }),
    call('write', { path: '/nowhere/x', content: 'x' }),
    { text: 'done' },
  ])
  const agent = await made.open({ kind: 'new' }, 'workspace-write')
  await say(agent, 'go')
  await agent.close()
  const found = await replay(made, agent.session.id)
  assert.equal(found.divergence, undefined)
  assert.equal((await replay(made, agent.session.id, { tools: 'live' })).live?.ran, 0)
  await made.close()
})

test('what nobody saw runs under no mode and no grant of the recording, and keeps its recorded result', async () => {
  const rows = [
    {
      id: 'sandbox',
      plugin: plugin({ name: 'sandbox', needs: {}, setup: ({ provide }) => provide(SandboxPort, noSandbox) }),
    },
  ]
  const outside = `${process.pid}-outside.txt`
  const script = [
    call('read', { path: 'a.txt' }),
    call('bash', { command: 'echo hi' }),
    call('write', { path: `../${outside}`, content: 'x' }),
    { text: 'done' },
  ]
  const made = await worked(script, { rows })
  const agent = await made.open({ kind: 'new' }, 'full-access')
  agent.session.log.append('permission/grant', { id: 'g', rule: 'echo hi', scope: 'session', by: 'person' })
  await say(agent, 'go')
  await agent.close()
  const { id } = agent.session
  rmSync(join(made.cwd, '..', outside))
  const found = await replay(made, id, { tools: 'live', rows })
  assert.deepEqual([found.divergence, found.live?.ran, found.live?.kept], [undefined, 1, 2])
  assert.equal(existsSync(join(made.cwd, '..', outside)), false)
  const trusted = await replay(made, id, { tools: 'live', rows, trusted: true })
  assert.deepEqual([trusted.live?.ran, trusted.live?.kept], [3, 0])
  rmSync(join(made.cwd, '..', outside), { force: true })
  await made.close()
})

test('what a person said yes to in the recording is not run without one, though today nothing asks', async () => {
  const asker = plugin({
    name: 'permissions',
    needs: {},
    setup: ({ provide }) =>
      provide(ApprovalPort, {
        needed: async ({ mode }) => (mode === 'full-access' ? { what: 'Look?' } : undefined),
        ask: async () => ({ decision: 'allowed-once', by: 'person' }),
      }),
  })
  const rows = [{ id: 'permissions', plugin: asker }]
  const made = await worked([call('read', { path: 'a.txt' }), { text: 'done' }], { rows })
  const agent = await made.open({ kind: 'new' }, 'full-access')
  await say(agent, 'go')
  await agent.close()
  const { id } = agent.session
  const found = await replay(made, id, { tools: 'live', rows })
  assert.deepEqual([found.divergence, found.live?.ran, found.live?.kept], [undefined, 0, 1])
  assert.equal((await replay(made, id, { tools: 'live', rows, trusted: true })).live?.ran, 1)
  await made.close()
})
