import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Host, type Problem, plugin, seam, service } from '../src/index.ts'
import { linkPlugin, Model, modelPlugin, Shell } from './support.ts'

const [A, B, C] = [service<string>('a'), seam<string>('b'), service<string>('c')]

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

test('a diagnosis follows each row once, however many ways lead to it', async () => {
  await using host = new Host()
  const layer = (at: number) => [service<string>(`left ${at}`), service<string>(`right ${at}`)]
  const specs = Array.from({ length: 30 }, (_, at) =>
    layer(at).map((token) => ({
      id: token.name,
      plugin: linkPlugin('link', { needs: layer(at - 1), provides: [token] }),
    })),
  )
  await host.mountAll(specs.flat())
  const named = host.diagnose().map((problem) => problem.kind === 'missing' && [problem.row, problem.need])
  const rows = ['left 0', 'right 0']
  assert.deepEqual(
    named,
    rows.flatMap((row) => ['left -1', 'right -1'].map((need) => [row, need])),
  )
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
  const running = { state: 'running', missing: [] }
  assert.deepEqual(host.rows(), [
    { ...running, id: 'model', name: 'model fast', swappable: true, provides: ['model'], needs: [] },
    { ...running, id: 'store', name: 'jsonl', swappable: false, provides: ['a', 'b'], needs: ['model'] },
  ])
})
