import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Host, type Lease, type Plugin, plugin, ServiceAbsent, type Slot } from '../src/index.ts'
import { linkPlugin, Model, modelPlugin, Shell, settled, shellPlugin, states } from './support.ts'

/** A dependent that hands out the slot it was given. */
const user = (log: string[], take: (slot: Slot<Model>) => void): Plugin =>
  plugin({
    name: 'user',
    needs: { model: Model },
    setup({ needs, scope }) {
      log.push('user up')
      scope.defer(() => void log.push('user undone'))
      take(needs.model)
    },
  })

test('running work ends on the old provider, new work starts on the new one, and dependents stay up', async () => {
  await using host = new Host()
  const log: string[] = []
  const slots: Slot<Model>[] = []
  await host.mount(
    'user',
    user(log, (slot) => slots.push(slot)),
  )
  await host.mount('model', modelPlugin('old', log))
  const slot = slots[0]
  assert.ok(slot)
  let answer = (): void => {}
  const running = slot.use(async (model) => {
    await new Promise<void>((resolve) => {
      answer = resolve
    })
    return model.answer
  })
  const replaced = host.replace('model', modelPlugin('new', log))
  await host.mount('other', shellPlugin('local', log))
  assert.equal(await slot.use((model) => model.answer), 'new')
  assert.equal(slot.current()?.answer, 'new')
  assert.deepEqual(log, ['old up', 'user up', 'new up', 'local up'])
  answer()
  assert.equal(await running, 'old')
  await replaced
  assert.deepEqual(log, ['old up', 'user up', 'new up', 'local up', 'old undone'])
})

test('a replacement that throws leaves the old one serving, and nothing of itself', async () => {
  await using host = new Host()
  const log: string[] = []
  await host.mount('model', modelPlugin('old', log))
  const seen: (string | undefined)[] = []
  const broken = plugin({
    name: 'broken',
    needs: {},
    async setup({ provide, scope }) {
      scope.defer(() => void log.push('broken undone'))
      provide(Model, { answer: 'broken' })
      await settled()
      seen.push(host.slot(Model).current()?.answer)
      throw new Error('no key')
    },
  })
  await assert.rejects(host.replace('model', broken), /no key/)
  assert.deepEqual(seen, ['old'])
  assert.equal(host.slot(Model).current()?.answer, 'old')
  assert.deepEqual(log, ['old up', 'broken undone'])
})

test('work on a replaced provider may take longer than an undo, and is not told to stop', async () => {
  await using host = new Host({ undoTimeoutMs: 2 })
  const signals: AbortSignal[] = []
  const old = plugin({
    name: 'old',
    needs: {},
    setup({ provide, scope }) {
      signals.push(scope.signal)
      provide(Model, { answer: 'old' })
    },
  })
  await host.mount('model', old)
  const lease = host.slot(Model).lease()
  const replaced = host.replace('model', modelPlugin('new'))
  await new Promise((resolve) => setTimeout(resolve, 10))
  assert.equal(signals[0]?.aborted, false)
  lease[Symbol.dispose]()
  await replaced
  assert.equal(signals[0]?.aborted, true)
  assert.deepEqual(host.diagnose(), [])
})

test('a holder may swap what it holds without waiting for it', async () => {
  await using host = new Host()
  await host.mount('model', modelPlugin('old'))
  const answers = await host.slot(Model).use(async (model) => {
    void host.replace('model', modelPlugin('new'))
    await host.unmount('nobody')
    return [model.answer, host.slot(Model).current()?.answer]
  })
  assert.deepEqual(answers, ['old', 'new'])
})

test('several replacements may be in use at once, and each is undone when its own last lease ends', async () => {
  await using host = new Host()
  const log: string[] = []
  const leases: Lease<Model>[] = []
  await host.mount('model', modelPlugin('1', log))
  for (const next of ['2', '3']) {
    leases.push(host.slot(Model).lease())
    void host.replace('model', modelPlugin(next, log))
    await host.unmount('nobody')
  }
  leases[1]?.[Symbol.dispose]()
  await settled()
  assert.deepEqual(log, ['1 up', '2 up', '3 up', '2 undone'])
  leases[0]?.[Symbol.dispose]()
  await settled()
  assert.deepEqual(log, ['1 up', '2 up', '3 up', '2 undone', '1 undone'])
})

test('replacing the provider of a service restarts dependents: stopped before the swap, started after it', async () => {
  await using host = new Host()
  const log: string[] = []
  await host.mount('shell', shellPlugin('old', log))
  await host.mount('user', linkPlugin('user', { needs: [Shell], provides: [] }, log))
  await host.replace('shell', shellPlugin('new', log))
  assert.deepEqual(log.slice(0, 4), ['old up', 'user up', 'new up', 'user undone'])
  assert.deepEqual(log.slice(4).sort(), ['old undone', 'user up'])
  assert.equal(host.get(Shell)?.name, 'new')
})

