import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Host, type Problem, plugin, type Seam, type Service, seam, service } from '../src/index.ts'
import { linkPlugin, Shell, shellPlugin, states } from './support.ts'

const [A, B, C] = [service<string>('a'), seam<string>('b'), service<string>('c')]

test('rows start when their needs are provided, whatever the order they are mounted in', async () => {
  const links: Record<
    string,
    { needs: (Service<string> | Seam<string>)[]; provides: (Service<string> | Seam<string>)[] }
  > = {
    a: { needs: [], provides: [A] },
    b: { needs: [A], provides: [B] },
    c: { needs: [A, B], provides: [C] },
    d: { needs: [C], provides: [] },
    e: { needs: [B], provides: [] },
    f: { needs: [service<string>('absent')], provides: [] },
  }
  const order = fc.shuffledSubarray(Object.keys(links), { minLength: 6 })
  await fc.assert(
    fc.asyncProperty(order, fc.boolean(), async (ids, atOnce) => {
      const log: string[] = []
      const host = new Host()
      const specs = ids.map((id) => ({ id, plugin: linkPlugin(id, links[id] ?? { needs: [], provides: [] }, log) }))
      if (atOnce) await host.mountAll(specs)
      else for (const spec of specs) await host.mount(spec.id, spec.plugin)
      const { f, ...rest } = states(host)
      assert.equal(f, 'waiting')
      assert.deepEqual(new Set(Object.values(rest)), new Set(['running']))
      for (const [id, { needs }] of Object.entries(links)) {
        if (id === 'f') continue
        for (const { name } of needs) assert.ok(log.indexOf(`${name} up`) < log.indexOf(`${id} up`))
      }
      log.length = 0
      await host[Symbol.asyncDispose]()
      assert.equal(log.length, 5)
      for (const [id, { needs }] of Object.entries(links)) {
        if (id === 'f') continue
        for (const { name } of needs) assert.ok(log.indexOf(`${name} undone`) > log.indexOf(`${id} undone`))
      }
    }),
    { numRuns: 60 },
  )
})

test('a provider is undone only after its dependents have finished undoing, and they start again with the next one', async () => {
  await using host = new Host()
  const log: string[] = []
  await host.mount('user', linkPlugin('user', { needs: [Shell], provides: [A] }, log))
  await host.mount('user of user', linkPlugin('user of user', { needs: [A], provides: [] }, log))
  await host.mount('shell', shellPlugin('local', log))
  await host.unmount('shell')
  assert.deepEqual(states(host), { user: 'waiting', 'user of user': 'waiting' })
  await host.mount('other', shellPlugin('remote', log))
  assert.deepEqual(log, [
    ...['local up', 'user up', 'user of user up', 'user of user undone', 'user undone', 'local undone'],
    ...['remote up', 'user up', 'user of user up'],
  ])
})

test('a setup that throws is reported to its mount, undone, and leaves no row', async () => {
  await using host = new Host()
  const log: string[] = []
  const broken = plugin({
    name: 'broken',
    needs: {},
    setup({ provide, scope }) {
      provide(A, 'half')
      scope.defer(() => void log.push('undone'))
      throw new Error('no disk')
    },
  })
  await assert.rejects(host.mount('broken', broken), /no disk/)
  assert.deepEqual(log, ['undone'])
  assert.deepEqual(host.rows(), [])
  assert.equal(host.get(A), undefined)
})

test('of rows mounted together, those that fail are gone and the others stay', async () => {
  await using host = new Host()
  const broken = plugin({ name: 'broken', needs: {}, setup: () => Promise.reject(new Error('no disk')) })
  const specs = [
    { id: 'x', plugin: broken },
    { id: 'shell', plugin: shellPlugin('local') },
    { id: 'y', plugin: broken },
  ]
  await assert.rejects(host.mountAll(specs), AggregateError)
  assert.deepEqual(states(host), { shell: 'running' })
})

test('a row that fails when it starts later is reported, and tries again when its need comes back', async () => {
  const problems: Problem[] = []
  await using host = new Host({ onProblem: (problem) => problems.push(problem) })
  let failing = true
  const user = plugin({
    name: 'user',
    needs: { shell: Shell },
    setup() {
      if (failing) throw new Error('not yet')
    },
  })
  await host.mount('user', user)
  await host.mount('shell', shellPlugin('local'))
  assert.deepEqual(states(host), { user: 'failed', shell: 'running' })
  assert.deepEqual(problems, host.diagnose())
  assert.equal(problems[0]?.message, 'row "user" (user) did not start: Error: not yet')
  failing = false
  await host.unmount('shell')
  await host.mount('shell', shellPlugin('local'))
  assert.deepEqual(states(host), { user: 'running', shell: 'running' })
  assert.deepEqual(host.diagnose(), [])
})

test('a configuration is parsed before setup, and refused by throwing', async () => {
  await using host = new Host()
  const greeter = plugin({
    name: 'greeter',
    needs: {},
    config: (raw) => {
      if (typeof raw !== 'string') throw new TypeError('expected a string')
      return raw
    },
    setup: ({ config, provide }) => provide(A, config.toUpperCase()),
  })
  await assert.rejects(host.mount('greeter', greeter, 7), /expected a string/)
  await host.mount('greeter', greeter, 'hello')
  assert.equal(host.get(A), 'HELLO')
})

test('a taken id and a provided service are refused, naming the rows', async () => {
  await using host = new Host()
  await host.mount('one', shellPlugin('local'))
  await assert.rejects(host.mount('one', shellPlugin('local')), /row "one" is already mounted/)
  await assert.rejects(
    host.mount('two', shellPlugin('x')),
    /row "two" cannot register service "shell": row "one" already has/,
  )
  const twice = plugin({
    name: 'twice',
    needs: {},
    setup({ provide }) {
      provide(A, '1')
      provide(A, '2')
    },
  })
  await assert.rejects(host.mount('three', twice), /row "three" cannot register service "a": row "three" already has/)
  assert.deepEqual(states(host), { one: 'running' })
})

test('what is provided after setup reaches waiting rows too', async () => {
  await using host = new Host()
  let offer = (): void => {}
  const late = plugin({
    name: 'late',
    needs: {},
    setup({ provide }) {
      offer = () => provide(A, 'late')
    },
  })
  await host.mountAll([
    { id: 'user', plugin: linkPlugin('user', { needs: [A], provides: [] }) },
    { id: 'late', plugin: late },
  ])
  offer()
  await host.unmount('nobody')
  assert.deepEqual(states(host), { user: 'running', late: 'running' })
})
