import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Answer, type MockServer, mockServer } from '@rein/harness/testing/mock-server'
import { Place, Program, programPath, rein, resultOf } from './program.ts'
import { calls, cut, ending, says, stalls, words } from './replies.ts'

const at = ({ baseUrl }: MockServer, ...more: readonly string[]): readonly string[] => [
  '--base-url',
  baseUrl,
  '--model',
  'made',
  ...more,
]

async function ran(answers: readonly Answer[], args: readonly string[], options = {}) {
  using place = new Place()
  await using server = await mockServer({ script: answers })
  const result = await rein(place, at(server, ...args), options)
  return { ...result, requests: server.received.map(({ body }) => body.toString('utf8')) }
}

suite('a headless run', { concurrency: 3 }, () => {
  test('the answer alone is on stdout, what else there is to tell on stderr', async () => {
    const { code, stdout, stderr } = await ran([calls('glob', { pattern: '*' }), says('All done.')], ['-p', 'look'])
    assert.equal(code, 0)
    assert.equal(stdout, 'All done.\n')
    assert.match(stderr, /glob/)
    assert.match(stderr, /tokens 200 in, 40 out/)
  })

  test('--quiet leaves stderr to errors', async () => {
    const { code, stderr } = await ran([calls('glob', { pattern: '*' }), says('Done.')], ['-p', 'look', '--quiet'])
    assert.equal(code, 0)
    assert.equal(stderr, '')
  })

  test('--json prints the log line by line and a result line last, whose exit is the exit code', async () => {
    using place = new Place()
    await using server = await mockServer({ script: [calls('glob', { pattern: '*' }), says('Done.')] })
    const run = await rein(place, at(server, '-p', 'look', '--json'))
    const lines = run.stdout.trimEnd().split('\n')
    const result = resultOf(run)
    assert.deepEqual([result.outcome, result.exit, result.text, result.steps], ['completed', 0, 'Done.', 2])
    assert.deepEqual(result.usage, { input: 200, cacheRead: 0, cacheWrite: 0, output: 40 })
    assert.deepEqual([result.cost, result.denied, result.error], [null, [], null])
    const log = await rein(place, ['show', String(result.session), '--events'])
    assert.deepEqual(lines.slice(0, -1), log.stdout.trimEnd().split('\n'))
  })

  test('what a provider that tells no usage cost is not known', async () => {
    using place = new Place()
    const silent: Answer = { body: [words('Done.'), ending('stop')[0] ?? '', 'data: [DONE]\n\n'] }
    await using server = await mockServer({ script: [silent] })
    assert.equal(resultOf(await rein(place, at(server, '-p', 'look', '--json'))).cost, null)
  })

  test('a rate limit that outlasts the run ends it at once with RATE_LIMITED and nothing on stdout', async () => {
    const limited: Answer = { status: 429, headers: { 'retry-after': '60' }, body: ['{"error":{"message":"slow"}}'] }
    const { code, stdout, stderr, requests } = await ran([limited], ['-p', 'look', '--timeout', '20'])
    assert.deepEqual([code, stdout, requests.length], [1, '', 1])
    assert.match(stderr, /RATE_LIMITED.*1 min/)
  })

  test('a tool that is needed and denied is told to the model, and the run ends with 3', async () => {
    const run = await ran([calls('bash', { command: 'touch x' }), says('I could not.')], ['-p', 'look', '--json'])
    const result = resultOf(run)
    assert.equal(run.code, 3)
    assert.deepEqual([result.outcome, result.exit], ['completed', 3])
    assert.partialDeepStrictEqual(result.denied, [{ call: 'call_1', name: 'bash' }])
    assert.match(run.requests[1] ?? '', /was denied/)
    assert.match(run.stderr, /^• bash .+\n {2}↳ bash denied by /m, 'what was denied can be read')
  })

  test('a turn that uses its steps ends with 4 and STEPS', async () => {
    const again = [1, 2, 3].map((n) => calls('glob', { pattern: '*' }, `call_${n}`))
    const run = await ran(again, ['-p', 'look', '--json', '--max-steps', '2'])
    assert.equal(run.code, 4)
    assert.partialDeepStrictEqual(resultOf(run), { outcome: 'budget', exit: 4, steps: 2, error: { code: 'STEPS' } })
  })

  test('an answer that the token limit cut is printed and ends with 5', async () => {
    const { code, stdout, stderr } = await ran([says('Half an ans', 'length')], ['-p', 'look'])
    assert.deepEqual([code, stdout], [5, 'Half an ans\n'])
    assert.match(stderr, /cut by the token limit/)
  })

  test('a run that takes longer than --timeout ends with 4 and TIME, and keeps what was streamed', async () => {
    const run = await ran([stalls(words('So far'))], ['-p', 'look', '--json', '--timeout', '0.6'])
    assert.equal(run.code, 4)
    assert.partialDeepStrictEqual(resultOf(run), { outcome: 'budget', text: 'So far', error: { code: 'TIME' } })
  })

  for (const [what, answer] of [
    ['HTML', { headers: { 'content-type': 'text/html' }, body: ['<html>Welcome to the hotel</html>'] }],
    ['nonsense', { headers: { 'content-type': 'application/json' }, body: ['{]'] }],
    ['a refusal of the key', { status: 401, body: ['{"error":{"message":"bad key"}}'] }],
  ] as const) {
    test(`an endpoint that sends ${what} ends the run with 1, named by its code`, async () => {
      const run = await ran([answer], ['-p', 'look', '--json'])
      assert.equal(run.code, 1)
      assert.partialDeepStrictEqual(resultOf(run), { outcome: 'error', exit: 1, text: '' })
      assert.match(run.stderr, /rein: [A-Z_]+: /)
    })
  }

  test('with the task as an argument an open stdin that nobody writes to is not waited for', async () => {
    const { code, stdout } = await ran([says('Done.')], ['-p', 'look'], { input: 'open' })
    assert.deepEqual([code, stdout], [0, 'Done.\n'])
  })

  test('-p - reads the task from stdin', async () => {
    const { code, requests } = await ran([says('Done.')], ['-p', '-'], { input: 'from the pipe\r\n' })
    assert.equal(code, 0)
    assert.match(requests[0] ?? '', /from the pipe/)
  })

  test('@- attaches stdin, and files are attached with their paths', async () => {
    using place = new Place()
    await using server = await mockServer({ script: [says('Done.')] })
    writeFileSync(join(place.cwd, 'notes.md'), '# Notes\n```\ncode\n```\n')
    const { code } = await rein(place, at(server, '-p', 'sum up', 'notes.md', '@-'), { input: 'piped in' })
    const body = server.received[0]?.body.toString('utf8') ?? ''
    assert.equal(code, 0)
    assert.match(body, /File notes\.md:\\n````\\n# Notes/)
    assert.match(body, /File stdin:\\n```\\npiped in/)
  })

  test('a slow reader gets every line of a long event stream whole', async () => {
    using place = new Place()
    const long = words('x'.repeat(64 * 1024))
    await using server = await mockServer({ script: [{ body: [...Array(80).fill(long), ...ending('stop')] }] })
    using program = new Program(place, at(server, '-p', 'look', '--json'))
    program.child.stdout.pause()
    await sleep(400)
    program.child.stdout.resume()
    const run = await program.ended
    const lines = run.stdout.trimEnd().split('\n')
    assert.equal(run.code, 0)
    assert.ok(run.stdout.length > 5 * 1024 * 1024)
    for (const line of lines) assert.equal(typeof JSON.parse(line), 'object')
    assert.partialDeepStrictEqual(resultOf(run), { type: 'result', outcome: 'completed' })
  })

  test('a reader that leaves early ends the run, which does not hang and does not succeed', async () => {
    using place = new Place()
    const late = { headAfterMs: 300, ...calls('glob', { pattern: '*' }) }
    await using server = await mockServer({ script: [late, stalls(words('and'))] })
    using program = new Program(place, at(server, '-p', 'look', '--json', '--quiet'))
    await program.until(({ stdout }) => stdout.includes('request/sent'))
    program.child.stdout.destroy()
    const { code, stderr } = await program.ended
    assert.deepEqual([code, stderr], [1, ''])
  })

  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const) {
    test(`${signal} cancels the turn, keeps what was streamed and ends with ${code}`, async () => {
      using place = new Place()
      await using server = await mockServer({ script: [stalls(words('So far'))] })
      using program = new Program(place, at(server, '-p', 'look', '--json'))
      await program.until(({ stdout }) => stdout.includes('request/sent'))
      while (server.received.length === 0) await sleep(5)
      await sleep(50)
      program.child.kill(signal)
      const run = await program.ended
      assert.equal(run.code, code)
      assert.partialDeepStrictEqual(resultOf(run), { outcome: 'cancelled', exit: code, text: 'So far' })
    })
  }

  test('sixteen runs at once in one directory all complete', async () => {
    using place = new Place()
    await using server = await mockServer({ script: Array(16).fill(says('Done.')) })
    const runs = await Promise.all(Array.from({ length: 16 }, () => rein(place, at(server, '-p', 'look', '--quiet'))))
    assert.deepEqual(
      runs.map(({ code, stdout, stderr }) => [code, stdout, stderr]),
      Array(16).fill([0, 'Done.\n', '']),
    )
  })

  test('a session of another directory is gone on with there, and that is said', async () => {
    using place = new Place()
    await using server = await mockServer({ script: [says('One.'), says('Two.')] })
    await rein(place, at(server, '-p', 'one'))
    const elsewhere = Object.assign(Object.create(place), { cwd: place.folder })
    const { stdout, stderr } = await rein(elsewhere, at(server, '-p', 'two', '--resume', 'last'))
    assert.equal(stdout, 'Two.\n')
    assert.ok(stderr.includes(`rein: the session works in ${place.cwd}\n`), stderr)
    const session = await rein(elsewhere, at(server, 'resume'))
    assert.ok(session.stderr.includes(` · ${place.cwd} · `), session.stderr)
  })

  test('in a directory that was removed nothing runs, and what needs no directory works', async () => {
    using place = new Place()
    const gone = (...args: readonly string[]) => {
      mkdirSync(place.cwd, { recursive: true })
      const env = { PATH: process.env['PATH'], REIN_HOME: place.home }
      const command = ['-c', 'rmdir "$PWD" && exec "$0" "$@"', process.execPath, programPath, ...args]
      return spawnSync('sh', command, { cwd: place.cwd, env, encoding: 'utf8' })
    }
    const run = gone('--base-url', 'http://127.0.0.1:9/v1', '--model', 'made', '-p', 'x')
    assert.deepEqual([run.status, run.stdout], [2, ''])
    assert.match(run.stderr, /^rein: there is no directory .*project\n/)
    assert.deepEqual([gone('--version').status, gone('sessions').status], [0, 0])
  })

  test('a home that cannot be used is named, with something that can be done', async () => {
    using place = new Place()
    await using server = await mockServer()
    const file = join(place.folder, 'file')
    writeFileSync(file, '')
    const { code, stderr } = await rein(place, at(server, '-p', 'x'), { env: { REIN_HOME: file } })
    assert.equal(code, 1)
    assert.match(stderr, /ENOTDIR.*\n.*set REIN_HOME to another folder/)
  })

  test('-p --resume continues the session with what was said before', async () => {
    using place = new Place()
    await using server = await mockServer({ script: [says('Noted.'), says('Forty-two.')] })
    await rein(place, at(server, '-p', 'the number is 42', '--quiet'))
    const { code, stdout } = await rein(place, at(server, '-p', 'which number?', '--resume', 'last', '--quiet'))
    assert.deepEqual([code, stdout], [0, 'Forty-two.\n'])
    assert.match(server.received[1]?.body.toString('utf8') ?? '', /the number is 42.*Noted\..*which number\?/)
  })

  test('a stream without a finish is not an answer', async () => {
    const run = await ran([cut('Half'), says('Whole.')], ['-p', 'look'])
    assert.deepEqual([run.code, run.stdout, run.requests.length], [0, 'Whole.\n', 2])
  })
})
