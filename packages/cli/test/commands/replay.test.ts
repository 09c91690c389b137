import assert from 'node:assert/strict'
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { after, test } from 'node:test'
import { nodeHasher, type Replayed } from '@rein/harness'
import { encodeLine, type SessionEvent } from '@rein/session'
import { Desk } from './desk.ts'

const desk = new Desk()
after(() => desk[Symbol.dispose]())

const ran = await desk.run(['demo', '--seed', '7', '--quiet'])
const [id = ''] = desk.paths(/\.jsonl$/).map((path) => path.replace(/^.*\/|\.jsonl$/g, ''))
const events = await desk.events(id)

const env = { PATH: process.env['PATH'], TMPDIR: desk.tmp }

/** Everything below the desk: names, times and bytes. */
const seen = (): readonly string[] =>
  readdirSync(desk.base, { recursive: true, encoding: 'utf8' }).map((name) => {
    const at = statSync(join(desk.base, name))
    return `${name} ${at.mtimeMs} ${at.isFile() ? readFileSync(join(desk.base, name), 'base64') : ''}`
  })

/** The recording as it might have been, at the times of the recording, as a session of its own. */
function written(as: string, change: (events: readonly SessionEvent[]) => readonly SessionEvent[]): string {
  let previous = ''
  const lines = change(events).map(({ type, data, time, surface, sources }, seq) => {
    const draft = { type, data, ...(surface && { surface }), ...(sources && { sources }) }
    const { line, hash } = encodeLine({ seq, time, previous }, draft, nodeHasher)
    previous = hash
    return line
  })
  writeFileSync(desk.log(id).replace(`${id}.jsonl`, `${as}.jsonl`), `${lines.join('\n')}\n`)
  return as
}

const text = (event: SessionEvent, words: string): SessionEvent =>
  ({ ...event, data: { ...event.data, text: words } }) as SessionEvent

test('the demo replays as it was, and nothing is written', async () => {
  assert.equal(ran.exit, 0)
  const before = seen()
  const { exit, out, err } = await desk.run(['replay', id])
  assert.equal(err, '')
  assert.match(out, /^the same {2}s-7-1\n {2}8 requests byte for byte, \d+ events; \d+ events given\n$/)
  assert.equal(exit, 0)
  assert.deepEqual(seen(), before)
})

test('a difference is an exit of 1, with event, cause, both values and the request it moves', async () => {
  const other = written('s-other', (all) =>
    all.map((event) => (event.type === 'system/message' ? text(event, `Once: ${event.data.text}`) : event)),
  )
  const { exit, out } = await desk.run(['replay', other])
  assert.equal(exit, 1)
  const seq = events.find(({ type }) => type === 'system/message')?.seq
  assert.match(out, /^not the same/)
  assert.match(out, new RegExp(`event ${seq} {2}system/message: system text\\n {2}at text\\n {2}then {2}Once: `))
  assert.match(out, /event \d+ {2}request \S+: other bytes from byte [\d,]+ on, at messages\[0\]\.content\n/)
  const json = await desk.run(['replay', other, '--json'])
  const found: Replayed = JSON.parse(json.out)
  assert.equal(json.exit, 1)
  assert.equal(found.divergence?.seq, seq)
  assert.equal(String(found.divergence?.place.was), `Once: ${String(found.divergence?.place.now)}`)
})

test('a smaller budget of steps is told where it ends the turn', async () => {
  const { exit, out } = await desk.run(['replay', id, '--max-steps', '2'])
  assert.equal(exit, 1)
  assert.match(out, /step\/start: how far the turn goes\n {2}then {2}step\/start\n {2}now {3}turn\/end/)
})

test('of a damaged log everything is replayed up to the damage, and that is said', async () => {
  const damage = { reason: 'torn', events: 2, lines: 1, bytes: 9 }
  const lost = { ...events[30], type: 'session/damage', data: damage, surface: undefined, sources: undefined }
  const torn = written('s-torn', (all) => [...all.slice(0, 30), lost as unknown as SessionEvent, ...all.slice(32)])
  const { exit, out } = await desk.run(['replay', torn])
  assert.equal(exit, 0)
  assert.match(out, /the same {2}s-torn/)
  assert.match(out, new RegExp(`events 30 to ${events.length - 2} are not replayed: what stood before them is lost`))
})

test('a log that ends inside a turn is replayed up to its end, and that is said', async () => {
  const open = written('s-open', (all) => all.slice(0, 40))
  const { exit, out } = await desk.run(['replay', open])
  assert.equal(exit, 0)
  assert.match(out, /the log ends inside a turn, and was replayed up to there/)
})

test('the demo with its tools run again says which results are others, and leaves no copy', async () => {
  const before = seen()
  const { exit, out } = await desk.run(['replay', id, '--tools', 'live'], {
    env: { ...env, REIN_PERMISSIONS_MODE: 'full-access' },
  })
  // Its bug is fixed by now: the first test run of the recording failed.
  assert.equal(exit, 1)
  assert.match(out, /8 calls ran for real, in a copy of the workspace as it is now \(\d+ entries, /)
  assert.match(out, /event \d+ {2}tool\/result of bash, run today: content\[0\]\.text\n {2}then {2}.*FAIL/)
  assert.deepEqual(seen(), before)
})

test('without a terminal a recording gives itself no leave to run what the settings of today do not allow', async () => {
  const { out } = await desk.run(['replay', id, '--tools', 'live'], {
    env: { ...env, REIN_PERMISSIONS_MODE: 'read-only' },
  })
  assert.match(out, /\d calls? kept the recorded result: without a terminal nothing runs that the settings of today /)
})

test('a person sees every call that would run for real before it does, and none runs without a yes', async () => {
  const evil = written('s-sent', (all) =>
    all.map((event) => {
      if (event.type !== 'assistant/message') return event
      const content = event.data.content.map((block) =>
        block.type === 'call'
          ? { ...block, name: 'bash\u001b[2K', arguments: '{"command":"echo \u202e>/tmp/x"}' }
          : block,
      )
      return { ...event, data: { ...event.data, content } }
    }),
  )
  const stdin = Object.assign(new PassThrough(), { isTTY: true, fd: 0 }) as unknown as typeof process.stdin
  stdin.push('n\n')
  const before = seen()
  const { exit, out, err } = await desk.run(['replay', evil, '--tools', 'live'], { terminal: true, stdin })
  assert.deepEqual([exit, out], [0, ''])
  assert.match(err, /^These run for real, .*\n {2}bash␛\[2K {2}\{"command":"echo ⟨U\+202E⟩>\/tmp\/x"\}\n$/)
  assert.deepEqual(seen(), before)
})

test('a session that is not there and a workspace that is gone are failures, each with its code', async () => {
  assert.equal((await desk.run(['replay', 'nothing'])).exit, 2)
  const [project = ''] = readdirSync(desk.tmp).filter((name) => name.startsWith('rein-demo'))
  rmSync(join(desk.tmp, project), { recursive: true })
  const gone = await desk.run(['replay', id, '--tools', 'live'])
  assert.equal(gone.exit, 1)
  assert.match(gone.err, /cannot be copied/)
  assert.equal((await desk.run(['replay', id])).exit, 0)
})
