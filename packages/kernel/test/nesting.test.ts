import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Host, plugin, service } from '../src/index.ts'
import { linkPlugin, Model, modelPlugin, Shell, shellPlugin, states } from './support.ts'

const A = service<string>('a')

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
