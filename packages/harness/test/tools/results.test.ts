import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Json } from '@rein/session'
import type { Approval } from '../../src/tools/ports.ts'
import { calls, stage, stopped, testTool, textOf, untouched } from '../agent/kit.ts'

const asks = (answer: Approval['ask']): Approval => ({ needed: async () => ({ what: 'Run it?' }), ask: answer })
const twoSteps = (name: string, args: Json = {}) => [{ calls: [{ name, arguments: args }] }, { text: 'ok' }]

test('a tool that throws has failed inside, and the turn goes on', async () => {
  const bad = testTool('bad', { run: () => Promise.reject(new Error('null is not a function')) })
  const on = await stage({ tools: [bad], script: twoSteps('bad') })
  await on.say('go')
  assert.match(on.resultTexts()[0] ?? '', /\[TOOL_FAILED\] bad failed inside: .*null is not a function/)
  assert.deepEqual(on.outcomes(), ['completed'])
})

test('a tool that returns what no log can hold has failed, and the turn goes on', async () => {
  const view = { at: () => 0 } as unknown as Json
  const bad = testTool('bad', { run: () => ({ kind: 'done', content: 'x', view }) })
  const on = await stage({ tools: [bad], script: twoSteps('bad') })
  await on.say('go')
  assert.deepEqual(on.results(), ['failed'])
  assert.deepEqual(on.outcomes(), ['completed'])
  assert.equal((await on.verify()).answer, 'clean')
})

test('a call whose time is up is stopped and told so', async () => {
  const slow = testTool('slow', {
    timeoutMs: 15,
    run: async (_, { signal }) => {
      await stopped(signal)
      throw signal.reason
    },
  })
  const on = await stage({ tools: [slow], script: twoSteps('slow') })
  await on.say('go')
  assert.deepEqual(on.results(), ['timed-out'])
  assert.deepEqual(on.outcomes(), ['completed'])
})

test('a body that ignores its end is left behind after the grace time, and can write nothing any more', async (t) => {
  const late = Promise.withResolvers<void>()
  const noted = Promise.withResolvers<unknown>()
  const deaf = testTool('deaf', {
    run: async (_, { note, progress }) => {
      await late.promise
      progress('still here')
      try {
        noted.resolve(note('late', 1))
      } catch (error) {
        noted.resolve(error)
      }
      return { kind: 'done', content: 'too late' }
    },
  })
  const on = await stage({ tools: [deaf], script: twoSteps('deaf') })
  const seen: string[] = []
  on.agent.listen({ progress: (_, text) => void seen.push(text) })
  t.mock.timers.enable({ apis: ['setTimeout'] })
  await on.post('go')
  await on.next('tool/call')
  await new Promise((resolve) => setImmediate(resolve))
  const cancelled = on.agent.cancel()
  t.mock.timers.tick(9_999)
  assert.deepEqual(on.results(), [])
  t.mock.timers.tick(1)
  await cancelled
  t.mock.timers.reset()
  assert.deepEqual(on.results(), ['cancelled'])
  late.resolve()
  assert.match(String(await noted.promise), /over/)
  assert.deepEqual([seen, on.types('plugin/note')], [[], []])
  assert.equal((await on.verify()).answer, 'clean')
})

for (const content of ['', '  \n', []] as const)
  test(`empty content (${JSON.stringify(content)}) becomes a phrase`, async () => {
    const on = await stage({
      tools: [testTool('act', { run: () => ({ kind: 'done', content }) })],
      script: twoSteps('act'),
    })
    await on.say('go')
    assert.deepEqual(on.resultTexts(), ['(no output)'])
  })

test('secrets are replaced before anything is appended: content, view, failure and notes', async () => {
  const hide = (text: string) => text.replaceAll('hunter2', '⟦secret:test:abcdef⟧')
  const redact = {
    content: (content: readonly { type: string; text?: string }[]) =>
      content.map((part) => ({ ...part, text: hide(part.text ?? '') })) as never,
    json: <T>(value: T) => JSON.parse(hide(JSON.stringify(value))) as T,
    reply: untouched.reply,
  }
  const leak = testTool('leak', {
    run: (_, { note }) => {
      note('seen', 'hunter2')
      const failure = { code: 'FILE_ERROR', message: 'hunter2 is no file' } as const
      return { kind: 'failed', failure, content: 'it was hunter2', view: { text: 'hunter2' } }
    },
  })
  const on = await stage({ tools: [leak], redact, script: twoSteps('leak') })
  await on.say('hunter2 is the word')
  assert.doesNotMatch(JSON.stringify(on.events), /hunter2/)
  assert.match(on.resultTexts()[0] ?? '', /⟦secret:test:abcdef⟧/)
})

for (const spelled of ['{"p":"⟦secret:key:abcdef⟧"}', '{"p":"\\u27e6secret:key:abcdef⟧"}'])
  test(`the placeholder of a secret in arguments is refused, however it is spelled: ${spelled}`, async () => {
    const on = await stage({ tools: [testTool('act')], script: twoSteps('act', spelled) })
    await on.say('go')
    assert.match(on.resultTexts()[0] ?? '', /\[SECRET_PLACEHOLDER\]/)
    assert.deepEqual(on.types('tool/call'), [])
  })

test('a tool that puts secrets back itself is given the placeholder', async () => {
  const given: Json[] = []
  const run = (args: Json) => ({ kind: 'done', content: `${given.push(args)}` }) as const
  const act = testTool('act', { resolvesPlaceholders: true, run })
  const on = await stage({ tools: [act], script: twoSteps('act', { p: '⟦secret:key:abcdef⟧' }) })
  await on.say('go')
  assert.deepEqual(given, [{ p: '⟦secret:key:abcdef⟧' }])
})

test('pictures pass beside a text that was cut', async () => {
  const image = { type: 'image', blob: 'b'.repeat(64), mime: 'image/png', bytes: 3 } as const
  const content = [{ type: 'text', text: 'x'.repeat(200_000) }, image] as const
  const on = await stage({
    tools: [testTool('act', { run: () => ({ kind: 'done', content }) })],
    script: twoSteps('act'),
  })
  await on.say('go')
  const logged = on.all('tool/result')[0]?.data
  assert.deepEqual(logged?.content[1], image)
  assert.match(textOf(logged?.content ?? []), /the whole output is in \/spill\/call_0_0.txt/)
  assert.equal(logged?.spill, '/spill/call_0_0.txt')
})

test('the calls of one reply may be many: no listener is left behind', async () => {
  const warnings: string[] = []
  const warn = (warning: Error) => void warnings.push(warning.message)
  process.on('warning', warn)
  const on = await stage({
    tools: [testTool('look', { parallel: true })],
    approval: asks(async () => ({ decision: 'allowed-once', by: 'person' })),
    script: [calls(...Array.from({ length: 40 }, () => 'look')), { text: 'ok' }],
  })
  await on.say('go')
  await new Promise((resolve) => setImmediate(resolve))
  process.off('warning', warn)
  assert.equal(on.results().length, 40)
  assert.deepEqual(warnings, [])
})
