import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { jsonlStore, processHolder } from '@rein/harness'
import { fold, resumeSession, surface } from '@rein/session'
import { realPorts } from '../../src/ports.ts'
import { Desk } from './desk.ts'

// One session of the demo is gone back and forth in by every test, in order: each leaves a whole log.
let desk: Desk
const id = 's-1-1'

before(async () => {
  desk = new Desk()
  await desk.demo(1)
})
after(() => desk[Symbol.dispose]())

const shown = async (): Promise<readonly number[]> =>
  [...fold(surface, await desk.events(id)).messages].map(({ seq }) => seq)

/** Seq of the first event of that type. */
const first = async (type: string): Promise<number> => (await desk.events(id)).findIndex((event) => event.type === type)

test('a dry run says what would leave, and by which turn it was, and writes nothing', async () => {
  const log = readFileSync(desk.log(id))
  const { exit, out, err } = await desk.run(['rewind', id, '--to', String(await first('request/sent')), '--dry-run'])
  assert.deepEqual([exit, err], [0, ''])
  assert.match(out, /^\d+ messages leave what the model sees:\n +1 +@\d+ +The test of this project fails/)
  assert.deepEqual(readFileSync(desk.log(id)), log)
})

test('a rewind takes later messages off, says how to take it back, and taking it back brings them back', async () => {
  const whole = await shown()
  const to = await first('request/sent')
  const gone = await desk.run(['rewind', id, '--to', String(to)])
  assert.deepEqual(
    await shown(),
    whole.filter((seq) => seq <= to),
  )
  const [, back = ''] = /take it back with: (rein rewind s-1-1 --to \d+)/.exec(gone.err) ?? []
  const again = await desk.run(back.split(' ').slice(1))
  assert.match(again.out, /come back to what the model sees/)
  assert.deepEqual(await shown(), whole)
  assert.match((await desk.run(['verify', id])).out, /^clean/)
})

test('a place between a call and its result gives way to the one before the call, and that is said', async () => {
  const call = await first('tool/call')
  const asking = await first('assistant/message')
  const { out, err } = await desk.run(['rewind', id, '--to', String(call)])
  assert.match(out, new RegExp(`At event ${call} a call waits for its result: event ${asking - 1} is the nearest`))
  assert.match(err, new RegExp(`rewound to event ${asking - 1};`))
  assert.ok((await shown()).every((seq) => seq < asking))
})

test('going where the session is already changes nothing and leaves no trace', async () => {
  const events = await desk.events(id)
  const { exit, out } = await desk.run(['rewind', id, '--to', String(events.length - 1)])
  assert.deepEqual([exit, /The model sees the same/.test(out)], [0, true])
  assert.equal((await desk.events(id)).length, events.length)
})

test('a place that is not there, and no place at all, are refused with what there is', async () => {
  const beyond = await desk.run(['rewind', id, '--to', '99999'])
  assert.equal(beyond.exit, 2)
  assert.match(beyond.err, /there is no event 99999; the session has events 0 to \d+/)
  const none = await desk.run(['rewind', id])
  assert.deepEqual([none.exit, /--to SEQ/.test(none.err)], [2, true])
})

test('a session that another process holds is not rewound from here: who holds it is said, and how it is done there', async () => {
  const store = jsonlStore({ home: desk.home, now: Date.now })
  const options = { store, ports: realPorts, holder: processHolder(), rein: '0' }
  const holder = await resumeSession(options, id)
  assert.ok(holder.ok)
  const events = holder.value.log.events.length
  const { exit, out, err } = await desk.run(['rewind', id, '--to', '5'])
  assert.deepEqual([exit, out], [2, ''])
  assert.match(err, new RegExp(`process ${process.pid}`))
  assert.match(err, /Rewind it there with `\/rewind @5`/)
  assert.equal(holder.value.log.events.length, events)
  await holder.value.close()
})

test('the tree of a session tells its turns with their places, those that were undone marked, and its rewinds', async () => {
  const start = await first('turn/start')
  await desk.run(['rewind', id, '--to', String(start - 1)])
  const { out } = await desk.run(['show', id, '--tree'])
  const [turn = '', ...marks] = out.trimEnd().split('\n')
  assert.match(turn, /^⊘ +1 +@\d+ +The test of this project fails/)
  assert.equal(marks.length, 4)
  assert.match(marks.at(-1) ?? '', new RegExp(`↶ @\\d+ rewound to @${start - 1}`))
  const forked = await desk.run(['fork', id, '--at', String(start)])
  const tree = await desk.run(['show', forked.out.trim(), '--tree'])
  assert.match(tree.out, new RegExp(`⑂ @${start + 1} forked from ${id} @${start}: from here on ${forked.out.trim()}`))
})
