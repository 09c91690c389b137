import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Around, Guard, Host, Observe, plugin, Scope } from '../src/index.ts'
import { settled } from './support.ts'

const scope = () => new Scope('row')

test('a listener that throws or rejects hurts nobody, and its error is reported', async () => {
  const errors: unknown[] = []
  const seen: string[] = []
  const observe = new Observe<string>((error) => errors.push(error))
  observe.on(scope(), () => {
    throw 'thrown'
  })
  observe.on(scope(), async () => {
    throw 'rejected'
  })
  observe.on(scope(), (event) => seen.push(event))
  observe.emit('hello')
  await settled()
  assert.deepEqual(seen, ['hello'])
  assert.deepEqual(errors, ['thrown', 'rejected'])
})

test('a listener hears nothing after its scope has ended', async () => {
  const seen: string[] = []
  const observe = new Observe<string>()
  const ending = scope().child()
  observe.on(ending, (event) => seen.push(event))
  observe.emit('1')
  await ending.close()
  observe.emit('2')
  assert.deepEqual(seen, ['1'])
})

test('the first refusal stands, and names its guard', async () => {
  const guard = new Guard<string>()
  const asked: string[] = []
  guard.guard(scope(), 'polite', () => void asked.push('polite'))
  guard.guard(scope(), 'careful', async (command) => (command.startsWith('rm') ? 'deletes files' : undefined))
  guard.guard(scope(), 'last', () => void asked.push('last'))
  assert.deepEqual(await guard.ask('rm -rf /'), { by: 'careful', reason: 'deletes files' })
  assert.deepEqual(asked, ['polite'])
  assert.equal(await guard.ask('ls'), undefined)
})

test('a guard that throws, rejects or runs out of time refuses', async () => {
  const checks = [
    () => {
      throw new Error('broken')
    },
    () => Promise.reject(new Error('broken')),
    () => new Promise<undefined>(() => {}),
  ]
  const reasons: unknown[] = []
  for (const check of checks) {
    const guard = new Guard<string>({ timeoutMs: 5 })
    guard.guard(scope(), 'g', check)
    reasons.push((await guard.ask('ls'))?.reason)
  }
  const failed = 'the guard "g" failed: Error: broken'
  assert.deepEqual(reasons, [failed, failed, 'the guard "g" did not answer within 5 ms'])
})

test('wrappers run first registered outermost, and may change input and result', async () => {
  const around = new Around<string, string>()
  around.wrap(scope(), 'outer', async (input, next) => `(${await next(`${input}o`)})`)
  around.wrap(scope(), 'inner', async (input, next) => `[${await next(`${input}i`)}]`)
  assert.equal(await around.run('', async (input) => input), '([oi])')
})

test('a wrapper may answer without calling next', async () => {
  const around = new Around<string, string>()
  around.wrap(scope(), 'cache', async () => 'cached')
  assert.equal(await around.run('', () => assert.fail('the work ran')), 'cached')
})

test('calling next twice fails, and so does calling it after the wrapper has finished', async () => {
  const around = new Around<number, number>()
  const first = scope()
  around.wrap(first, 'eager', async (n, next) => (await next(n)) + (await next(n)))
  await assert.rejects(
    around.run(1, async (n) => n),
    /the wrapper "eager" called next\(\) twice/,
  )
  await first.close()
  let later = (): Promise<number> => Promise.resolve(0)
  around.wrap(scope(), 'late', async (n, next) => {
    later = () => next(n)
    return 0
  })
  await around.run(1, async (n) => n)
  await assert.rejects(later(), /the wrapper "late" called next\(\) after it had finished/)
})

test('a wrapper is not undone before the runs that use it are over', async () => {
  const around = new Around<string, string>()
  const ending = scope()
  let undone = false
  ending.defer(() => {
    undone = true
  })
  around.wrap(ending, 'w', (input, next) => next(input))
  let finish = (_: string): void => {}
  const running = around.run(
    '',
    () =>
      new Promise((resolve) => {
        finish = resolve
      }),
  )
  const closing = ending.close()
  await settled()
  assert.equal(undone, false)
  finish('done')
  assert.equal(await running, 'done')
  await closing
  assert.equal(undone, true)
})

test('a replacement takes the place of its wrapper; runs that have begun keep the old one', async () => {
  const around = new Around<string, string>()
  const tags = (tag: string) =>
    plugin({
      name: tag,
      needs: {},
      setup: ({ scope }) => around.wrap(scope, 'tags', (input, next) => next(input + tag)),
    })
  await using host = new Host()
  await host.mount('first', tags('a'))
  await host.mount('second', tags('b'))
  let finish = (): void => {}
  const running = around.run(
    '',
    (input) =>
      new Promise((resolve) => {
        finish = () => resolve(input)
      }),
  )
  const replaced = host.replace('first', tags('A'))
  await host.unmount('nobody')
  assert.equal(await around.run('', async (input) => input), 'Ab')
  finish()
  assert.equal(await running, 'ab')
  await replaced
})
