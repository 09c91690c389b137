import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { jsonlStore, nodeHasher, processHolder } from '@rein/harness'
import { resumeSession, type SessionEvent } from '@rein/session'
import { Desk, forged } from './desk.ts'

const desk = new Desk()
const id = 's-12-1'
before(async () => {
  await desk.demo(12)
})
after(() => desk[Symbol.dispose]())

describe('rein verify', () => {
  test('proves every request and prints the head hash', async () => {
    const { exit, out } = await desk.run(['verify', id])
    const events = await desk.events(id)
    assert.equal(exit, 0)
    assert.match(out, new RegExp(`^clean {2}${id}\n {2}requests {2}8 of 8 `))
    assert.ok(out.includes(events.at(-1)?.hash ?? '?'))
  })

  test('a log that does not give what was sent is FALSE, exit 6', async () => {
    desk.write(id, 's-forged', forged(await desk.events(id)))
    const { exit, out } = await desk.run(['verify', 's-forged'])
    assert.equal(exit, 6)
    assert.match(out, /^FALSE {2}s-forged\n[\s\S]*is not what the log gives/)
  })

  test('a log of a newer format cannot be proved, exit 6', async () => {
    const events = await desk.events(id)
    const [first, ...rest] = events
    assert.ok(first?.type === 'session/start')
    desk.write(id, 's-newer', [{ ...first, data: { ...first.data, format: 99 } }, ...rest])
    assert.equal((await desk.run(['verify', 's-newer'])).exit, 6)
  })

  test('a running log is an open tail, which is sound', async () => {
    const events = await desk.events(id)
    desk.write(id, 's-open', events.slice(0, -1))
    const { exit, out } = await desk.run(['verify', 's-open'])
    assert.equal(exit, 0)
    assert.match(out, /^open tail {2}s-open/)
  })

  test('declared damage and a redaction are sound; what a lost picture or header leaves unproved is not', async () => {
    const events = await desk.events(id)
    const start = events[0]
    assert.ok(start)
    const verified = async (name: string, changed: readonly SessionEvent[]) => {
      desk.write(id, name, changed)
      const { exit, out } = await desk.run(['verify', name])
      return [exit, out.slice(0, out.indexOf('  '))]
    }
    const end = { time: 0, hash: '', seq: events.length }
    const damage = { ...end, type: 'session/damage', data: { reason: 'torn', events: 0, lines: 1, bytes: 3 } } as const
    assert.deepEqual(await verified('s-declared', [...events, damage]), [0, 'declared damage'])
    const hidden = forged(events).map((event) =>
      JSON.parse(JSON.stringify(event).replaceAll('axe', '⟦secret:jwt:abcdef⟧')),
    )
    const mark = { ...end, type: 'session/migrated', data: { from: 1, to: 1, oldHead: '' } } as const
    assert.deepEqual(await verified('s-redacted', [...hidden, mark]), [0, 'redacted'])
    assert.deepEqual(await verified('s-edited', [...forged(events), mark]), [6, 'FALSE'])
    const image = { type: 'image', blob: 'a'.repeat(64), mime: 'image/png', bytes: 3 } as const
    const blind = events.map((event): SessionEvent => {
      if (event.type !== 'user/message' || event.data.source.kind !== 'person') return event
      return { ...event, data: { ...event.data, content: [...event.data.content, image] } }
    })
    assert.deepEqual(await verified('s-blind', blind), [6, 'blob missing'])
    const headless = events.map((event): SessionEvent => {
      return event.type === 'request/sent' ? { ...event, data: { ...event.data, header: 0 } } : event
    })
    assert.deepEqual(await verified('s-headless', headless), [6, 'cannot rebuild'])
  })

  test('an empty log is an open tail where nothing was ever written, and FALSE where something was', async () => {
    using own = new Desk()
    await own.demo(12)
    const at = (name: string): string => own.log(id).replace(`${id}.jsonl`, name)
    writeFileSync(at('s-new.jsonl'), '')
    writeFileSync(at('s-new.lock.1'), '')
    assert.match((await own.run(['verify', 's-new'])).out, /^open tail/)
    mkdirSync(at('s-new.spill'))
    assert.match((await own.run(['verify', 's-new'])).out, /^FALSE/)
    writeFileSync(at('s-cut.jsonl'), '')
    writeFileSync(at('s-cut.lock.2'), '')
    const cut = await own.run(['verify', 's-cut'])
    assert.equal(cut.exit, 6)
    assert.match(cut.out, /^FALSE {2}s-cut\n[\s\S]*what it held is lost/)
  })

  test('a log that was cut to nothing is declared lost by whoever opens it', async () => {
    using own = new Desk()
    await own.demo(12)
    const store = jsonlStore({ home: own.home, now: Date.now })
    let number = 0
    const ports = { now: Date.now, id: (prefix: string) => `${prefix}-${number++}`, hasher: nodeHasher }
    const open = async () => {
      const opened = await resumeSession({ store, ports, holder: processHolder(), rein: '0' }, id)
      assert.ok(opened.ok)
      await opened.value.close()
      return opened.value.damage
    }
    assert.deepEqual(await open(), [])
    truncateSync(own.log(id), 0)
    assert.deepEqual(await open(), [{ reason: 'torn', line: 1, offset: 0, bytes: 0, events: 0 }])
    assert.match((await own.run(['verify', id])).out, /^declared damage/)
  })

  test('--all has one line a session and a summary, and the worst decides the exit', async () => {
    desk.write(id, 's-forged', forged(await desk.events(id)))
    const { exit, out } = await desk.run(['verify', '--all'])
    const lines = out.trimEnd().split('\n')
    assert.equal(exit, 6)
    assert.ok(lines.some((line) => line.startsWith('clean') && line.includes(id)))
    assert.ok(lines.some((line) => line.startsWith('FALSE') && line.includes('s-forged')))
    assert.match(lines.at(-1) ?? '', /^\d+ sessions: .*2 FALSE/)
  })

  test('--all tells a session that never had a log from one whose log is gone, and only that decides the exit', async () => {
    using own = new Desk()
    await own.demo(12)
    const log = own.log(id)
    writeFileSync(log.replace(/[^/]+$/, 's-begun.lock.1'), '')
    const begun = await own.run(['verify', '--all'])
    assert.equal(begun.exit, 0)
    assert.match(begun.out, /^no log +s-begun +session s-begun has no log; nothing but its lock or inbox is left$/m)
    writeFileSync(log.replace(/[^/]+$/, 's-lost.lock.2'), '')
    mkdirSync(log.replace(/[^/]+$/, 's-begun.aside'))
    const lost = await own.run(['verify', '--all'])
    assert.equal(lost.exit, 6)
    for (const name of ['s-begun', 's-lost'])
      assert.match(lost.out, new RegExp(`^log gone +${name} +the log of .* is gone`, 'm'))
    assert.equal((await own.run(['verify', 's-lost'])).exit, 6)
  })

  test('needs a session or --all, not both', async () => {
    assert.equal((await desk.run(['verify'])).exit, 2)
    assert.equal((await desk.run(['verify', id, '--all'])).exit, 2)
    assert.equal((await desk.run(['verify', 'nobody'])).exit, 2)
  })
})

