import assert from 'node:assert/strict'
import { readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { Bench, type Draft, logOf, noHome, result, said, start } from './kit.ts'

const turn: readonly Draft[] = [{ type: 'turn/start', data: { turn: 1 } }]
const ended: Draft = { type: 'turn/end', data: { turn: 1, outcome: 'completed' } }

describe('the index of sessions', () => {
  test('is private, and says of a session what its log says', async () => {
    using bench = new Bench()
    const settled = (cost?: number): Draft => ({
      type: 'request/settled',
      data: {
        id: 'r',
        outcome: 'completed',
        finish: null,
        usage: { input: 10, cacheRead: 20, cacheWrite: 0, output: 5 },
        dropped: [],
        error: null,
        timing: null,
        ...(cost !== undefined && { cost }),
      },
    })
    const lines = logOf([start(), ...turn, said('Fix  the\tparser\nplease'), settled(0.25), settled(0.5), ended])
    bench.put('s-a', lines)
    const [session] = await bench.listed()
    const { head, prompt, ...facts } = session?.facts ?? assert.fail('not listed')
    assert.deepEqual([session?.title, session?.outcome, session?.damage], ['Fix the parser', 'completed', 0])
    assert.deepEqual([facts.turns, facts.cost, facts.tokens.input, facts.created], [1, 0.75, 20, 1_764_500_000_000])
    assert.ok(lines.at(-1)?.includes(head ?? '?'))
    assert.equal(statSync(bench.path).mode & 0o777, 0o600)
    bench.put('s-a', logOf([start(), settled(0.25), settled()]))
    assert.equal((await bench.listed())[0]?.facts?.cost, null)
  })

  test('a fork names its parent, and what it copied is not spent twice', async () => {
    using bench = new Bench()
    const spent: Draft = {
      type: 'request/settled',
      data: {
        id: 'r',
        outcome: 'completed',
        finish: null,
        usage: { input: 10, cacheRead: 0, cacheWrite: 0, output: 5 },
        dropped: [],
        error: null,
        timing: null,
        cost: 1,
      },
    }
    const mark: Draft = { type: 'session/fork', data: { id: 's-b', parent: 's-a', at: 1, hash: '0'.repeat(64) } }
    bench.put('s-b', logOf([start(), spent, mark]))
    const [fork] = await bench.listed()
    assert.deepEqual([fork?.facts?.parent, fork?.facts?.cost, fork?.facts?.tokens.input], [{ id: 's-a', at: 1 }, 0, 0])
  })

  test('a session that did not change is not opened, and of one that grew only the addition is read', async () => {
    using bench = new Bench()
    const lines = logOf([start(), ...turn, said('x'.repeat(100_000)), result('one'), result('two'), ended])
    bench.put('s-a', lines.slice(0, 4))
    await bench.find('one')
    const before = bench.wholes
    assert.deepEqual(await bench.find('one'), ['s-a:3'])
    assert.deepEqual([bench.wholes, bench.read], [before, 0])
    bench.put('s-a', lines)
    assert.deepEqual(await bench.find('two'), ['s-a:4'])
    assert.equal(bench.wholes, before)
    assert.ok(bench.read < 5000, `${bench.read} bytes read`)
  })

  test('a list that has no time reads the ends of logs, and goes on with what a later one has time for', async () => {
    using bench = new Bench()
    const long = logOf([
      start(),
      ...turn,
      said('what to do'),
      ...Array<Draft>(40).fill(result('y'.repeat(4000))),
      ended,
    ])
    bench.put('s-a', long)
    using index = await bench.index()
    const [quick] = await index.list({ facts: true, withinMs: 0 })
    assert.deepEqual([quick?.title, quick?.outcome, quick?.whole, bench.wholes], ['what to do', 'completed', false, 0])
    const [whole] = await index.list({ facts: true })
    assert.deepEqual([whole?.whole, whole?.facts?.turns, whole?.damage], [true, 1, 0])
  })

  test('a build that was interrupted goes on where it was', async () => {
    using bench = new Bench()
    for (let at = 0; at < 300; at++) bench.put(`s-${at}`, logOf([start(), said('apple')]))
    const stop = new AbortController()
    using index = await bench.index()
    const progress = (done: number): void => (done === 200 ? stop.abort() : undefined)
    await assert.rejects(index.list({ facts: false, signal: stop.signal, progress }), { name: 'AbortError' })
    const before = bench.wholes
    assert.equal((await index.list({ facts: false })).length, 300)
    assert.ok(bench.wholes - before <= 172, `${bench.wholes - before} logs were read again`)
  })

  test('an index that is damaged, no index, or gone is built anew, which is said, and the answers are the same', async () => {
    using bench = new Bench()
    for (let at = 0; at < 20; at++)
      bench.put(`s-${at}`, logOf([start(), said(`apple ${at}`), result('z '.repeat(2000))]))
    const answer = new Set(await bench.find('apple'))
    const harms: readonly ((bytes: Buffer) => void)[] = [
      () => rmSync(bench.path),
      () => truncateSync(bench.path, 0),
      () => writeFileSync(bench.path, 'this is no database, and never was one'.repeat(100)),
      (bytes) => writeFileSync(bench.path, bytes.fill(0x5a, 4096)),
      (bytes) => writeFileSync(bench.path, bytes.subarray(0, 20_000)),
    ]
    for (const harm of harms) {
      harm(readFileSync(bench.path))
      assert.deepEqual(new Set(await bench.find('apple')), answer)
      assert.deepEqual(new Set(await bench.find('apple')), answer)
    }
    assert.deepEqual(bench.said.length, 3)
    assert.match(bench.said[0] ?? '', /damaged.*index\.sqlite\.broken.*built anew/)
  })

  test('an index another process keeps locked is done without', async () => {
    using bench = new Bench()
    bench.put('s-a', logOf([start(), said('apple')]))
    await bench.find('apple')
    using other = new DatabaseSync(bench.path)
    other.exec('BEGIN EXCLUSIVE')
    bench.put('s-b', logOf([start(), said('apple too')]))
    const found = await bench.find('apple', { waitMs: 10 })
    assert.deepEqual(new Set(found), new Set(['s-a:1', 's-b:1']))
    other.exec('ROLLBACK')
    assert.deepEqual(new Set(await bench.find('apple')), new Set(found))
    assert.deepEqual(bench.said, [])
  })

  test('an index of a newer version is left alone', async () => {
    using bench = new Bench()
    bench.put('s-a', logOf([start(), said('apple')]))
    using newer = new DatabaseSync(bench.path)
    newer.exec('CREATE TABLE session (other); PRAGMA user_version = 99')
    assert.deepEqual(await bench.find('apple'), ['s-a:1'])
    using again = new DatabaseSync(bench.path)
    assert.equal(again.prepare('PRAGMA user_version').get()?.['user_version'], 99)
    assert.deepEqual(bench.said, [])
  })

  test('a log that was replaced by another of the same length is read again', async () => {
    using bench = new Bench()
    bench.put('s-a', logOf([start(), said('apple')]))
    await bench.listed()
    bench.put('s-a', logOf([start(), said('zebra')]))
    assert.equal((await bench.listed())[0]?.title, 'zebra')
  })

  test('of a session that was put away nothing stays in the index', async () => {
    using bench = new Bench()
    bench.put('s-a', logOf([start(), said('apple')]))
    bench.put('s-b', logOf([start(), said('pear')]))
    await bench.find('apple')
    await bench.store.trash('s-a')
    await bench.listed()
    using inside = new DatabaseSync(bench.path)
    const texts = inside.prepare('SELECT text FROM passage').all()
    assert.deepEqual(
      texts.map(({ text }) => text),
      ['pear'],
    )
    assert.equal(inside.prepare("SELECT count(*) AS n FROM words WHERE words MATCH 'apple'").get()?.['n'], 0)
  })

  test('after any changes the index says what one built anew says', async () => {
    const texts = fc.constantFrom('apple', 'pear', '会话', 'zebra')
    const step = fc.oneof(
      fc.record({ kind: fc.constant('grow' as const), at: fc.nat(2), text: texts }),
      fc.record({ kind: fc.constant('anew' as const), at: fc.nat(2), text: texts }),
      fc.record({ kind: fc.constant('cut' as const), at: fc.nat(2), bytes: fc.nat(400) }),
      fc.record({ kind: fc.constant('gone' as const), at: fc.nat(2) }),
      fc.constant({ kind: 'look' as const, at: 0 }),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
        using bench = new Bench()
        const drafts = [0, 1, 2].map((): Draft[] => [start(), ...turn])
        for (const { at, ...change } of steps) {
          const log = drafts[at] ?? []
          const id = `s-${at}`
          if (change.kind === 'look') await bench.find('apple')
          else if (change.kind === 'gone') await bench.store.trash(id)
          else if (change.kind === 'cut')
            bench.put(id, [
              logOf(log)
                .join('')
                .slice(0, -change.bytes || undefined),
            ])
          else {
            if (change.kind === 'anew') log.splice(2, log.length)
            log.push(change.kind === 'grow' ? result(change.text) : said(change.text))
            bench.put(id, logOf(log))
          }
        }
        for (const typed of ['apple', 'pear', '会话', 'zebra'])
          assert.deepEqual(new Set(await bench.find(typed)), new Set(await bench.find(typed, noHome)), typed)
        using fresh = await bench.index(noHome)
        assert.deepEqual(await bench.listed(), await fresh.list({ facts: true }))
      }),
      { numRuns: 30 },
    )
  })
})
