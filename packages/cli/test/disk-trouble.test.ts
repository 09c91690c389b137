import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  truncateSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { suite, test } from 'node:test'
import { type Answer, type MockServer, mockServer } from '@rein/harness/testing/mock-server'
import { Place, Program, programPath, rein, resultOf } from './program.ts'
import { calls, says } from './replies.ts'

const at = ({ baseUrl }: MockServer, ...more: readonly string[]): readonly string[] => {
  return ['--base-url', baseUrl, '--model', 'made', ...more]
}

/** What stands below the sessions of a home and ends like this. */
function found(place: Place, end: string): string {
  const root = join(place.home, 'sessions')
  const path = readdirSync(root, { recursive: true, encoding: 'utf8' }).find((name) => name.endsWith(end))
  assert.ok(path, `nothing ends with ${end}`)
  return join(root, path)
}

async function story(
  answers: readonly Answer[],
  tell: (of: { place: Place; server: MockServer }) => Promise<void>,
): Promise<void> {
  using place = new Place()
  await using server = await mockServer({ script: answers })
  await tell({ place, server })
}

/** A user without rights of its own: root may do everything, so it steps down. */
const isRoot = process.getuid?.() === 0
const ordinary = isRoot ? { uid: 65_534, gid: 65_534 } : {}

/** Whether that user may enter every folder on the way, which a checkout below a private folder does not allow. */
const mayEnter = (path: string): boolean =>
  path === dirname(path) || ((statSync(path).mode & 0o001) !== 0 && mayEnter(dirname(path)))
const hidden = isRoot && ![programPath, process.execPath].every((path) => mayEnter(dirname(path)))
const unlessHidden = { skip: hidden && 'the checkout lies in a private folder' }

/** The program as that user, in a shell that sets limits first. */
async function limited(place: Place, args: readonly string[], as: { shell?: string; user?: object }) {
  const { shell = 'true', user = {} } = as
  const env = { PATH: process.env['PATH'] ?? '', HOME: place.folder, REIN_HOME: place.home }
  const command = ['-c', `${shell}; exec "$0" "$@"`, process.execPath, programPath, ...args]
  const child = spawn('bash', command, { cwd: place.cwd, env, stdio: ['ignore', 'pipe', 'pipe'], ...user })
  const printed = { stdout: '', stderr: '' }
  child.stdout.on('data', (text: Buffer) => (printed.stdout += text))
  child.stderr.on('data', (text: Buffer) => (printed.stderr += text))
  const [code] = await once(child, 'close')
  return { code: Number(code), ...printed }
}