test('a replacement that no longer provides a seam stops its dependents', async () => {
  await using host = new Host()
  await host.mount('model', modelPlugin('old'))
  await host.mount(
    'user',
    user([], () => {}),
  )
  await host.replace('model', linkPlugin('nothing', { needs: [], provides: [] }))
  assert.deepEqual(states(host), { model: 'running', user: 'waiting' })
  assert.throws(() => host.slot(Model).lease(), ServiceAbsent)
  await assert.rejects(
    host.slot(Model).use(() => {}),
    ServiceAbsent,
  )
})

test('a row that waits simply gets the new definition, or keeps its own when that fails', async () => {
  await using host = new Host()
  await host.mount('model', linkPlugin('needy', { needs: [Shell], provides: [Model] }))
  const broken = plugin({ name: 'broken', needs: {}, setup: () => Promise.reject(new Error('no key')) })
  await assert.rejects(host.replace('model', broken), /no key/)
  assert.deepEqual(
    host.rows().map(({ name, state }) => [name, state]),
    [['needy', 'waiting']],
  )
  await host.replace('model', modelPlugin('new'))
  assert.equal(host.slot(Model).current()?.answer, 'new')
})

test('a replacement whose needs are missing or close a cycle is refused, and the old one keeps serving', async () => {
  await using host = new Host()
  await assert.rejects(host.replace('model', modelPlugin('new')), /row "model" is not mounted/)
  await host.mount('model', modelPlugin('old'))
  const needy = linkPlugin('needy', { needs: [Shell], provides: [Model] })
  await assert.rejects(host.replace('model', needy), /no running row provides "shell"/)
  await host.mount('shell', linkPlugin('wrapped', { needs: [Model], provides: [Shell] }))
  await assert.rejects(host.replace('model', needy), /row "model" cannot .*"model".* row "shell"/)
  assert.equal(host.slot(Model).current()?.answer, 'old')
})

test('a closing host waits for leases on replaced providers, but not longer than the undo time limit', async () => {
  const host = new Host({ undoTimeoutMs: 5 })
  const log: string[] = []
  await host.mount('model', modelPlugin('old', log))
  const lease = host.slot(Model).lease()
  const replaced = host.replace('model', modelPlugin('new', log))
  await host.unmount('nobody')
  await host[Symbol.asyncDispose]()
  await replaced
  assert.deepEqual(log, ['old up', 'new up', 'new undone', 'old undone'])
  assert.deepEqual(
    host.diagnose().map(({ message }) => message),
    ['row "model": undoing "service "model"" took longer than 5 ms and was left behind'],
  )
  lease[Symbol.dispose]()
})

test('a replacement under way takes over even when the host around takes away what the old one needs', async () => {
  await using app = new Host()
  const agent = app.child('agent')
  const log: string[] = []
  await app.mount('shell', shellPlugin('shell', log))
  await agent.mount('model', linkPlugin('old', { needs: [Shell], provides: [Model] }, log))
  const replaced = agent.replace('model', linkPlugin('new', { needs: [], provides: [Model] }, log))
  await Promise.all([replaced, app.unmount('shell')])
  assert.deepEqual(states(agent), { model: 'running' })
  await agent.unmount('model')
  assert.deepEqual(log, ['shell up', 'old up', 'new up', 'old undone', 'shell undone', 'new undone'])
})

test('a replaced provider is undone before what it rests on, even while it is still in use', async () => {
  await using host = new Host({ undoTimeoutMs: 5 })
  const log: string[] = []
  await host.mount('shell', shellPlugin('shell', log))
  await host.mount('model', linkPlugin('old', { needs: [Shell], provides: [Model] }, log))
  const lease = host.slot(Model).lease()
  void host.replace('model', modelPlugin('new', log))
  await host.unmount('shell')
  assert.deepEqual(log.slice(-2), ['old undone', 'shell undone'])
  assert.equal(host.slot(Model).current()?.answer, 'new')
  lease[Symbol.dispose]()
})

test('who is stopped too may give back a lease before the replaced provider is waited for', async () => {
  await using host = new Host({ undoTimeoutMs: 2_000 })
  const log: string[] = []
  await host.mount('shell', shellPlugin('shell', log))
  await host.mount('model', linkPlugin('old', { needs: [Shell], provides: [Model] }, log))
  const holder = plugin({
    name: 'holder',
    needs: { model: Model, shell: Shell },
    setup({ needs, scope }) {
      const lease = needs.model.lease()
      scope.signal.addEventListener('abort', () => lease[Symbol.dispose]())
    },
  })
  await host.mount('holder', holder)
  void host.replace('model', linkPlugin('new', { needs: [Shell], provides: [Model] }, log))
  await host.unmount('shell')
  assert.deepEqual(log.slice(-1), ['shell undone'])
  assert.deepEqual(
    host.diagnose().filter(({ kind }) => kind === 'undo-timeout'),
    [],
  )
})
