import assert from 'node:assert/strict'
import { readFileSync, statSync, symlinkSync } from 'node:fs'
import { test } from 'node:test'
import { readConsents, recordConsent } from '../../src/config/consents.ts'
import type { Loaded } from '../../src/config/load.ts'
import { place, problems, ready } from './fixture.ts'

const file = 'project/.rein/rein.yaml'

function wanted(loaded: Loaded) {
  if (loaded.kind !== 'unconsented') throw new Error(`expected a question, not ${loaded.kind}`)
  const [first, ...more] = loaded.wanted
  if (!first || more.length > 0) throw new Error('expected one file')
  return first
}

const needing: readonly (readonly [yaml: string, line: number, items: readonly (string | RegExp)[]])[] = [
  [
    'model: a/b\nplugins:\n  x: { use: some-package }',
    3,
    ['plugins.x: runs some-package with all rights of this program'],
  ],
  ['plugins: { guard: { enabled: false } }', 1, ['plugins.guard: changes or turns off this plugin']],
  ['plugins: { guard: { config: {} } }', 1, ['plugins.guard: changes or turns off this plugin']],
  ['plugins: { guard: null }', 1, ['plugins.guard: removed']],
  ['plugins: null', 1, [/^plugins: removes/]],
  ['providers: null', 1, [/^providers: removes/]],
  ['providers: { a: { baseUrl: http://evil.example/ } }', 1, ['providers.a: sends requests to http://evil.example/']],
  [
    'providers:\n  a: { baseUrl: http://e, key: { env: AWS_SECRET } }',
    2,
    ['providers.a: sends requests to http://e with the key in the variable AWS_SECRET'],
  ],
  [
    'sessions:\n  keep: { days: 30 }',
    2,
    ['sessions.keep.days: sessions of every project go to the trash after 30 days without a change'],
  ],
  ['permissions: { mode: full-access }', 1, ['permissions.mode: full-access instead of read-only']],
  ['permissions:\n  mode: workspace-write', 2, ['permissions.mode: workspace-write instead of read-only']],
  ['permissions: { mode: null }', 1, ['permissions.mode: workspace-write instead of read-only']],
  [
    'permissions: null',
    1,
    [/^permissions.mode: workspace-write/, 'permissions.env.inherit: commands get the whole environment'],
  ],
  ['permissions:\n  env:\n    keep: [MINE, NPM_TOKEN]', 3, ['permissions.env.keep: commands get NPM_TOKEN']],
]

const user = 'permissions: { mode: read-only, env: { inherit: false, keep: [MINE] } }'

for (const [yaml, line, items] of needing) {
  test(`from a project this needs consent: ${JSON.stringify(yaml)}`, async (t) => {
    const here = place(t)
    here.write('home/rein.yaml', user)
    const path = here.write(file, yaml)
    const loaded = await here.load()
    const asked = wanted(loaded)
    assert.deepEqual([asked.file, asked.line], [path, line])
    assert.equal(asked.items.length, items.length)
    for (const [at, item] of items.entries()) {
      if (typeof item === 'string') assert.equal(asked.items[at], item)
      else assert.match(asked.items[at] ?? '', item)
    }
    assert.equal(loaded.kind === 'unconsented' && loaded.failure.code, 'CONSENT_MISSING')
    const text = loaded.kind === 'unconsented' ? loaded.failure.message : ''
    assert.ok(text.startsWith(`${path}:${line}: needs your consent, ${asked.hash}`))
    here.write(file, yaml)
    here.write('project/.rein/rein.local.yaml', yaml)
    assert.equal((await here.load({ trust: [asked.hash] })).kind, 'ready')
  })
}

test('what only narrows, or concerns nobody else, needs no consent', async (t) => {
  const here = place(t)
  here.write('home/rein.yaml', 'permissions: { env: { keep: [A, B] } }')
  here.write(
    file,
    'model: a/b\nbudgets: { steps: 5 }\npermissions: { mode: read-only, env: { inherit: false, keep: [A] } }',
  )
  const { settings } = ready(await here.load())
  assert.deepEqual(settings.permissions, { mode: 'read-only', env: { inherit: false, keep: ['A'] } })
})

test('a row that is known to be harmless may be changed by a project, but never given other code', async (t) => {
  const here = place(t)
  here.write(file, 'plugins: { todo: { enabled: false } }')
  const harmlessRow = (id: string) => id === 'todo'
  assert.deepEqual(ready(await here.load({ harmlessRow })).settings.plugins, { todo: { enabled: false } })
  here.write(file, 'plugins: { todo: { use: evil } }')
  assert.equal((await here.load({ harmlessRow })).kind, 'unconsented')
  here.write(file, 'plugins: { todo: null }')
  assert.equal((await here.load({ harmlessRow })).kind, 'unconsented')
})

test('what the user asks for by flag or in the own file needs no consent', async (t) => {
  const here = place(t)
  here.write('home/rein.yaml', 'plugins: { x: { use: mine } }\nproviders: { a: { baseUrl: http://h } }')
  const flags = [{ label: '--mode', settings: { permissions: { mode: 'full-access' } } }]
  assert.equal(ready(await here.load({ flags })).settings.permissions.mode, 'full-access')
})

