import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mockServer } from '@rein/harness/testing/mock-server'
import { Place, type RunOptions, rein } from './program.ts'
import { says } from './replies.ts'

async function ran(args: readonly string[], options: RunOptions = {}) {
  using place = new Place()
  await using server = await mockServer({ script: [says('Done.')] })
  const run = await rein(place, ['--base-url', server.baseUrl, '--model', 'made', ...args], options)
  return { ...run, requests: server.received.map(({ body }) => body.toString('utf8')) }
}

test('stdin is read once: a second @- is refused', async () => {
  const { code, stderr, requests } = await ran(['-p', 'sum up', '@-', '@-'], { input: 'piped in' })
  assert.deepEqual([code, requests.length], [2, 0])
  assert.match(stderr, /@- stands twice/)
})

test('a task that begins with a path is no command', async () => {
  const { code, requests } = await ran(['-p', '/usr/bin/foo is broken'])
  assert.equal(code, 0)
  assert.match(requests[0] ?? '', /\/usr\/bin\/foo is broken/)
})