suite('trouble with the disk', { concurrency: 3, skip: process.platform === 'win32' }, () => {
  test('a disk that is full in the middle of a turn ends it with LOG_WRITE and 1, and the session goes on after', () => {
    const much = calls('bash', { command: 'seq 1 2000' })
    return story([much, says('Never said.'), says('Going on.')], async ({ place, server }) => {
      const first = at(server, '-p', 'count', '--json', '--mode', 'full-access')
      const run = await limited(place, first, { shell: 'ulimit -f 16' })
      assert.equal(run.code, 1)
      assert.partialDeepStrictEqual(resultOf(run), { outcome: 'error', exit: 1, error: { code: 'LOG_WRITE' } })
      assert.match(run.stderr, /^rein: .*could not write to the session log.*\n {2}\w/m)
      const next = await rein(place, at(server, '-p', 'go on', '--resume', 'last', '--quiet'))
      assert.deepEqual([next.code, next.stdout], [0, 'Never said.\n'])
      assert.match((await rein(place, ['verify', 'last'])).stdout, /^clean/)
    })
  })

  test('a home that may not be written is refused before anything runs, and works once it may', unlessHidden, () =>
    story([says('One.')], async ({ place, server }) => {
      const { uid = process.getuid?.() ?? 0, gid = process.getgid?.() ?? 0 } = ordinary
      for (const path of [place.folder, place.home, place.cwd]) chownSync(path, uid, gid)
      chmodSync(place.home, 0o500)
      const args = at(server, '-p', 'one')
      const refused = await limited(place, args, { user: ordinary })
      assert.equal(refused.code, 1)
      assert.match(refused.stderr, /^rein: .*EACCES.*\n {2}Check who owns that folder/m)
      assert.equal(server.received.length, 0)
      chmodSync(place.home, 0o700)
      const run = await limited(place, args, { user: ordinary })
      assert.deepEqual([run.code, run.stdout], [0, 'One.\n'])
    }),
  )

  test('a log that may not be read or written is named with 1, and goes on once it may', unlessHidden, () =>
    story([says('One.'), says('Two.')], async ({ place, server }) => {
      const { uid = process.getuid?.() ?? 0, gid = process.getgid?.() ?? 0 } = ordinary
      for (const path of [place.folder, place.home, place.cwd]) chownSync(path, uid, gid)
      const { session } = resultOf(await limited(place, at(server, '-p', 'one', '--json'), { user: ordinary }))
      const log = found(place, '.jsonl')
      chmodSync(log, 0)
      const args = at(server, '-p', 'two', '--resume', String(session), '--quiet')
      const refused = await limited(place, args, { user: ordinary })
      assert.equal(refused.code, 1)
      assert.match(refused.stderr, /^rein: .*EACCES.*\n {2}Check who owns/m)
      chmodSync(log, 0o600)
      const run = await limited(place, args, { user: ordinary })
      assert.deepEqual([run.code, run.stdout], [0, 'Two.\n'])
    }),
  )

  test('a folder in the place of a log is named, and the session goes on once the log is back', () =>
    story([says('One.'), says('Two.')], async ({ place, server }) => {
      const { session } = resultOf(await rein(place, at(server, '-p', 'one', '--json')))
      const log = found(place, '.jsonl')
      renameSync(log, `${log}.away`)
      mkdirSync(log)
      const args = at(server, '-p', 'two', '--resume', String(session), '--quiet')
      const refused = await rein(place, args)
      assert.notEqual(refused.code, 0)
      assert.match(refused.stderr, /^rein: .*\n {2}A folder stands where the file should be/m)
      rmdirSync(log)
      renameSync(`${log}.away`, log)
      const run = await rein(place, args)
      assert.deepEqual([run.code, run.stdout], [0, 'Two.\n'])
      assert.match((await rein(place, ['verify', 'last'])).stdout, /^clean/)
    }))

  test('a log that was emptied is opened, its loss declared, and goes on', () =>
    story([says('One.'), says('Two.'), says('Three.')], async ({ place, server }) => {
      const { session } = resultOf(await rein(place, at(server, '-p', 'one', '--json')))
      const again = (task: string) => rein(place, at(server, '-p', task, '--resume', String(session)))
      await again('two')
      truncateSync(found(place, '.jsonl'))
      const run = await again('three')
      assert.deepEqual([run.code, run.stdout], [0, 'Three.\n'])
      assert.match(run.stderr, /damage/)
      assert.match((await rein(place, ['verify', String(session)])).stdout, /^declared damage/)
    }))

  for (const [what, change] of [
    ['emptied', (log: string) => truncateSync(log)],
    ['deleted', (log: string) => rmSync(log)],
  ] as const) {
    test(`a log that is ${what} while its session runs ends it with LOG_WRITE and 1, and no message is said to be safe`, () =>
      story([says('One.'), says('Never.')], async ({ place, server }) => {
        using holder = new Program(place, at(server), { input: 'open' })
        holder.child.stdin.write('one\n')
        await holder.until(({ stdout }) => stdout.includes('One.'))
        await holder.until(({ stderr }) => /tokens /.test(stderr))
        change(found(place, '.jsonl'))
        holder.child.stdin.end('two\n')
        const { code, stderr } = await holder.ended
        assert.equal(code, 1)
        assert.match(stderr, /another program changed its log/)
        assert.match(stderr, /Put the log back from a copy/)
        assert.equal(server.received.length, 1)
      }))
  }

  test('a folder of posts that was removed is made again, and what is posted arrives', () =>
    story([says('One.'), says('Two.')], async ({ place, server }) => {
      using holder = new Program(place, at(server), { input: 'open' })
      await holder.until(({ stderr }) => /s-[0-9a-f]{12}/.test(stderr))
      const id = /s-[0-9a-f]{12}/.exec(holder.stderr)?.[0] ?? ''
      rmSync(found(place, '.inbox'), { recursive: true })
      const run = await rein(place, ['-p', 'one', '--resume', id, '--quiet'])
      assert.deepEqual([run.code, run.stdout], [0, 'One.\n'])
      holder.child.stdin.end()
      assert.equal((await holder.ended).code, 0)
      rmSync(found(place, '.inbox'), { recursive: true })
      const next = await rein(place, at(server, '-p', 'two', '--resume', id, '--quiet'))
      assert.deepEqual([next.code, next.stdout], [0, 'Two.\n'])
    }))
})
