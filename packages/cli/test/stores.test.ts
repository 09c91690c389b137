import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { homeStore } from '@rein/harness'
import { mockServer } from '@rein/harness/testing/mock-server'
import { Desk } from './commands/desk.ts'
import { Place, rein } from './program.ts'
import { calls, says } from './replies.ts'

const killed = fileURLToPath(new URL('./demo/killed.ts', import.meta.url))
/** Without snapshots of files, which are the same on every store. */
const patch = (kind: string): readonly string[] => {
  return ['--plugin', `store={"config":{"kind":"${kind}"}}`, '--plugin', 'snapshots=off']
}

for (const kind of ['jsonl', 'sqlite', 'memory'] as const) {
  suite(`sessions kept in ${kind}`, () => {
    test('the demo ends well, is proved, listed, forked, and the fork goes on', async () => {
      using desk = new Desk()
      assert.equal((await desk.run(['demo', '--quiet', ...patch(kind)])).exit, 0)
      assert.match((await desk.run(['verify', 'last'])).out, /^clean/)
      const listed = JSON.parse((await desk.run(['sessions', '--json'])).out.split('\n')[0] ?? '')
      const forked = await desk.run(['fork', listed.id, '--at', '40'])
      assert.equal(forked.exit, 0, forked.err)
      const id = forked.out.trim()
      const resumed = await desk.run(['resume', id, '-p', 'Go on.', '--quiet', ...patch(kind)])
      assert.equal(resumed.exit, 0, resumed.err)
      assert.match(resumed.out, /^The test /)
      for (const each of [listed.id, id]) assert.match((await desk.run(['verify', each])).out, /^clean/)
      const store = homeStore({ home: desk.home, now: Date.now })
      for (const each of [listed.id, id]) assert.equal(await store.whereIs(each), kind)
    })
  })
}

test('a demo whose session SQLite keeps, killed in the middle, goes on and ends well', async () => {
  using desk = new Desk()
  const env = { ...process.env, REIN_HOME: desk.home, TMPDIR: desk.tmp }
  const child = spawn(process.execPath, [killed, '34', ...patch('sqlite')], { env, stdio: 'ignore' })
  const [, signal] = await once(child, 'exit')
  assert.equal(signal, 'SIGKILL')
  const { exit, out, err } = await desk.run(['resume', 'last', '-p', 'Go on.', '--quiet', ...patch('sqlite')])
  assert.equal(exit, 0, err)
  assert.match(out, /The test passes now/)
  assert.match((await desk.run(['verify', 'last'])).out, /^clean/)
})

test('a store that is chosen in the settings keeps a headless run, which is resumed, and moved, by other processes', async () => {
  using place = new Place()
  writeFileSync(join(place.home, 'rein.yaml'), 'plugins: { store: { config: { kind: sqlite } } }\n')
  await using server = await mockServer({ script: [calls('glob', { pattern: '*' }), says('One.'), says('Two.')] })
  const at = ['--base-url', server.baseUrl, '--model', 'made', '--quiet']
  const first = await rein(place, ['-p', 'look', ...at])
  assert.deepEqual([first.code, first.stdout, first.stderr], [0, 'One.\n', ''])
  const second = await rein(place, ['resume', 'last', '-p', 'again', ...at])
  assert.deepEqual([second.code, second.stdout, second.stderr], [0, 'Two.\n', ''])
  const moved = await rein(place, ['sessions', 'move', 'last', '--to', 'jsonl'])
  assert.match(
    moved.stderr,
    /^moved from sqlite to jsonl: .* of log, head [0-9a-f]{64}; the original is in the trash\n$/,
  )
  const [, head] = /head ([0-9a-f]{64})/.exec(moved.stderr) ?? []
  const verified = await rein(place, ['verify', 'last'])
  assert.match(verified.stdout, new RegExp(`^clean[\\s\\S]*${head}`))
})

/** A store of somebody's own, as its module stands beside their settings: here over files in another folder. */
const ownStore = (folder: string): string => `
import { jsonlStore, StorePort } from '${import.meta.resolve('@rein/harness')}'
export const plugin = {
  name: 'my-store',
  needs: {},
  setup: ({ provide }) => provide(StorePort, { ...jsonlStore({ home: '${folder}', now: Date.now }), name: 'mine' }),
}
`

test("a store of one's own keeps a run, which is resumed by id and as the last one", async () => {
  using desk = new Desk()
  await using server = await mockServer({ script: [says('One.'), says('Two.'), says('Three.')] })
  const folder = join(desk.base, 'elsewhere')
  writeFileSync(join(desk.home, 'my-store.mjs'), ownStore(folder))
  writeFileSync(join(desk.home, 'rein.yaml'), 'plugins: { store: { use: ./my-store.mjs } }\n')
  const at = ['--base-url', server.baseUrl, '--model', 'made']
  const first = await desk.run(['-p', 'look', '--json', ...at])
  assert.equal(first.exit, 0, first.err)
  const { session } = JSON.parse(first.out.trimEnd().split('\n').at(-1) ?? '')
  const second = await desk.run(['resume', session, '-p', 'again', '--quiet', ...at])
  assert.deepEqual([second.exit, second.out, second.err], [0, 'Two.\n', ''])
  const third = await desk.run(['-p', 'more', '--resume', 'last', '--quiet', ...at])
  assert.deepEqual([third.exit, third.out, third.err], [0, 'Three.\n', ''])
  assert.equal((await homeStore({ home: folder, now: Date.now }).list()).length, 1)
  assert.equal((await homeStore({ home: desk.home, now: Date.now }).list()).length, 0)
})

test('what is no store is refused by name', async () => {
  using desk = new Desk()
  const { exit, err } = await desk.run(['demo', '--quiet', ...patch('postgres')])
  assert.equal(exit, 2, err)
  assert.match(err, /kind is "postgres"/)
})