describe('rein fork', () => {
  test('makes a session of the prefix that verifies, and leaves the parent alone', async () => {
    const parent = readFileSync(desk.log(id))
    const { exit, out, err } = await desk.run(['fork', id, '--at', '30'])
    const forked = out.trim()
    assert.equal(exit, 0)
    assert.ok(err.includes(`rein resume ${forked}`))
    assert.match((await desk.run(['verify', forked])).out, /^clean/)
    assert.deepEqual((await desk.events(forked)).slice(0, 31), (await desk.events(id)).slice(0, 31))
    assert.deepEqual(readFileSync(desk.log(id)), parent)
  })

  test('says what is damaged in the parent', async () => {
    using own = new Desk()
    await own.demo(12)
    const log = own.log(id)
    const lines = readFileSync(log, 'utf8').split('\n')
    assert.ok(!(await own.run(['fork', id])).err.includes('damage'))
    writeFileSync(log, lines.with(20, 'rubbish').join('\n'))
    const { exit, out, err } = await own.run(['fork', id])
    assert.equal(exit, 0)
    assert.match(
      err,
      new RegExp(
        `^damage at line 21 of the log, byte \\d+ .*: 1 event and 7 B lost; the log of ${id} is left as it is$`,
        'm',
      ),
    )
    assert.match((await own.run(['verify', out.trim()])).out, /^declared damage/)
    // A log that is being written ends in the middle of a line.
    writeFileSync(log, lines.join('\n').slice(0, -9))
    assert.ok(!(await own.run(['fork', id])).err.includes('damage'))
  })

  test('refuses an event that is not there', async () => {
    const { exit, err } = await desk.run(['fork', id, '--at', '9999'])
    assert.equal(exit, 2)
    assert.match(err, /there is no event 9999/)
  })
})
