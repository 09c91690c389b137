import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { defaults } from '../../src/config/load.ts'
import { rowText } from '../../src/config/provenance.ts'
import { place, problems, ready } from './fixture.ts'

const example = `model: deepseek/deepseek-chat
providers:
  deepseek: { dialect: openai-chat, baseUrl: https://api.deepseek.com/v1, key: { env: DEEPSEEK_API_KEY } }
  local:    { dialect: openai-chat, baseUrl: http://127.0.0.1:11434/v1, key: none }
permissions:
  mode: workspace-write
  env: { inherit: true, keep: [NPM_TOKEN] }
budgets: { steps: 200, cost: null }
plugins:
  compact: { config: { threshold: 0.8 } }
  my-tool: { use: ./plugins/my-tool.ts }
  web-search: { enabled: false }
`

test('without any file the defaults apply', async (t) => {
  const { settings, rows } = ready(await place(t).load())
  assert.deepEqual(settings, defaults().settings)
  assert.deepEqual(rows.map(rowText), [
    'permissions.mode: workspace-write  (built-in)',
    'permissions.env.inherit: true  (built-in)',
    'permissions.env.keep: []  (built-in)',
    'budgets.steps: 200  (built-in)',
  ])
})

test('a complete user file is understood, and every value knows its line', async (t) => {
  const here = place(t)
  const file = here.write('home/rein.yaml', example)
  const { settings, rows } = ready(await here.load())
  assert.equal(settings.model, 'deepseek/deepseek-chat')
  assert.deepEqual(settings.providers.local, {
    dialect: 'openai-chat',
    baseUrl: 'http://127.0.0.1:11434/v1',
    key: 'none',
    models: {},
    quirks: {},
  })
  assert.deepEqual(settings.providers.deepseek?.key, { env: 'DEEPSEEK_API_KEY' })
  assert.deepEqual(settings.plugins, {
    compact: { config: { threshold: 0.8 } },
    'my-tool': { use: `${here.home}/plugins/my-tool.ts` },
    'web-search': { enabled: false },
  })
  const placed = new Map(rows.map(({ key, place }) => [key, `${place.file}:${place.line}`]))
  assert.equal(placed.get('model'), `${file}:1`)
  assert.equal(placed.get('providers.local.baseUrl'), `${file}:4`)
  assert.equal(placed.get('plugins.compact.config.threshold'), `${file}:10`)
})

test('a later layer wins key by key, and the place names the layer that won', async (t) => {
  const here = place(t)
  here.write('home/rein.yaml', 'model: u/user\nbudgets: { steps: 10 }\npermissions: { mode: full-access }\n')
  here.write('project/.rein/rein.yaml', 'model: p/project\nbudgets: { steps: 20 }\n')
  here.write('project/.rein/rein.local.yaml', 'budgets:\n  steps: 30\n')
  const env = { REIN_PERMISSIONS_MODE: 'read-only' }
  const flags = [{ label: '--model', settings: { model: 'f/flag' } }]
  const { settings, rows, explain } = ready(await here.load({ env, flags }))
  assert.deepEqual([settings.model, settings.budgets.steps, settings.permissions.mode], ['f/flag', 30, 'read-only'])
  const lines = rows.map(rowText).map((line) => line.replace(here.project, 'project'))
  assert.ok(lines.includes('model: f/flag  (--model)'))
  assert.ok(lines.includes('budgets.steps: 30  (project/.rein/rein.local.yaml:2:3)'))
  assert.ok(lines.includes('permissions.mode: read-only  (REIN_PERMISSIONS_MODE)'))
  assert.deepEqual(
    explain('model').map(({ place, value, counts }) => [place.layer, value, counts]),
    [
      ['flag', 'f/flag', true],
      ['project', 'p/project', false],
      ['user', 'u/user', false],
    ],
  )
})

test('lists replace, null removes, and a removed value that must be there is the built-in one again', async (t) => {
  const here = place(t)
  here.write('home/rein.yaml', 'model: u/m\npermissions: { mode: read-only, env: { keep: [A, B] } }\n')
  const flags = [
    {
      label: '--x',
      settings: { model: null, budgets: { steps: null }, permissions: { mode: null, env: { keep: ['C'] } } },
    },
  ]
  const { settings } = ready(await here.load({ flags }))
  assert.deepEqual(settings.permissions, { mode: 'workspace-write', env: { inherit: true, keep: ['C'] } })
  assert.deepEqual(settings.budgets, {})
  assert.equal('model' in settings, false)
})

