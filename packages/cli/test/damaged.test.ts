import assert from 'node:assert/strict'
import { readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { type MockServer, mockServer } from '@rein/harness/testing/mock-server'
import { Place, rein, resultOf } from './program.ts'
import { says } from './replies.ts'

const at = ({ baseUrl }: MockServer, ...more: readonly string[]): readonly string[] => [
  '--base-url',
  baseUrl,
  '--model',
  'made',
  ...more,
]

function logOf(place: Place, session: unknown): string {
  const root = join(place.home, 'sessions')
  const paths = readdirSync(root, { recursive: true, encoding: 'utf8' })
  return join(root, paths.find((path) => path.endsWith(`${session}.jsonl`)) ?? '')
}

test('-p --resume says what is lost of a torn log', async () => {
  using place = new Place()
  await using server = await mockServer({ script: [says('One.'), says('Two.')] })
  const first = resultOf(await rein(place, at(server, '-p', 'one', '--json')))
  const path = logOf(place, first.session)
  truncateSync(path, statSync(path).size - 9)
  const { code, stderr, stdout } = await rein(place, at(server, '-p', 'two', '--resume', 'last'))
  assert.deepEqual([code, stdout], [0, 'Two.\n'])
  assert.match(
    stderr,
    /^damage at line \d+ of the log, byte \d+ \(torn\): 0 events and \d+ B lost; the bytes are kept aside$/m,
  )
})

test('-p --resume does not run a task again whose claim is lost to damage, and says so', async () => {
  using place = new Place()
  await using server = await mockServer({ script: [says('One.'), says('Two.'), says('Three.')] })
  const { session } = resultOf(await rein(place, at(server, '-p', 'drop the table', '--json')))
  const path = logOf(place, session)
  const lines = readFileSync(path, 'utf8').split('\n')
  const claim = lines.findIndex((line) => line.includes('"type":"user/message"') && line.includes('"item":'))
  writeFileSync(path, lines.with(claim, 'rubbish').join('\n'))
  const { code, stdout, stderr } = await rein(place, at(server, '-p', 'two', '--resume', String(session)))
  assert.deepEqual([code, stdout, server.received.length], [0, 'Two.\n', 2])
  assert.match(stderr, /^withdrawn, not run again: .* send it again if it was not: drop the table$/m)
  assert.equal((await rein(place, ['verify', String(session)])).code, 0)
})
