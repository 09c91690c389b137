import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { mockServer } from '@rein/harness/testing/mock-server'
import { Place, rein } from '../program.ts'
import { says } from '../replies.ts'

test('a session is exported from inside as it stands: a page, or what the name of the file says; nothing is overwritten', async () => {
  using place = new Place()
  await using server = await mockServer({ script: [says('One.'), says('Two.')] })
  const input = ['first', '/export', 'second', '/export a copy.json', '/export a copy.json', '/export pdf']
  const endpoint = ['--base-url', server.baseUrl, '--model', 'made']
  const { code, stdout, stderr } = await rein(place, endpoint, { input: `${input.join('\n')}\n` })
  assert.deepEqual([code, stdout], [0, 'One.\nTwo.\n'])
  const [, id = ''] = /exported (s-[0-9a-f]+) to /.exec(stderr) ?? []
  assert.deepEqual(readdirSync(place.cwd).toSorted(), ['a copy.json', `${id}.html`].toSorted())
  const page = readFileSync(join(place.cwd, `${id}.html`), 'utf8')
  assert.match(page, /first[\s\S]*One\./)
  assert.doesNotMatch(page, /second/)
  const { events } = JSON.parse(readFileSync(join(place.cwd, 'a copy.json'), 'utf8'))
  assert.equal(events.filter(({ type }: { type: string }) => type === 'turn/end').length, 2)
  assert.match(stderr, /a copy\.json is there already/)
  assert.match(stderr, /\/export takes a file that ends in \.html, \.json or \.zip, not pdf/)
})