test('every problem of every layer is reported at once, with file, line and the nearest known key', async (t) => {
  const here = place(t)
  here.write('home/rein.yaml', 'permisions:\n  mode: x\nbudgets:\n  steps: five\nmode: read-only\nfrobnicate: 1\n')
  here.write('project/.rein/rein.yaml', 'budgets: [1]\nproviders:\n  a: { baseURL: x }\n')
  const env = { REIN_PERMISSION_MODE: 'x', REIN_PERMISSIONS_MODE: 'wide', REIN_BUDGETS_FOO: '1', REIN_UNRELATED: '1' }
  assert.deepEqual(problems(await here.load({ env }), here), [
    'home/rein.yaml:1:1: permisions: unknown key; did you mean permissions?',
    'home/rein.yaml:4:3: budgets.steps: expected a whole number of at least 1; this is text that does not fit',
    'home/rein.yaml:5:1: mode: unknown key; did you mean permissions.mode?',
    'home/rein.yaml:6:1: frobnicate: unknown key; known here: model, providers, permissions, budgets, sessions, plugins',
    'project/.rein/rein.yaml:1:1: budgets: expected a map of keys, not a list',
    'project/.rein/rein.yaml:3:8: providers.a.baseURL: unknown key; did you mean baseUrl?',
    'REIN_PERMISSION_MODE: unknown setting; did you mean REIN_PERMISSIONS_MODE?',
    'REIN_BUDGETS_FOO: unknown setting; known are REIN_MODEL, REIN_PERMISSIONS_MODE, REIN_PERMISSIONS_ENV_INHERIT, REIN_PERMISSIONS_ENV_KEEP, REIN_BUDGETS_STEPS, REIN_SESSIONS_KEEP_DAYS',
    'REIN_PERMISSIONS_MODE: permissions.mode: expected one of read-only, workspace-write, full-access; this is text that does not fit',
  ])
})

test('a provider without an address, and a price without both ends, is a problem, wherever it was lost', async (t) => {
  const here = place(t)
  here.write('home/rein.yaml', 'providers:\n  a: { key: none }\n  b: { baseUrl: http://h }\n')
  assert.deepEqual(problems(await here.load(), here), ['home/rein.yaml:2:3: providers.a: has no baseUrl'])
  here.write('home/rein.yaml', 'providers: { b: { baseUrl: http://h, models: { "m.1": { price: { input: 1 } } } } }\n')
  assert.deepEqual(problems(await here.load(), here), [
    'home/rein.yaml:1:57: providers.b.models."m.1".price: needs both input and output',
  ])
  here.write('home/rein.yaml', 'providers:\n  a: { key: none }\n  b: { baseUrl: http://h }\n')
  const flags = [{ label: '--x', settings: { providers: { a: null, b: { baseUrl: null } } } }]
  assert.deepEqual(problems(await here.load({ flags }), here), ['--x: providers.b: has no baseUrl'])
})

const fixture = (name: string): string => readFileSync(new URL(`../fixtures/config/${name}`, import.meta.url), 'utf8')

test('a project changes what it names, and leaves every other setting of the user alone', async (t) => {
  const here = place(t)
  here.write('home/rein.yaml', fixture('user.yaml').replace('permisions', 'permissions'))
  const file = here.write('project/.rein/rein.yaml', fixture('project.yaml'))
  assert.equal((await here.load()).kind, 'unconsented')
  const { settings, explain } = ready(await here.load({ consent: 'withhold', harmlessRow: (id) => id === 'plan' }))
  assert.equal(settings.model, 'u/big')
  assert.equal(settings.budgets.steps, 5)
  assert.equal(settings.providers.u?.baseUrl, 'https://u.example/v1')
  assert.deepEqual(settings.plugins.plan?.config, { model: 'p/plan', tools: ['read', 'grep'] })
  assert.deepEqual(
    explain('plugins.plan.config.model').map(({ place: { layer, line }, counts }) => [layer, line, counts]),
    [
      ['project', 2, true],
      ['user', 9, false],
    ],
  )
  assert.equal(explain('plugins.plan.config.model')[0]?.place.file, file)
})

