import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { mockServer } from '@rein/harness/testing/mock-server'
import { Place, rein } from './program.ts'
import { says } from './replies.ts'

test('a key that is too short to be protected is told of once, and not with --quiet', async () => {
  using place = new Place()
  await using server = await mockServer({ script: Array(3).fill(says('Done.')) })
  const provider = `{ dialect: openai-chat, baseUrl: '${server.baseUrl}', key: { env: MY_KEY } }`
  writeFileSync(join(place.home, 'rein.yaml'), `providers: { own: ${provider} }\n`)
  const told = async (key: string, ...more: readonly string[]) => {
    const run = await rein(place, ['--model', 'own/made', '-p', 'x', ...more], { env: { MY_KEY: key } })
    assert.deepEqual([run.code, run.stdout], [0, 'Done.\n'], run.stderr)
    return run.stderr.match(/the key in MY_KEY is too short/g)?.length ?? 0
  }
  assert.deepEqual([await told('seven77'), await told('seven77', '--quiet'), await told('eight888')], [1, 0, 0])
})
