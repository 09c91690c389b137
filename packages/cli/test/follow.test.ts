import assert from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Answer, type MockServer, mockServer } from '@rein/harness/testing/mock-server'
import { Place, Program, rein, resultOf } from './program.ts'
import { calls, says, stalls, words } from './replies.ts'

/** A session that a process of its own holds. */
async function held(
  place: Place,
  server: MockServer,
  flags: readonly string[],
): Promise<{ readonly holder: Program; readonly id: string }> {
  const holder = new Program(place, ['--base-url', server.baseUrl, '--model', 'made', ...flags], { input: 'open' })
  await holder.until(({ stderr }) => /s-[0-9a-f]{12}/.test(stderr))
  return { holder, id: /s-[0-9a-f]{12}/.exec(holder.stderr)?.[0] ?? '' }
}

async function story(
  answers: readonly Answer[],
  tell: (of: { place: Place; server: MockServer; holder: Program; id: string }) => Promise<void>,
  flags: readonly string[] = [],
): Promise<void> {
  using place = new Place()
  await using server = await mockServer({ script: answers })
  const { holder, id } = await held(place, server, flags)
  using _holder = holder
  await tell({ place, server, holder, id })
}

const arrived = async (server: MockServer): Promise<void> => {
  while (server.received.length === 0) await sleep(5)
  await sleep(50)
}

/** Resolves once the log of a session holds this. */
async function logged(place: Place, id: string, what: string): Promise<void> {
  const root = join(place.home, 'sessions')
  const path = readdirSync(root, { recursive: true, encoding: 'utf8' }).find((name) => name.endsWith(`${id}.jsonl`))
  while (!readFileSync(join(root, path ?? ''), 'utf8').includes(what)) await sleep(5)
}

