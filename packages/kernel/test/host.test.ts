import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Host, type Problem, plugin, type Seam, type Service, seam, service } from '../src/index.ts'
import { linkPlugin, Model, modelPlugin, Shell, settled, shellPlugin, states } from './support.ts'

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

test('a host inside sees the services around it, and never those of its siblings', async () => {
  await using app = new Host()
  const [one, two] = [app.child('one'), app.child('two')]
  await one.mount('user', linkPlugin('user', { needs: [Shell], provides: [A] }))
  await two.mount('sibling', linkPlugin('sibling', { needs: [A], provides: [] }))
  await app.mount('shell', shellPlugin('local'))
  assert.deepEqual([states(one), states(two)], [{ user: 'running' }, { sibling: 'waiting' }])
  assert.deepEqual([app.get(A), one.get(A), two.get(A)], [undefined, 'user', undefined])
})

test('a row inside may wrap what it needs from the host around, a seam or a service', async () => {
  await using app = new Host()
  const agent = app.child('agent')
  const log: string[] = []
  await app.mount('model', modelPlugin('plain'))
  await app.mount('shell', shellPlugin('local'))
  const loud = plugin({
    name: 'loud',
    needs: { model: Model, shell: Shell },
    setup({ needs, provide, scope }) {
      scope.defer(() => void log.push('undone'))
      provide(Shell, { name: `${needs.shell.name}!` })
      provide(Model, {
        get answer() {
          return `${needs.model.current()?.answer}!`
        },
      })
    },
  })
  await agent.mount('loud', loud)
  await app.replace('model', modelPlugin('better'))
  assert.deepEqual(log, [])
  await agent.replace('loud', loud)
  assert.deepEqual([agent.slot(Model).current()?.answer, agent.get(Shell)?.name], ['better!', 'local!'])
  assert.deepEqual([app.slot(Model).current()?.answer, app.get(Shell)?.name], ['better', 'local'])
  assert.deepEqual(log, ['undone'])
})

test('when a service disappears, dependents in hosts inside are undone first, at any depth', async () => {
  await using app = new Host()
  const log: string[] = []
  const agent = app.child('agent')
  const subagent = agent.child('subagent')
  await subagent.mount('deep', linkPlugin('deep', { needs: [Shell], provides: [] }, log))
  await agent.mount('user', linkPlugin('user', { needs: [Shell], provides: [] }, log))
  await app.mount('shell', shellPlugin('local', log))
  assert.deepEqual([states(agent), states(subagent)], [{ user: 'running' }, { deep: 'running' }])
  await app.unmount('shell')
  assert.equal(log.at(-1), 'local undone')
  assert.deepEqual([states(agent), states(subagent)], [{ user: 'waiting' }, { deep: 'waiting' }])
})

test('closing a host closes those inside first, and it takes no more rows', async () => {
  const log: string[] = []
  const app = new Host({ name: 'app' })
  await app.mount('shell', shellPlugin('outer', log))
  const agent = app.child('agent')
  await agent.mount('shell', shellPlugin('inner', log))
  await app[Symbol.asyncDispose]()
  assert.deepEqual(log, ['outer up', 'inner up', 'inner undone', 'outer undone'])
  await assert.rejects(app.mount('late', shellPlugin('late')), /host "app" has closed/)
  await assert.rejects(agent.mount('late', shellPlugin('late')), /host "agent" has closed/)
  assert.throws(() => app.child('late'), /host "app" has closed/)
})

test('a diagnosis names a need that no row provides, not the rows that wait for the waiting one', async () => {
  await using host = new Host()
  await host.mount('bash', linkPlugin('bash', { needs: [Shell], provides: [A] }))
  await host.mount('user', linkPlugin('user', { needs: [A], provides: [] }))
  const message = 'row "bash" (bash) waits for "shell", which no row provides: mount one that does'
  assert.deepEqual(host.diagnose(), [{ kind: 'missing', row: 'bash', need: 'shell', message }])
})

test('a diagnosis names the rows of a cycle once, in order', async () => {
  await using host = new Host()
  await host.mount('x', linkPlugin('x', { needs: [A], provides: [B] }))
  await host.mount('y', linkPlugin('y', { needs: [B], provides: [C] }))
  await host.mount('z', linkPlugin('z', { needs: [C], provides: [A] }))
  const message = 'rows wait for each other: "x" needs "z" needs "y" needs "x"'
  assert.deepEqual(host.diagnose(), [{ kind: 'cycle', path: ['x', 'z', 'y', 'x'], message }])
})

test('an undo that hangs is named with its row, and holds up neither its row nor the host', async () => {
  const problems: Problem[] = []
  await using host = new Host({ undoTimeoutMs: 5, onProblem: (problem) => problems.push(problem) })
  const log: string[] = []
  const hangs = plugin({
    name: 'hangs',
    needs: {},
    setup({ scope }) {
      scope.defer(() => void log.push('remaining'))
      scope.defer(() => new Promise(() => {}), 'socket')
    },
  })
  await host.mount('mcp', hangs)
  await host.unmount('mcp')
  assert.deepEqual(log, ['remaining'])
  const message = 'row "mcp": undoing "socket" took longer than 5 ms and was left behind'
  assert.deepEqual(problems, [{ kind: 'undo-timeout', row: 'mcp', label: 'socket', message }])
  assert.deepEqual(host.diagnose(), problems)
})

test('a row says what it is, needs and provides, and whether a swap of it leaves dependents running', async () => {
  await using host = new Host()
  await host.mount('model', modelPlugin('fast'))
  await host.mount('store', linkPlugin('jsonl', { needs: [Model], provides: [A, B] }))
  await settled()
  const running = { state: 'running', missing: [] }
  assert.deepEqual(host.rows(), [
    { ...running, id: 'model', name: 'model fast', swappable: true, provides: ['model'], needs: [] },
    { ...running, id: 'store', name: 'jsonl', swappable: false, provides: ['a', 'b'], needs: ['model'] },
  ])
})
