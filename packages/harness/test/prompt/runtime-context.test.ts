import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DataOf } from '@rein/session'
import type { Prompt } from '../../src/prompt/prompt.ts'
import { runtimeContext } from '../../src/prompt/runtime-context.ts'
import { type Stage, stage, textOf } from '../agent/kit.ts'

const noon = Date.UTC(2026, 4, 1, 12)
let now = noon

const prompt: Prompt = {
  system: () => ({ text: 'You are a test.', sections: [] }),
  context: (log, cwd) => runtimeContext(log, { cwd, now }),
}

const started = async (replies: number): Promise<Stage> => {
  now = noon
  return stage({ prompt, script: Array.from({ length: replies }, () => ({ text: 'ok' })) })
}

const snapshots = (on: Stage): readonly string[] =>
  on.all('user/message').flatMap(({ data }) => (data.source.kind === 'context' ? [textOf(data.content)] : []))

test('the snapshot is told before the first input, and not again while nothing in it differs', async () => {
  const on = await started(2)
  await on.say('a')
  await on.say('b')
  assert.equal(snapshots(on).length, 1)
  assert.match(snapshots(on)[0] ?? '', /Working directory: \/work\nDate: 2026-05-01\nPermission mode: read-only/)
  assert.deepEqual(on.said().slice(1), ['a', 'b'])
})

test('what changed is told as a whole new snapshot that supersedes the one before', async () => {
  const on = await started(3)
  await on.say('a')
  on.session.log.append('permission/mode', { mode: 'full-access', by: 'person' })
  await on.say('b')
  now += 86_400_000
  await on.say('c')
  const [, second, third] = snapshots(on)
  assert.match(second ?? '', /Permission mode: full-access/)
  assert.match(second ?? '', /supersedes/)
  assert.match(third ?? '', /Date: 2026-05-02\nPermission mode: full-access/)
  assert.equal((await on.verify()).answer, 'clean')
})

test('a change that is taken back is told too', async () => {
  const on = await started(3)
  await on.say('a')
  on.session.log.append('plan/mode', { on: true, by: 'person' })
  await on.say('b')
  on.session.log.append('plan/mode', { on: false, by: 'person' })
  await on.say('c')
  assert.deepEqual(
    snapshots(on).map((text) => text.includes('Plan mode is on')),
    [false, true, false],
  )
})

test('a snapshot that a replace took off the surface is sent again', async () => {
  const on = await started(2)
  await on.say('a')
  const shown = on.events.filter((event) => event.surface !== undefined && event.type !== 'system/message')
  const seqs = shown.map(({ seq }) => seq)
  const summary: DataOf<'user/message'> = {
    content: [{ type: 'text', text: 'What happened so far: a.' }],
    source: { kind: 'plugin', name: 'compact' },
  }
  const [first = 0, last = 0] = [seqs[0], seqs.at(-1)]
  on.session.log.append('user/message', summary, { surface: { replace: [first, last] }, sources: seqs })
  await on.say('b')
  assert.equal(snapshots(on).length, 2)
  assert.equal((await on.verify()).answer, 'clean')
})

test('a snapshot that was rewound away is sent again', async () => {
  const on = await started(2)
  await on.say('a')
  const system = on.all('system/message')[0]?.seq ?? 0
  on.session.log.append('session/rewound', { to: system, by: 'person' })
  await on.say('b')
  assert.equal(snapshots(on).length, 2)
  assert.equal(on.all('system/message').length, 1)
  assert.equal((await on.verify()).answer, 'clean')
})
