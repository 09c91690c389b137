import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { appendFileSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import type { SessionEvent } from '@rein/session'
import { Desk } from './desk.ts'

const desk = new Desk()
const id = 's-11-1'
before(async () => {
  assert.equal((await desk.run(['demo', '--seed', '11', '--quiet'])).exit, 0)
})
after(() => desk[Symbol.dispose]())

describe('rein show', () => {
  test('shows the prompt, each call on a line, the diff, the answer and the tokens', async () => {
    const { exit, out } = await desk.run(['show', 'last'])
    assert.equal(exit, 0)
    assert.match(out, /^> The test of this project fails/m)
    assert.match(out, /^• glob \*\*\/\*\n• read test\.js\n {2}↳ glob 5 files$/m)
    assert.match(out, /^ {4}- {2}return Math\.round\(sum - discount\)$/m)
    assert.match(out, /^The test passes now/m)
    assert.match(out, /^tokens [\d,]+ in \([\d,]+ cached\), \d+ out · context [\d,]+$/m)
  })

  test('--events gives the log as it lies on the disk', async () => {
    const { out } = await desk.run(['show', id, '--events'])
    assert.equal(out, readFileSync(desk.log(id), 'utf8'))
  })

  test('--request gives the bytes whose hash was written before they left', async () => {
    const events = await desk.events(id)
    const sent = events.flatMap((event) => (event.type === 'request/sent' ? [event.data.sha256] : []))
    const shown = await Promise.all(sent.map((_, at) => desk.run(['show', id, '--request', String(at + 1)])))
    assert.deepEqual(
      shown.map(({ out }) => createHash('sha256').update(out).digest('hex')),
      sent,
    )
    assert.equal((await desk.run(['show', id, '--request', String(sent.length + 1)])).exit, 2)
    assert.equal((await desk.run(['show', id, '--request', '0'])).exit, 2)
  })

  test('--request refuses when the log does not give what was sent', async () => {
    desk.write(id, 's-forged', forged(await desk.events(id)))
    const { exit, out, err } = await desk.run(['show', 's-forged', '--request', '1'])
    assert.deepEqual([exit, out], [6, ''])
    assert.match(err, /does not give what was sent/)
  })

  test('--diff shows what was added and the events that added it', async () => {
    const { exit, out } = await desk.run(['show', id, '--diff', '1', '2'])
    assert.equal(exit, 0)
    assert.match(out, /what made the difference\n {2}event \d+ {2}assistant\/message appended\n/)
    assert.match(out, /\nhead and parameters the same\nmessages 1 to 3 the same\nmessage 4 \(assistant\) added\n/)
    assert.match(out, /\n {2}\+role: tool\n/)
  })

  test('--diff of a request with itself says that the bytes are the same', async () => {
    const { out } = await desk.run(['show', id, '--diff', '3', '3'])
    assert.match(out, /no event between them[\s\S]*the same bytes\n$/)
  })

  test('--diff names the header and the rewind between two requests', async () => {
    const events = await desk.events(id)
    const at = events.findIndex((event) => event.type === 'request/sent')
    const header = events.find((event) => event.type === 'request/header')
    assert.ok(header)
    const one = events.slice(0, at + 1)
    const sent = events[at]
    assert.ok(sent?.type === 'request/sent')
    const changed = { ...header, data: { ...header.data, model: 'another' } }
    const rewound = { type: 'session/rewound', data: { to: sent.data.at - 2, by: 'person' } } as const
    const again = { ...sent, data: { ...sent.data, at: at + 2, header: at + 2 } }
    desk.write(id, 's-moved', [...one, rewound, changed, again])
    const { exit, err } = await desk.run(['show', 's-moved', '--diff', '1', '2'])
    assert.equal(exit, 6)
    const [, sha256 = ''] = /SHA-256 ([0-9a-f]{64}) instead/.exec(err) ?? []
    const bytes = sent.data.bytes + Buffer.byteLength('another') - Buffer.byteLength('scripted')
    desk.write(id, 's-moved', [...one, rewound, changed, { ...again, data: { ...again.data, sha256, bytes } }])
    const { out } = await desk.run(['show', 's-moved', '--diff', '1', '2'])
    assert.match(out, /request\/header: model, parameters or tools\n[\s\S]*session\/rewound to event/)
    assert.match(out, /head and parameters changed\n[\s\S]*-model: scripted\n\s+\+model: another/)
  })

  test('a message that was rewound is marked', async () => {
    const events = await desk.events(id)
    const to = events.findIndex((event) => event.type === 'user/message' && event.data.source.kind === 'person')
    desk.write(id, 's-rewound', [...events, { type: 'session/rewound', data: { to, by: 'person' } }])
    const { out } = await desk.run(['show', 's-rewound'])
    assert.match(out, /^> The test of this/m)
    assert.match(out, /^ {2}⊘ event \d+, no longer seen by the model\n {2}The test passes now/m)
    assert.match(out, /— rewound: what came after event/)
  })

  test('two views at once are refused', async () => {
    assert.equal((await desk.run(['show', id, '--events', '--request', '1'])).exit, 2)
  })

  test('on a terminal the raw log holds nothing a terminal obeys, and is the same JSON', async () => {
    const events = await desk.events(id)
    const hostile = `a${String.fromCharCode(0x9b)}31m${String.fromCodePoint(0x202e)}b`
    desk.write(id, 's-hostile', [...events, { type: 'session/title', data: { title: hostile, by: 'person' } }])
    const { out } = await desk.run(['show', 's-hostile', '--events'], { terminal: true })
    const last = out.trimEnd().split('\n').at(-1) ?? ''
    assert.ok(!/[\u009b\u202e]/.test(last))
    assert.equal(JSON.parse(last).data.title, hostile)
    const shown = await desk.run(['show', 's-hostile'])
    assert.match(shown.out, /title: a⟨U\+009B⟩31m⟨U\+202E⟩b/)
  })
})

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

  test('a running log is an open tail, which is sound', async () => {
    const events = await desk.events(id)
    desk.write(id, 's-open', events.slice(0, -1))
    const { exit, out } = await desk.run(['verify', 's-open'])
    assert.equal(exit, 0)
    assert.match(out, /^open tail {2}s-open/)
  })

  test('--all has one line a session and a summary, and the worst decides the exit', async () => {
    desk.write(id, 's-forged', forged(await desk.events(id)))
    const { exit, out } = await desk.run(['verify', '--all'])
    const lines = out.trimEnd().split('\n')
    assert.equal(exit, 6)
    assert.ok(lines.some((line) => line.startsWith('clean') && line.includes(id)))
    assert.ok(lines.some((line) => line.startsWith('FALSE') && line.includes('s-forged')))
    assert.match(lines.at(-1) ?? '', /^\d+ sessions: .*1 FALSE/)
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

  test('refuses an event that is not there', async () => {
    const { exit, err } = await desk.run(['fork', id, '--at', '9999'])
    assert.equal(exit, 2)
    assert.match(err, /there is no event 9999/)
  })
})

describe('rein sessions', () => {
  test('names id, directory, outcome and the first prompt; the newest stands first', async () => {
    const { out: forked } = await desk.run(['fork', id])
    const { exit, out } = await desk.run(['sessions'])
    const [first = ''] = out.split('\n')
    assert.equal(exit, 0)
    assert.ok(first.startsWith(forked.trim()))
    const row = out.split('\n').find((line) => line.startsWith(`${id} `)) ?? ''
    assert.match(row, / completed .* KB {2}\S*rein-demo-11 .*The test of this project fails/)
  })

  test('a query is looked for in id, directory and prompt, in any case', async () => {
    const ids = async (query: string) => {
      const { out } = await desk.run(['sessions', query, '--json'])
      return out
        .split('\n')
        .filter(Boolean)
        .map((line): string => JSON.parse(line).id)
    }
    for (const query of [id, 'rein-DEMO-11', 'of this PROJECT fails']) assert.ok((await ids(query)).includes(id), query)
    assert.deepEqual(await ids('nothing has this'), [])
  })

  test('--cwd lists the sessions of that directory only', async () => {
    const scratch = `${desk.tmp}/rein-demo-11`
    assert.notEqual((await desk.run(['sessions', '--cwd', scratch], { cwd: scratch })).out, '')
    const here = await desk.run(['sessions', '--cwd', desk.project])
    assert.deepEqual([here.out, here.err], ['', 'There is no session yet.\n'])
  })

  test('a log that cannot be read is listed as broken', async () => {
    desk.write(id, 's-broken', await desk.events(id))
    renameSync(desk.log('s-broken'), `${desk.base}/away`)
    mkdirSync(`${desk.log(id).replace(id, 's-broken')}`)
    const { exit, out } = await desk.run(['sessions'])
    assert.equal(exit, 0)
    assert.match(out, /^s-broken .* broken /m)
  })

  test('the newest log of a session is the one that counts', async () => {
    const events = await desk.events(id)
    const titled = (title: string) => [...events, { type: 'session/title', data: { title, by: 'person' } } as const]
    desk.write(id, 's-epochs.10', titled('Newest'))
    desk.write(id, 's-epochs', titled('Oldest'))
    desk.write(id, 's-epochs.9', titled('Older'))
    const { out } = await desk.run(['sessions', 's-epochs', '--json'])
    assert.equal(JSON.parse(out).title, 'Newest')
  })

  test('what lies between the ends of a log is not read', async () => {
    const lines = readFileSync(desk.log(id), 'utf8').trimEnd().split('\n')
    const path = desk.log(id).replace(id, 's-long')
    writeFileSync(path, `${lines.slice(0, 10).join('\n')}\n`)
    appendFileSync(path, `${'not a line of a log\n'.repeat(10_000)}`)
    appendFileSync(path, `${lines.slice(-4).join('\n')}\n`)
    const { out } = await desk.run(['sessions', 's-long', '--json'])
    const { title, outcome } = JSON.parse(out)
    assert.deepEqual([title.slice(0, 8), outcome], ['The test', 'completed'])
  })
})

/** A whole chain over another prompt, of the same length, than the one that was sent. */
function forged(events: readonly SessionEvent[]): readonly SessionEvent[] {
  return events.map((event): SessionEvent => {
    if (event.type !== 'user/message' || event.data.source.kind !== 'person') return event
    const content = event.data.content.map((part) =>
      part.type === 'text' ? { ...part, text: part.text.replace('fix', 'axe') } : part,
    )
    return { ...event, data: { ...event.data, content } }
  })
}