test('the typing error of a user file, and the wrong type in another, are told with line and remedy', async (t) => {
  const here = place(t)
  here.write('home/rein.yaml', fixture('user.yaml'))
  const typo = 'home/rein.yaml:4:1: permisions: unknown key; did you mean permissions?'
  assert.deepEqual(problems(await here.load(), here), [typo])
  here.write('home/rein.yaml', fixture('broken.yaml'))
  const wrong =
    'home/rein.yaml:3:14: budgets.steps: expected a whole number of at least 1; this is text that does not fit'
  assert.deepEqual(problems(await here.load(), here), [wrong])
})

test('a wrong value takes no other key with it', async (t) => {
  const here = place(t)
  here.write('home/rein.yaml', 'model: u/m\nbudgets: { steps: five }\npermissions: { mode: read-only }\n')
  const loaded = await here.load()
  assert.equal(loaded.kind, 'bad')
  if (loaded.kind !== 'bad') return
  const { settings } = loaded.rest
  assert.deepEqual([settings.model, settings.permissions.mode, settings.budgets.steps], ['u/m', 'read-only', 200])
})

test('a key whose effect has not landed is refused, and setting it to null is harmless', async (t) => {
  const here = place(t)
  here.write(
    'home/rein.yaml',
    'budgets: { cost: 5, tokens: null }\npermissions:\n  network: []\n  commands: { allow: [x] }\n',
  )
  assert.deepEqual(problems(await here.load({ env: { REIN_BUDGETS_TOKENS: '5' } }), here), [
    'home/rein.yaml:1:12: budgets.cost: not supported yet; remove it',
    'home/rein.yaml:3:3: permissions.network: not supported yet; remove it',
    'home/rein.yaml:4:3: permissions.commands: not supported yet; remove it',
    'REIN_BUDGETS_TOKENS: budgets.tokens: not supported yet; remove it',
  ])
})

test('a key written into settings is refused without being repeated', async (t) => {
  const here = place(t)
  const providers = `providers:\n  a: { baseUrl: "https://u:hunter2fake@h/v1", key: hunter2fake }\n  b: { baseUrl: https://h, key: { env: "hunter2 fake" } }\n`
  here.write('home/rein.yaml', providers)
  const found = problems(await here.load(), here)
  assert.equal(found.length, 4)
  assert.ok(!found.join().includes('hunter2'))
})

test('environment variables are read by the kind of their key, and an empty one is not set', async (t) => {
  const env = {
    REIN_MODEL: '',
    REIN_BUDGETS_STEPS: '7',
    REIN_PERMISSIONS_ENV_INHERIT: 'false',
    REIN_PERMISSIONS_ENV_KEEP: 'A, B',
    REIN_HOME: '/x',
    REIN_API_KEY: 'k',
    REIN_CALL: '1',
    REIN: '1',
  }
  const { settings } = ready(await place(t).load({ env }))
  assert.deepEqual(settings.budgets, { steps: 7 })
  assert.deepEqual(settings.permissions.env, { inherit: false, keep: ['A', 'B'] })
  assert.equal('model' in settings, false)
})

test('a key source is replaced as a whole by a later layer', async (t) => {
  const here = place(t)
  here.write('home/rein.yaml', 'providers: { a: { baseUrl: "http://h/v1", key: { env: A } } }\n')
  const flags = [{ label: '--x', settings: { providers: { a: { key: { file: 'k' } } } } }]
  const { settings } = ready(await here.load({ flags }))
  assert.deepEqual(settings.providers.a?.key, { file: `${here.project}/k` })
})

test('names with dots are one key, and can be explained', async (t) => {
  const here = place(t)
  here.write('home/rein.yaml', 'providers:\n  a:\n    baseUrl: http://h\n    models: { "m-4.1": { maxOutput: 5 } }\n')
  const { rows, explain } = ready(await here.load())
  const key = 'providers.a.models."m-4.1".maxOutput'
  assert.ok(rows.some((row) => row.key === key))
  assert.deepEqual(
    explain(key).map(({ value }) => value),
    [5],
  )
  assert.deepEqual(explain('providers.b'), [])
})

test('with ignoreProject no project file is read', async (t) => {
  const here = place(t)
  here.write('project/.rein/rein.yaml', 'nonsense: [')
  assert.deepEqual(ready(await here.load({ ignoreProject: true })).settings, defaults().settings)
})
