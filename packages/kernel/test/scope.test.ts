import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Problem, Scope } from '../src/index.ts'
import { settled } from './support.ts'

test('closing aborts the signal with the reason, then undoes newest first, each awaited before the next', async () => {
  const seen: string[] = []
  const scope = new Scope('row')
  scope.signal.addEventListener('abort', () => seen.push(String(scope.signal.reason)))
  scope.use({ [Symbol.dispose]: () => void seen.push('first') })
  scope.defer(async () => {
    await settled()
    seen.push('second')
  })
  scope.use({ [Symbol.asyncDispose]: async () => void seen.push('third') })
  await scope.close('over')
  assert.deepEqual(seen, ['over', 'third', 'second', 'first'])
})

test('closing twice undoes once', async () => {
  let undone = 0
  const scope = new Scope('row')
  scope.defer(() => void undone++)
  await Promise.all([scope.close(), scope.close()])
  await scope[Symbol.asyncDispose]()
  assert.equal(undone, 1)
})

test('nothing can be entered into a scope that has begun to close', async () => {
  const scope = new Scope('bash')
  const closing = scope.close()
  assert.equal(scope.live, false)
  assert.throws(() => scope.defer(() => {}, 'temp file'), /row "bash": "temp file" was entered into a closed scope/)
  await closing
})

test('an undo that throws keeps no other from running, and closing says what threw', async () => {
  let undone = 0
  const scope = new Scope('row')
  scope.defer(() => void undone++)
  scope.defer(() => Promise.reject(new Error('disk full')), 'flush')
  scope.defer(() => void undone++)
  await assert.rejects(scope.close(), (error: AggregateError) =>
    /undoing "flush" failed.*disk full/.test(`${error.errors[0]}`),
  )
  assert.equal(undone, 2)
})

test('an undo that hangs is named with its row after the time limit, and the remaining undos run', async () => {
  const problems: Problem[] = []
  const seen: string[] = []
  const scope = new Scope('mcp', { undoTimeoutMs: 5, onProblem: (problem) => problems.push(problem) })
  scope.defer(() => void seen.push('first'))
  scope.defer(() => new Promise(() => {}), 'server process')
  await scope.close()
  assert.deepEqual(seen, ['first'])
  const message = 'row "mcp": undoing "server process" took longer than 5 ms and was left behind'
  assert.deepEqual(problems, [{ kind: 'undo-timeout', row: 'mcp', label: 'server process', message }])
})

test('an inner scope ends with the outer one, at its place in the order', async () => {
  const seen: string[] = []
  const scope = new Scope('row')
  scope.defer(() => void seen.push('before'))
  const inner = scope.child('turn')
  scope.defer(() => void seen.push('after'))
  inner.defer(async () => {
    await settled()
    seen.push('inner')
  })
  const closing = scope.close('over')
  assert.equal(inner.signal.reason, 'over')
  await closing
  assert.deepEqual(seen, ['after', 'inner', 'before'])
})

test('an inner scope may end earlier, and is then forgotten by the outer one', async () => {
  let undone = 0
  const scope = new Scope('row')
  const inner = scope.child('turn')
  inner.defer(() => void undone++)
  await inner.close()
  assert.equal(undone, 1)
  assert.equal(scope.live, true)
  await scope.close()
  assert.equal(undone, 1)
})
