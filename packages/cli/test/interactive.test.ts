import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { type Answer, type MockServer, mockServer } from '@rein/harness/testing/mock-server'
import { Place, Program, rein } from './program.ts'
import { calls, says, stalls, words } from './replies.ts'

/** Lines through a pipe, as a script gives them. */
async function lines(answers: readonly Answer[], input: string, ...flags: readonly string[]) {
  using place = new Place()
  await using server = await mockServer({ script: answers })
  const run = await rein(place, [...endpoint(server), ...flags], { input })
  return { ...run, requests: server.received.map(({ body }) => body.toString('utf8')) }
}

const endpoint = ({ baseUrl }: MockServer): readonly string[] => ['--base-url', baseUrl, '--model', 'made']

/** A plugin as somebody outside writes it: no import of ours. */
const shoutPlugin = `export const plugin = {
  name: 'shout',
  needs: { commands: { kind: 'service', name: 'commands' } },
  setup: ({ needs, scope }) => needs.commands.add(scope, 'shout', {
    takes: 'WORDS',
    help: 'says it loud',
    run: async (words) => ({ ok: true, value: words.toUpperCase() }),
  }),
}
`

suite('a session through a pipe', { concurrency: 3 }, () => {
  test('takes each line as a turn, answers on stdout, and ends with the input', async () => {
    const { code, stdout, stderr, requests } = await lines([says('One.'), says('Two.')], 'first\n\nsecond')
    assert.deepEqual([code, stdout], [0, 'One.\nTwo.\n'])
    assert.match(requests[1] ?? '', /first.*One\..*second/)
    assert.equal(stderr.match(/^tokens /gm)?.length, 2)
  })

  test('knows its slash commands and answers an unknown one with the nearest', async () => {
    const { stderr, requests } = await lines(
      [],
      '/hlep\n/help\n/mode read-onyl\n/model gpt\n/fork x\n/fork 3\n/quit\nnever said\n',
    )
    assert.match(stderr, /no command \/hlep\. Did you mean \/help\?/)
    for (const name of ['new', 'resume', 'model', 'mode', 'cost', 'fork', 'quit'])
      assert.match(stderr, new RegExp(`/${name} `))
    assert.match(stderr, /Did you mean read-only\?/)
    assert.match(stderr, /written PROVIDER\/MODEL/)
    assert.equal(stderr.match(/\/fork takes @ and the number of an event/g)?.length, 2)
    assert.deepEqual(requests, [])
  })

  test('takes what begins with a path or a comment for a message', async () => {
    const { stdout, stderr, requests } = await lines(
      [says('One.'), says('Two.')],
      '/usr/bin/foo is broken\n// a comment\n/etc\n',
    )
    assert.equal(stdout, 'One.\nTwo.\n')
    assert.match(requests[0] ?? '', /\/usr\/bin\/foo is broken/)
    assert.match(requests[1] ?? '', /\/\/ a comment/)
    assert.match(stderr, /no command \/etc\..*put a space before the slash/)
  })

  test('gives a program that reads the answers every byte of them', async () => {
    const bytes = 'a\u001b[31mb\u202ec\rd\r\n'
    assert.equal((await lines([says(bytes)], 'go\n')).stdout, bytes)
  })

  test('lists other sessions with directory and first prompt', async () => {
    using place = new Place()
    await using server = await mockServer({ script: [says('One.')] })
    await rein(place, [...endpoint(server), '-p', 'mend the roof'])
    const { stderr } = await rein(place, endpoint(server), { input: '/resume\n' })
    assert.match(stderr, /^s-\w+ .* completed .*project {2}mend the roof$/m)
    assert.doesNotMatch(stderr, /\n\n$/)
  })

  test('of a session that is open elsewhere names it in what can be done', async () => {
    using place = new Place()
    await using server = await mockServer({ script: [says('One.')] })
    using holder = new Program(place, endpoint(server), { input: 'open' })
    holder.child.stdin.write('hello\n')
    await holder.until(({ stderr }) => /tokens 100 in/.test(stderr))
    const [id = ''] = holder.stderr.match(/s-[0-9a-f]{12}/) ?? []
    const { stderr } = await rein(place, [...endpoint(server), 'resume', id], { input: '' })
    assert.ok(stderr.includes(`rein resume ${id} -p "task"`), stderr)
  })

  test('shows the end of a session that goes on, calls and results with it, before the greeting', async () => {
    using place = new Place()
    await using server = await mockServer({ script: [calls('glob', { pattern: '*' }), says('Nothing there.')] })
    await rein(place, [...endpoint(server), '-p', 'look around'])
    const { stdout, stderr } = await rein(place, [...endpoint(server), 'resume'], { input: '' })
    assert.match(stderr, /> look around\n(.*\n)*• glob .*\n(.*\n)*Nothing there\.\n(.*\n)*rein 0\.1\.0/)
    assert.equal(stdout, '')
  })

  test('logs the commands that touch it, and not those that only look', async () => {
    using place = new Place()
    await using server = await mockServer()
    await rein(place, endpoint(server), { input: '/mode\n/cost\n/mode full-access\n/mode nope\n' })
    const { stdout } = await rein(place, ['show', 'last', '--events'])
    const events: { type: string; data: Record<string, unknown> }[] = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    const runs = events.filter(({ type }) => type === 'command/run').map(({ data }) => [data.name, data.arguments])
    const ends = events.filter(({ type }) => type === 'command/done').map(({ data }) => data.outcome)
    assert.deepEqual(runs, [
      ['mode', 'full-access'],
      ['mode', 'nope'],
    ])
    assert.deepEqual(ends, ['done', 'failed'])
    assert.equal(events.filter(({ type }) => type === 'permission/mode').length, 2)
  })

  test('knows the commands of plugins, lists them, runs them from idle and logs them', async () => {
    using place = new Place()
    await using server = await mockServer()
    const file = join(place.cwd, 'shout.mjs')
    writeFileSync(file, shoutPlugin)
    const flags = [...endpoint(server), '--plugin', `shout=${file}`]
    const { stderr } = await rein(place, flags, { input: '/help\n/shout so loud\n' })
    assert.match(stderr, /\/shout WORDS +says it loud/)
    assert.match(stderr, /\/restore @seq \[--dry-run\] \[--overwrite\] {2}files go back/)
    assert.match(stderr, /SO LOUD/)
    const { stdout } = await rein(place, ['show', 'last', '--events'])
    assert.match(stdout, /"type":"command\/run","data":\{"id":"[^"]+","name":"shout","arguments":"so loud"/)
    assert.match(stdout, /"type":"command\/done".*"outcome":"done"/)
  })

  test('forks and goes on in the fork, and /new begins with nothing', async () => {
    const { stdout, stderr, requests } = await lines(
      [says('One.'), says('Two.'), says('Three.')],
      'alpha-1\n/fork\nbeta-2\n/new\ngamma-3\n',
    )
    const ids = new Set(stderr.match(/s-[0-9a-f]{12}/g))
    assert.equal(ids.size, 3)
    assert.match(stdout, /One\.\nTwo\.\nThree\.\n/)
    assert.match(requests[1] ?? '', /alpha-1.*One\..*beta-2/)
    assert.equal(requests[2]?.includes('alpha-1'), false)
  })

  test('forks from before the first request once, and goes on with the model there was', async () => {
    using place = new Place()
    await using server = await mockServer({ script: [says('One.'), says('Two.')] })
    const { stdout } = await rein(place, endpoint(server), { input: 'alpha-1\n/fork @2\nbeta-2\n' })
    assert.equal(stdout, 'One.\nTwo.\n')
    const listed = (await rein(place, ['sessions', '--json'])).stdout.trimEnd().split('\n')
    assert.equal(listed.length, 2, listed.join('\n'))
  })

  test('leaves nothing behind when nothing was said, so that last is a session with something in it', async () => {
    using place = new Place()
    await using server = await mockServer({ script: [says('One.')] })
    await rein(place, endpoint(server), { input: 'hello\n' })
    await rein(place, endpoint(server), { input: '/cost\n' })
    const { stderr, stdout } = await rein(place, [...endpoint(server), 'resume'], { input: '' })
    assert.match(stderr, /> hello\nOne\./)
    assert.equal(stdout, '')
  })

  test('answers every question no, because nobody is there', async () => {
    const { stderr, requests } = await lines([calls('bash', { command: 'touch x' }), says('Well.')], 'do it\n')
    assert.match(stderr, /denied/)
    assert.match(requests[1] ?? '', /was denied/)
  })

  test('is stopped by SIGINT, tells it, and a second one while idle ends it', async () => {
    using place = new Place()
    await using server = await mockServer({ script: [stalls(words('So far')), says('Again.')] })
    using program = new Program(place, endpoint(server), { input: 'open' })
    program.child.stdin.write('slow\n')
    await program.until(({ stdout }) => stdout.includes('So far'))
    program.child.kill('SIGINT')
    await program.until(({ stderr }) => /— cancelled —[\s\S]*tokens/.test(stderr))
    program.child.stdin.write('once more\n')
    await program.until(({ stdout }) => stdout.includes('Again.'))
    assert.match(program.stdout, /^So far\nAgain\./)
    await program.until(({ stderr }) => /tokens 100 in/.test(stderr))
    program.child.kill('SIGINT')
    assert.equal((await program.ended).code, 130)
  })

  test('needs consent for what a project brings, and does not take a line for it', async () => {
    using place = new Place()
    mkdirSync(`${place.cwd}/.rein`)
    writeFileSync(`${place.cwd}/.rein/rein.yaml`, 'permissions: { mode: full-access }\n')
    const run = await rein(place, ['--base-url', 'http://127.0.0.1:9/v1', '--model', 'm'], { input: 'y\n' })
    assert.equal(run.code, 2)
    assert.match(run.stderr, /needs your consent/)
  })
})