test('consent is for the content: a changed file or plugin is asked about again', async (t) => {
  const here = place(t)
  here.write(file, 'plugins: { x: { use: ./x.ts }, y: { use: ./y } }')
  here.write('project/.rein/x.ts', 'one')
  here.write('project/.rein/y/index.ts', 'two')
  const first = wanted(await here.load())
  const recorded = await recordConsent(here.home, first, { project: here.project, now: 0 })
  assert.deepEqual(recorded, { ok: true, value: undefined })
  const { settings } = ready(await here.load())
  assert.equal(settings.plugins.x?.use, `${here.project}/.rein/x.ts`)
  const changes: readonly (readonly [string, string])[] = [
    ['project/.rein/x.ts', 'other'],
    ['project/.rein/y/index.ts', 'other'],
    ['project/.rein/y/more.ts', ''],
    [file, 'plugins: { x: { use: ./x.ts }, y: { use: ./y } } # more'],
  ]
  const hashes = new Set([first.hash])
  for (const [path, text] of changes) {
    here.write(path, text)
    hashes.add(wanted(await here.load()).hash)
  }
  assert.equal(hashes.size, 5)
})

test('the same content in another folder has the same hash, but consent is for one project', async (t) => {
  const [one, other] = [place(t), place(t)]
  for (const here of [one, other]) {
    here.write(file, 'plugins: { x: { use: ./x.ts } }')
    here.write('project/.rein/x.ts', 'one')
  }
  const asked = wanted(await one.load())
  await recordConsent(one.home, asked, { project: one.project, now: 0 })
  assert.equal((await one.load()).kind, 'ready')
  const again = wanted(await other.load({ home: one.home }))
  assert.equal(again.hash, asked.hash)
  assert.equal((await other.load({ trust: [asked.hash] })).kind, 'ready')
})

test('consents are kept beside each other, readable by the user alone, with what was agreed to', async (t) => {
  const here = place(t)
  const consent = (hash: string) => ({ file: '/p/.rein/rein.yaml', line: 1, hash, items: ['plugins.x: runs x'] })
  for (const hash of ['a1', 'b2', 'a1'])
    await recordConsent(here.home, consent(hash), { project: '/p', now: 1_764_500_000_000 })
  const consents = await readConsents(here.home)
  assert.deepEqual(consents.ok && consents.value.map(({ hash }) => hash), ['b2', 'a1'])
  assert.equal(statSync(`${here.home}/consents.yaml`).mode & 0o777, 0o600)
  assert.equal(statSync(here.home).mode & 0o777, 0o700)
  assert.match(
    readFileSync(`${here.home}/consents.yaml`, 'utf8'),
    /at: 2025-11-30T10:53:20.000Z\n {4}items:\n {6}- "plugins.x: runs x"/,
  )
})

test('a consents file that cannot be read is a problem, never a consent', async (t) => {
  const here = place(t)
  here.write(file, 'plugins: { x: { use: some-package } }')
  here.write('home/consents.yaml', 'consents: [\n')
  const found = problems(await here.load(), here)
  assert.match(found[0] ?? '', /consents\.yaml:\d+:\d+: /)
  const recorded = await recordConsent(here.home, wanted(await here.load({ home: `${here.home}2` })), {
    project: 'p',
    now: 0,
  })
  assert.equal(recorded.ok, false)
  here.write('home/consents.yaml', 'consents: 5\n')
  assert.match(problems(await here.load(), here)[0] ?? '', /consents\.yaml:1:1: consents: expected a list/)
})

test('a plugin that is not there, or too large to be agreed to by content, is a problem', async (t) => {
  const here = place(t)
  here.write(file, 'plugins: { x: { use: ./none.ts } }')
  assert.match(problems(await here.load(), here)[0] ?? '', /none\.ts: there is no such file/)
  here.write('project/.rein/y/index.ts', '')
  symlinkSync('/', `${here.project}/.rein/y/all`)
  here.write(file, 'plugins: { x: { use: ./y } }')
  assert.match(problems(await here.load(), here)[0] ?? '', /y: /)
})

test('withholding leaves out what needs consent, keeps the rest, and says so', async (t) => {
  const here = place(t)
  here.write('home/rein.yaml', 'permissions: { mode: read-only }')
  here.write(
    file,
    'model: a/b\npermissions: { mode: full-access }\nproviders: { a: { baseUrl: http://e } }\nplugins: { x: { use: y } }',
  )
  const { settings, withheld, explain } = ready(await here.load({ consent: 'withhold' }))
  assert.equal(settings.model, 'a/b')
  assert.equal(settings.permissions.mode, 'read-only')
  assert.deepEqual([settings.providers, settings.plugins], [{}, {}])
  assert.equal(withheld[0]?.items.length, 3)
  assert.deepEqual(explain('providers.a'), [])
})

test('a project-local file needs consent of its own', async (t) => {
  const here = place(t)
  here.write(file, 'plugins: { x: { use: one } }')
  here.write('project/.rein/rein.local.yaml', 'plugins: { y: { use: two } }')
  const loaded = await here.load()
  assert.deepEqual(
    loaded.kind === 'unconsented' && loaded.wanted.map(({ file: path }) => path.slice(here.project.length)),
    ['/.rein/rein.yaml', '/.rein/rein.local.yaml'],
  )
})
