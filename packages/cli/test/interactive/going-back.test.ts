import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mockServer } from '@rein/harness/testing/mock-server'
import { Place, rein } from '../program.ts'
import { says } from '../replies.ts'

test('a turn is undone from inside a session: the next request is as if it had never been, and the tree shows it', async () => {
  using place = new Place()
  await using server = await mockServer({ script: [says('One.'), says('Two.'), says('Three.')] })
  const input = [
    'first',
    '/rewind',
    'second',
    '/rewind 2',
    '/rewind 2',
    '/rewind @99999',
    '/rewind 7',
    '/rewind x',
    'third',
    '/tree',
  ]
  const endpoint = ['--base-url', server.baseUrl, '--model', 'made']
  const { code, stdout, stderr } = await rein(place, endpoint, { input: `${input.join('\n')}\n` })
  assert.deepEqual([code, stdout], [0, 'One.\nTwo.\nThree.\n'])
  const bodies = server.received.map(({ body }) => body.toString('utf8'))
  assert.match(bodies[1] ?? '', /first.*One\..*second/)
  assert.match(bodies[2] ?? '', /first.*One\..*third/)
  assert.doesNotMatch(bodies[2] ?? '', /second|Two/)
  assert.match(stderr, /^ +1 +@\d+ +first$/m, '/rewind lists the turns')
  assert.match(stderr, /2 messages leave what the model sees:\n +2 +@\d+ +second\n/)
  assert.match(stderr, /what was said there:\n {2}second\n/)
  assert.match(stderr, /Take it back with \/rewind @\d+/)
  assert.match(stderr, /turn 2 is undone already\. Bring it back with \/rewind @\d+\./)
  assert.match(stderr, /there is no event 99999/)
  assert.match(stderr, /there is no turn 7/)
  assert.match(stderr, /\/rewind takes the number of a turn, or @ and the number of an event, not x/)
  assert.match(stderr, /^ +1 +@\d+ +first\n⊘ +2 +@\d+ +second\n +↶ @\d+ rewound to @\d+\n +3 +@\d+ +third$/m)
  const verified = await rein(place, ['verify', 'last'])
  assert.match(verified.stdout, /^clean/)
})
