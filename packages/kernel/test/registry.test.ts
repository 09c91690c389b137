import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Host, type Plugin, plugin, Registry, Scope } from '../src/index.ts'
import { settled } from './support.ts'

/** Notes what the registry holds after adding, before the row runs, and again when the row is undone. */
const adds = (
  registry: Registry<string>,
  entries: Record<string, string>,
  { fails = false, seen = [] }: { readonly fails?: boolean; readonly seen?: unknown[] } = {},
): Plugin =>
  plugin({
    name: 'adds',
    needs: {},
    async setup({ scope }) {
      for (const [key, value] of Object.entries(entries)) registry.add(scope, key, value)
      await settled()
      seen.push(registry.entries())
      scope.defer(() => void seen.push(registry.entries()))
      if (fails) throw new Error('setup fails')
    },
  })

test('a value is there until its scope ends', async () => {
  const tools = new Registry<string>('tool')
  const scope = new Scope('row')
  tools.add(scope, 'bash', 'runs commands')
  assert.equal(tools.get('bash'), 'runs commands')
  assert.deepEqual(tools.entries(), [['bash', 'runs commands']])
  await scope.close()
  assert.equal(tools.get('bash'), undefined)
  assert.equal(tools.lease('bash'), undefined)
  assert.deepEqual(tools.entries(), [])
})

test('a taken key is refused, naming both rows', () => {
  const tools = new Registry<string>('tool')
  tools.add(new Scope('a'), 'bash', '1')
  assert.throws(
    () => tools.add(new Scope('b'), 'bash', '2'),
    /row "b" cannot register tool "bash": row "a" already has/,
  )
})

test('an ending value is hidden at once, and its undo waits for its leases', async () => {
  const tools = new Registry<string>('tool')
  const scope = new Scope('row')
  let undone = false
  scope.defer(() => {
    undone = true
  })
  tools.add(scope, 'bash', 'old')
  const lease = tools.lease('bash')
  const closing = scope.close()
  await settled()
  assert.equal(tools.get('bash'), undefined)
  assert.equal(lease?.value, 'old')
  assert.equal(undone, false)
  tools.add(new Scope('other'), 'bash', 'new')
  lease?.[Symbol.dispose]()
  lease?.[Symbol.dispose]()
  await closing
  assert.equal(undone, true)
  assert.equal(tools.get('bash'), 'new')
})

test('a replacement takes over keys at their positions, in one step', async () => {
  const tools = new Registry<string>('tool')
  await using host = new Host()
  const seen: unknown[] = []
  await host.mount('a', adds(tools, { read: 'a1', bash: 'a1' }, { seen }))
  await host.mount('b', adds(tools, { edit: 'b1' }))
  await host.replace('a', adds(tools, { bash: 'a2', grep: 'a2' }, { seen }))
  const before = [
    ['read', 'a1'],
    ['bash', 'a1'],
    ['edit', 'b1'],
  ]
  const after = [
    ['bash', 'a2'],
    ['edit', 'b1'],
    ['grep', 'a2'],
  ]
  assert.deepEqual(seen, [[], before, after])
  assert.deepEqual(tools.entries(), after)
})

test('what a failing replacement registered was never seen', async () => {
  const tools = new Registry<string>('tool')
  await using host = new Host()
  await host.mount('a', adds(tools, { bash: 'a1' }))
  const seen: unknown[] = []
  await assert.rejects(host.replace('a', adds(tools, { bash: 'a2', grep: 'a2' }, { fails: true, seen })), /setup fails/)
  assert.deepEqual(seen, [[['bash', 'a1']], [['bash', 'a1']]])
  assert.deepEqual(tools.entries(), [['bash', 'a1']])
})

test('two rows that are being set up at the same time cannot take the same key', async () => {
  const tools = new Registry<string>('tool')
  await using one = new Host()
  await using two = new Host()
  const slow = plugin({
    name: 'slow',
    needs: {},
    async setup({ scope }) {
      tools.add(scope, 'bash', 'slow')
      await settled()
    },
  })
  const results = await Promise.allSettled([one.mount('first', slow), two.mount('second', slow)])
  assert.deepEqual(
    results.map(({ status }) => status),
    ['fulfilled', 'rejected'],
  )
})

test('an inner registry falls back to the outer one, and shadows its keys', async () => {
  const outer = new Registry<string>('tool')
  const inner = new Registry<string>('tool', outer)
  const app = new Scope('app')
  const agent = new Scope('agent')
  outer.add(app, 'bash', 'outer')
  outer.add(app, 'read', 'outer')
  inner.add(agent, 'bash', 'inner')
  inner.add(agent, 'todo', 'inner')
  assert.deepEqual(inner.entries(), [
    ['bash', 'inner'],
    ['read', 'outer'],
    ['todo', 'inner'],
  ])
  assert.equal(outer.get('bash'), 'outer')
  assert.equal(outer.get('todo'), undefined)
  await app.close()
  assert.equal(inner.get('bash'), 'inner')
  assert.equal(inner.get('read'), undefined)
  assert.deepEqual(inner.entries(), [
    ['bash', 'inner'],
    ['todo', 'inner'],
  ])
})
