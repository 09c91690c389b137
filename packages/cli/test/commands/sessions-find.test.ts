import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { when } from '../../src/commands/sessions/when.ts'
import { Desk } from './desk.ts'

const desk = new Desk()
const id = 's-41-1'
before(async () => {
  await desk.demo(41)
})
after(() => desk[Symbol.dispose]())

const found = async (...argv: readonly string[]): Promise<readonly { id: string; places?: { seq: number }[] }[]> => {
  const { out } = await desk.run(['sessions', ...argv, '--json'])
  return out
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
}

describe('rein sessions <query>', () => {
  test('finds what a tool answered and gives the event, from which show goes on', async () => {
    const [first] = await found('Math.round(sum')
    assert.equal(first?.id, id)
    const seq = first?.places?.[0]?.seq ?? assert.fail('no place')
    const event = (await desk.events(id))[seq]
    assert.match(JSON.stringify(event), /Math\.round\(sum/)
    assert.equal((await desk.run(['show', id, '--from', String(seq)])).exit, 0)
  })

  test('shows each place under its session, marked on a terminal, and says how to go there', async () => {
    const plain = await desk.run(['sessions', 'percentage'])
    assert.match(plain.out, new RegExp(`^${id} .*\\n {4}#\\d+ \\w+ {2}.*percentage`))
    const shown = await desk.run(['sessions', 'percentage'], { terminal: true, color: true })
    const mark = String.fromCharCode(27)
    assert.ok(shown.out.includes(`${mark}[1m${mark}[33mpercentage${mark}[39m${mark}[22m`))
    assert.match(shown.err, new RegExp(`rein show ${id} --from \\d+`))
  })

  test('words are looked for apart, and a word that names a sub-command behind --', async () => {
    assert.equal((await found('percentage', 'total')).length, 1)
    assert.equal((await found('percentage nothing-has-this')).length, 0)
    assert.equal((await desk.run(['sessions', '--', 'title', 'of', 'nobody'])).err, 'No session matches.\n')
  })

  test('filters leave what they name, and refuse what cannot be read', async () => {
    const project = `${desk.tmp}/rein-demo-41`
    for (const [argv, many] of [
      [['--project', desk.tmp], 1],
      [['--project', project], 1],
      [['--project', `${project}-not`], 0],
      [['--since', '1d'], 1],
      [['--until', '1d'], 0],
      [['--model', 'SCRIPT'], 1],
      [['--model', 'nobody'], 0],
      [['--outcome', 'completed'], 1],
      [['--outcome', 'error'], 0],
      [['--state', 'free'], 1],
      [['--state', 'held'], 0],
      [['--min-cost', '1000'], 0],
    ] as const)
      assert.equal((await found(...argv)).length, many, argv.join(' '))
    for (const argv of [
      ['--since', 'soon'],
      ['--until', '2026-02-31'],
      ['--min-cost', 'much'],
      ['--all', '--limit', '2'],
      ['--tree', '--limit', '2'],
    ])
      assert.equal((await desk.run(['sessions', ...argv])).exit, 2, argv.join(' '))
  })

  test('--min-cost leaves what cost as much or more, and nothing whose cost nobody knows', async (t) => {
    const events = await desk.events(id)
    const priced = (cost: number) =>
      events.map((event) => (event.type === 'request/settled' ? { ...event, data: { ...event.data, cost } } : event))
    const requests = events.filter(({ type }) => type === 'request/settled').length
    desk.write(id, 's-dear', priced(2 / requests))
    t.after(() => rmSync(desk.log('s-dear')))
    const dear = async (usd: string) => (await found('--min-cost', usd)).map((session) => session.id)
    assert.deepEqual([await dear('1.99'), await dear('2.01')], [['s-dear'], []])
  })

  test('a terminal gets the newest and is told how many more there are; a pipe gets all', async () => {
    await desk.run(['fork', id])
    const { out, err } = await desk.run(['sessions', '--limit', '1'], { terminal: true })
    assert.equal(out.trimEnd().split('\n').length, 1)
    assert.match(err, /^1 more session; --all shows them/)
    assert.equal((await desk.run(['sessions'])).out.trimEnd().split('\n').length, 2)
    const tree = (await desk.run(['sessions', '--tree'])).out
    assert.match(tree, new RegExp(`^${id}  .*\\n└─ s-`))
    const none = await desk.run(['sessions', '--tree', '--project', '/nowhere'])
    assert.deepEqual([none.out, none.err], ['', 'No session matches.\n'])
  })
})

test('a moment is read as a person types it, and what is none is not', () => {
  const now = new Date(2026, 2, 15, 12, 0).getTime()
  const at = (...parts: [number, number, number, number?, number?]): number => new Date(...parts).getTime()
  assert.equal(when('7d', 'start', now), now - 7 * 86_400_000)
  assert.equal(when('90m', 'end', now), now - 90 * 60_000)
  assert.equal(when('today', 'start', now), at(2026, 2, 15))
  assert.equal(when('Yesterday', 'end', now), at(2026, 2, 15) - 1)
  assert.equal(when('2026-03-01', 'end', now), at(2026, 2, 2) - 1)
  assert.equal(when('2026-03-01T14:05', 'start', now), at(2026, 2, 1, 14, 5))
  for (const typed of ['', 'soon', '2026-02-31', '2026-13-01', '2026-03-01 25:00', '7', '-1d'])
    assert.equal(when(typed, 'start', now), undefined, typed)
})