suite('a task for a session that is open elsewhere', { concurrency: 3 }, () => {
  test('is run by the process that holds it, and its answer is printed here', () =>
    story([says('From the holder.')], async ({ place, id, holder }) => {
      const run = await rein(place, ['resume', id, '-p', 'who answers?', '--json'])
      assert.equal(run.code, 0)
      assert.partialDeepStrictEqual(resultOf(run), { session: id, outcome: 'completed', text: 'From the holder.' })
      assert.match(run.stdout, /"type":"user\/message".*who answers\?/)
      holder.child.stdin.end()
      const ended = await holder.ended
      assert.equal(ended.code, 0)
      assert.match(ended.stderr, /^> who answers\?$/m, 'the person there sees what was asked')
      const verified = await rein(place, ['verify', id])
      assert.match(verified.stdout, /^clean/)
    }))

  test('is refused by name when a flag would not hold there', () =>
    story([says('One.')], async ({ place, server, holder, id }) => {
      const early = await rein(place, ['-p', 'x', '--resume', id, '--base-url', server.baseUrl, '--model', 'made'])
      assert.equal(early.code, 2)
      assert.match(early.stderr, /has not used a model yet, so --base-url might not hold there/)
      holder.child.stdin.write('hello\n')
      await holder.until(({ stderr }) => /^tokens /m.test(stderr))
      writeFileSync(
        join(place.home, 'rein.yaml'),
        'providers: { made: { baseUrl: "http://127.0.0.1:9/v1", key: none } }\n',
      )
      const refused = [
        ['--mode', 'read-only'],
        ['--max-steps', '3'],
        ['--preset', 'minimal'],
        ['--plugin', 'bash=off'],
        ['--model', 'made/other'],
        ['--base-url', 'http://127.0.0.1:9/v1', '--model', 'made'],
        ['--model', 'other', '--base-url', server.baseUrl],
      ]
      for (const flags of refused) {
        const { code, stderr } = await rein(place, ['-p', 'x', '--resume', id, ...flags])
        assert.deepEqual([code, /^rein: .*(--[a-z-]+) would not hold there/.exec(stderr)?.[1]], [2, flags[0]])
      }
    }))

  test('is cancelled there by Ctrl-C here, and the holder goes on', () =>
    story([stalls(words('So far')), says('Next.')], async ({ place, id, server }) => {
      using follower = new Program(place, ['-p', 'slow', '--resume', id, '--json'])
      await arrived(server)
      follower.child.kill('SIGINT')
      const run = await follower.ended
      assert.equal(run.code, 130)
      assert.partialDeepStrictEqual(resultOf(run), { outcome: 'cancelled', text: 'So far' })
      const next = await rein(place, ['-p', 'and now?', '--resume', id, '--quiet'])
      assert.deepEqual([next.code, next.stdout], [0, 'Next.\n'])
    }))

  test('that still waits is taken back by Ctrl-C here, and the turn that runs there is left alone', () =>
    story([stalls(words('So far')), says('Never.')], async ({ place, id, server, holder }) => {
      holder.child.stdin.write('first\n')
      await arrived(server)
      using follower = new Program(place, ['-p', 'second', '--resume', id, '--json'])
      await logged(place, id, '"text":"second"')
      follower.child.kill('SIGINT')
      const run = await follower.ended
      assert.equal(run.code, 130)
      assert.partialDeepStrictEqual(resultOf(run), { outcome: 'cancelled', text: '' })
      const events = (await rein(place, ['show', id, '--events'])).stdout
      assert.match(events, /"type":"inbox\/spliced".*"insert":\[\],"reason":"withdrawn"/)
      assert.doesNotMatch(events, /"type":"turn\/end"/)
      assert.equal(server.received.length, 1)
    }))

  test('is taken over when the holder dies before it answers, and every event is given once', () =>
    story([stalls(words('So far')), says('Taken over.')], async ({ place, id, server, holder }) => {
      const endpoint = ['--base-url', server.baseUrl, '--model', 'made']
      holder.child.stdin.write('first\n')
      await arrived(server)
      using follower = new Program(place, ['-p', 'second', '--resume', id, '--json', ...endpoint])
      await follower.until(({ stderr }) => stderr.includes('posted there'))
      holder.child.kill('SIGKILL')
      const run = await follower.ended
      assert.deepEqual([run.code, resultOf(run).text], [0, 'Taken over.'])
      const given = run.stdout.trimEnd().split('\n').slice(0, -1)
      const events = (await rein(place, ['show', id, '--events'])).stdout.trimEnd().split('\n')
      assert.deepEqual(given, events.slice(-given.length))
      assert.match(given.join('\n'), /"type":"session\/resume"/)
    }))

  test('is taken over from a holder that was frozen, and woken up that one writes nothing more and ends with 1', () => {
    const sleeping = calls('bash', { command: 'sleep 0.3; echo slept' })
    return story(
      [sleeping, says('Taken over.')],
      async ({ place, id, server, holder }) => {
        const endpoint = ['--base-url', server.baseUrl, '--model', 'made']
        holder.child.stdin.write('first\n')
        await logged(place, id, '"type":"tool/call"')
        holder.child.kill('SIGSTOP')
        using follower = new Program(place, ['-p', 'second', '--resume', id, '--quiet', ...endpoint])
        const run = await follower.ended
        assert.deepEqual([run.code, run.stdout], [0, 'Taken over.\n'])
        holder.child.kill('SIGCONT')
        const woken = await holder.ended
        assert.equal(woken.code, 1)
        assert.match(woken.stderr, /was taken over by another process/)
        const events = (await rein(place, ['show', id, '--events'])).stdout
        assert.match(events, /"type":"tool\/result".*"kind":"unknown"/)
        assert.doesNotMatch(events, /slept\\n/)
        assert.match((await rein(place, ['verify', id])).stdout, /^clean/)
      },
      ['--mode', 'full-access'],
    )
  })

  test('is refused, and nothing else, when the session is put away before it is answered', () =>
    story([stalls(words('Never'))], async ({ place, server, holder, id }) => {
      using follower = new Program(place, ['resume', id, '-p', 'answer', '--json'])
      await arrived(server)
      holder.child.kill('SIGKILL')
      await holder.ended
      assert.equal((await rein(place, ['sessions', 'trash', id])).code, 0)
      const ended = await follower.ended
      assert.equal(ended.code, 2, ended.stderr)
      assert.partialDeepStrictEqual(resultOf(ended), { exit: 2, error: { code: 'SESSION_MISSING' } })
      assert.doesNotMatch(ended.stderr, /^ +at /m)
    }))

  test('is refused by name with --approve never: whoever sits there is asked', () =>
    story([], async ({ place, id }) => {
      const { code, stderr } = await rein(place, ['-p', 'x', '--resume', id, '--approve', 'never'])
      assert.deepEqual([code, /--approve/.exec(stderr)?.[0]], [2, '--approve'])
    }))
})
