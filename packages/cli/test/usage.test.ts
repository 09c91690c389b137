import assert from 'node:assert/strict'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { mockServer } from '@rein/harness/testing/mock-server'
import { parseCommandLine } from '../src/args.ts'
import type { Cli } from '../src/cli.ts'
import { problemText } from '../src/problem-text.ts'
import { session } from '../src/session.ts'
import { surroundings } from './in-process.ts'
import { Place, rein, resultOf } from './program.ts'
import { says } from './replies.ts'

/** Nothing listens there, and nothing may try: whatever is wrong is found before. */
const endpoint = ['--base-url', 'http://127.0.0.1:9/v1', '--model', 'made'] as const

/** Each is refused with 2 and these words, and no session is made. */
const refused: readonly (readonly [title: string, args: readonly string[], says: RegExp])[] = [
  ['a task without -p', ['fix the bug'], /rein -p "fix the bug"/],
  ['a slash command in -p', [...endpoint, '-p', '/compact now'], /\/compact is a command of an interactive session/],
  ['an empty task', [...endpoint, '-p', ' '], /the task is empty/],
  ['a file that is not there', [...endpoint, '-p', 'x', 'nope.md'], /nope\.md cannot be read \(ENOENT\)/],
  ['a directory as a file', [...endpoint, '-p', 'x', '.'], /\. is not a file/],
  ['a session that is not there', [...endpoint, '-p', 'x', '--resume', 's-none'], /there is no session s-none/],
  ['a directory that is not there', [...endpoint, '-p', 'x', '--cwd', 'nope'], /there is no directory .*nope/],
  [
    'an endpoint elsewhere without a key',
    ['--base-url', 'https://host.invalid/v1', '--model', 'm', '-p', 'x'],
    /REIN_API_KEY/,
  ],
  ['an endpoint without a model', ['--base-url', 'http://127.0.0.1:9/v1', '-p', 'x'], /--base-url needs --model/],
  ['no model at all', ['-p', 'x'], /No model was chosen/],
  ['a model without its provider', ['--model', 'gpt', '-p', 'x'], /written PROVIDER\/MODEL/],
  [
    'a plugin row that is not there',
    [...endpoint, '--plugin', 'bsh=off', '-p', 'x'],
    /plugins\.bsh: .*did you mean bash\?/,
  ],
  ['--approve ask without a terminal', [...endpoint, '--approve', 'ask', '-p', 'x'], /needs a terminal/],
]

for (const [title, args, words] of refused) {
  test(`${title} is refused with 2 before anything runs`, async () => {
    using place = new Place()
    const { cli, out, err } = surroundings(place)
    const code = await called(cli, args)
    assert.deepEqual([code, out()], [2, ''])
    assert.match(err(), words)
    assert.equal(existsSync(join(place.home, 'sessions')), false)
  })
}

/** The session command as the program calls it, without the program. */
async function called(cli: Cli, argv: readonly string[]): Promise<number> {
  const line = parseCommandLine(argv)
  if (line.ok) return session({ ...cli, cwd: resolve(cli.cwd, line.args.value('cwd') ?? '.') }, line.args)
  cli.err(problemText(line.problem))
  return 2
}

test('a provider of the settings whose key is missing ends with 2 and names the variable', async () => {
  using place = new Place()
  const settings = 'providers:\n  near: { baseUrl: "https://host.invalid/v1", key: { env: NEAR_KEY } }\n'
  writeFileSync(join(place.home, 'rein.yaml'), settings)
  const env = { REIN_API_KEY: 'sk-another-key-entirely' }
  const missing = await rein(place, ['--model', 'near/m', '-p', 'x'], { env })
  assert.equal(missing.code, 2)
  assert.match(missing.stderr, /NEAR_KEY/)
  const unknown = await rein(place, ['--model', 'naer/m', '-p', 'x'], { env })
  assert.equal(unknown.code, 2)
  assert.match(unknown.stderr, /Did you mean near\/m\?/)
})

test('with --json a script gets a result line also when nothing ran', async () => {
  using place = new Place()
  const unset = await rein(place, ['-p', 'x', '--json'])
  const mistyped = await rein(place, ['-p', 'x', '--json', '--modle', 'a/b'])
  for (const run of [unset, mistyped]) {
    assert.equal(run.code, 2)
    assert.partialDeepStrictEqual(resultOf(run), { type: 'result', session: null, outcome: null, exit: 2 })
  }
})

test('what a project brings needs consent: 2 with file, line and hash, and the hash is the consent', async () => {
  using place = new Place()
  await using server = await mockServer({ script: [says('Done.'), says('Done.')] })
  mkdirSync(join(place.cwd, '.rein'))
  const provider = `providers:\n  ours: { baseUrl: "${server.baseUrl}", key: none }\n`
  writeFileSync(join(place.cwd, '.rein', 'rein.yaml'), `model: ours/made\n${provider}`)
  const asked = await rein(place, ['-p', 'x'])
  assert.equal(asked.code, 2)
  const hash = /rein\.yaml:3.*needs your consent, ([0-9a-f]{64})/.exec(asked.stderr)?.[1] ?? ''
  const agreed = await rein(place, ['-p', 'x', '--quiet', '--trust-project', hash])
  assert.deepEqual([agreed.code, agreed.stdout], [0, 'Done.\n'])
  const ignored = await rein(place, ['-p', 'x', '--ignore-project'])
  assert.equal(ignored.code, 2)
  assert.match(ignored.stderr, /No model was chosen/)
  assert.equal(server.received.length, 1)
})

test('--version and --help answer on stdout', async () => {
  using place = new Place()
  const [version, help] = await Promise.all([rein(place, ['--version']), rein(place, ['show', '--help'])])
  assert.match(version.stdout, /^\d+\.\d+\.\d+\n$/)
  assert.deepEqual([version.code, help.code], [0, 0])
  assert.match(help.stdout, /--request N/)
  assert.doesNotMatch(help.stdout, /--base-url/)
})
