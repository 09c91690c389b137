import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { Desk, forged } from './desk.ts'

const desk = new Desk()
const id = 's-11-1'
before(async () => {
  await desk.demo(11)
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

  test('--from shows the transcript from that event on', async () => {
    const events = await desk.events(id)
    const edit = events.find(({ type, data }) => type === 'tool/result' && 'name' in data && data.name === 'edit')
    const { exit, out } = await desk.run(['show', id, '--from', String(edit?.seq)])
    assert.equal(exit, 0)
    assert.doesNotMatch(out, /^> The test of this project fails/m)
    assert.match(out, /^The test passes now/m)
    assert.equal((await desk.run(['show', id, '--from', '3', '--events'])).exit, 2)
    const beyond = await desk.run(['show', id, '--from', String(events.length)])
    assert.deepEqual([beyond.exit, beyond.out], [2, ''])
    assert.match(beyond.err, new RegExp(`no event ${events.length}; the last is ${events.length - 1}`))
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
    assert.match(
      out,
      /what made the difference\n {2}event \d+ {2}assistant\/message appended, by the model, in reply to \S+\n/,
    )
    assert.match(out, /\nhead and parameters the same\nmessages 1 to 3 the same\nmessage 4 \(assistant\) added\n/)
    assert.match(out, /\n {2}\+role: tool\n/)
  })

  test('--diff of a request with itself says that the bytes are the same', async () => {
    const { out } = await desk.run(['show', id, '--diff', '3', '3'])
    assert.match(out, /no event between them[\s\S]*the same bytes\n$/)
  })

  test('--diff names what of the header is another, and no rewind that took nothing away', async () => {
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
    assert.match(out, /request\/header[^\n]*\n {6}model: "scripted" → "another"\n/)
    assert.ok(!out.includes('session/rewound'))
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
