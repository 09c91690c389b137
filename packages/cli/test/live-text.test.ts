import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mockServer } from '@rein/harness/testing/mock-server'
import type { SessionEvent } from '@rein/session'
import { progress } from '../src/progress.ts'
import { Place, Program } from './program.ts'
import { stalls, words } from './replies.ts'

test('a follower reads the reply of the holder as it comes, before it is over', async () => {
  using place = new Place()
  await using server = await mockServer({ script: [stalls(words('So far!'))] })
  using holder = new Program(place, ['--base-url', server.baseUrl, '--model', 'made'], { input: 'open' })
  await holder.until(({ stderr }) => /s-[0-9a-f]{12}/.test(stderr))
  const [id = ''] = /s-[0-9a-f]{12}/.exec(holder.stderr) ?? []
  using follower = new Program(place, ['-p', 'slow', '--resume', id, '--verbose'])
  await follower.until(({ stderr }) => stderr.includes('So far!'))
  assert.equal(follower.stdout, '')
  follower.child.kill('SIGINT')
  assert.equal((await follower.ended).code, 130)
})

const event = (type: string, data: object): SessionEvent =>
  ({
    seq: 1,
    time: 0,
    type,
    data,
    hash: '',
    ...(type === 'assistant/message' && { surface: 'append' }),
  }) as SessionEvent

const pieces = (block: number, kind: string, text: string) =>
  event('assistant/chunks', {
    request: 'r',
    chunks: [
      { ms: 1, kind, block, text },
      { ms: 2, kind: 'close', block: 9 },
    ],
  })

const message = event('assistant/message', {
  request: 'r',
  content: [{ type: 'text', text: 'one two' }],
  origin: { provider: 'p', dialect: 'openai-chat', model: 'm' },
})

/** What a run prints for people. */
function told(events: readonly SessionEvent[], verbose: boolean): string {
  const printed: string[] = []
  const err = (text: string) => void printed.push(text)
  const cli = { err, color: false } as Parameters<typeof progress>[0]
  const progressing = progress(cli, { cwd: '/w', verbose })
  for (const one of events) progressing.event(one)
  return printed.join('')
}

test('told as it comes, a reply is not told again, and what follows stands on a line of its own', () => {
  const call = event('tool/call', {
    turn: 1,
    step: 1,
    call: 'c',
    name: 'read',
    arguments: '{}',
    parallel: true,
    effects: 'none',
  })
  const events = [
    pieces(0, 'reasoning', 'hm'),
    pieces(1, 'text', 'one '),
    pieces(1, 'text', 'two\u001b[2J'),
    message,
    call,
  ]
  const printed = told(events, true)
  assert.ok(printed.startsWith('hm\none two␛[2J\n• read'), printed)
  assert.doesNotMatch(told(events, false), /one/)
})

test('a reply that was not written while it came is told when it is there', () => {
  assert.equal(told([message], true), 'one two\n')
})
