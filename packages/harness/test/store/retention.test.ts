import assert from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import type { SessionEntry } from '@rein/session'
import fc from 'fast-check'
import { isLookDue, type Look, oldSessions, putOldAway } from '../../src/store/retention.ts'

const day = 86_400_000
const entry = (id: string, changed: number, state: SessionEntry['state'] = 'free'): SessionEntry => ({
  id,
  bytes: 1,
  changed,
  cwd: null,
  state,
})

test('a session goes when two looks a day apart found it old; held, broken and younger ones stay', () => {
  const now = 1_764_500_000_000
  const entries = [
    entry('old', now - 40 * day),
    entry('young', now - 29 * day),
    entry('ahead', now + 40 * day),
    entry('held', now - 40 * day, 'held'),
    entry('broken', now - 40 * day, 'broken'),
  ]
  const first = oldSessions(entries, { days: 30, now, last: undefined })
  assert.deepEqual([first.move, first.look.old], [[], { old: now - 40 * day }])
  assert.deepEqual(oldSessions(entries, { days: 30, now: now + day / 2, last: first.look }).move, [])
  const second = oldSessions(entries, { days: 30, now: now + day, last: first.look })
  assert.deepEqual([second.move, second.look.old], [['old'], {}])
  const touched = entries.map((each) => (each.id === 'old' ? { ...each, changed: now - 39 * day } : each))
  assert.deepEqual(oldSessions(touched, { days: 30, now: now + day, last: first.look }).move, [])
})

/** Sessions in a store that only moves, and a clock that does what it likes. */
class Years implements Disposable {
  readonly home = mkdtempSync(join(tmpdir(), 'rein-retention-'))
  readonly sessions = new Map<string, SessionEntry>()
  readonly moved = new Map<string, { readonly entry: SessionEntry; readonly now: number }>()
  now = 1_764_500_000_000
  look(days: number | undefined): Promise<readonly string[]> {
    const store = {
      list: async () => [...this.sessions.values()],
      trash: async (id: string) => {
        const found = this.sessions.get(id)
        if (!found) return { ok: false as const, failure: { code: 'SESSION_MISSING' as const, message: '' } }
        this.sessions.delete(id)
        this.moved.set(id, { entry: found, now: this.now })
        return { ok: true as const, value: undefined }
      },
    }
    return putOldAway(store, { home: this.home, days, now: this.now })
  }
  [Symbol.dispose](): void {
    rmSync(this.home, { recursive: true, force: true })
  }
}

interface Step {
  readonly jump: number
  readonly write: { readonly id: string; readonly ahead: number } | null
  readonly state: SessionEntry['state']
}

const step: fc.Arbitrary<Step> = fc.record({
  jump: fc.oneof(
    fc.constant(day),
    fc.integer({ min: 0, max: 3 * day }),
    fc.integer({ min: -400 * day, max: 400 * day }),
  ),
  write: fc.option(
    fc.record({ id: fc.constantFrom('a', 'b', 'c'), ahead: fc.constantFrom(0, 0, -90 * day, 90 * day) }),
  ),
  state: fc.constantFrom<SessionEntry['state']>('free', 'free', 'free', 'held', 'broken'),
})

/** Every move is of a free session that is older than the setting now, and was at a look at least 20 hours ago. */
async function holdsThrough(days: number, steps: readonly Step[]): Promise<void> {
  using years = new Years()
  const all = new Set<string>()
  const looks: number[] = []
  for (const { jump, write, state } of steps) {
    years.now += jump
    if (write) {
      all.add(write.id)
      years.moved.delete(write.id)
      years.sessions.set(write.id, entry(write.id, years.now + write.ahead, state))
    }
    const before = new Map(years.sessions)
    for (const id of await years.look(days)) {
      const { changed, state: was } = before.get(id) ?? assert.fail('it was not there')
      assert.equal(was, 'free')
      assert.ok(years.now - changed > days * day)
      assert.ok(looks.some((at) => years.now - at >= 20 * 3_600_000 && at - changed > days * day))
    }
    looks.push(years.now)
    for (const id of all) assert.ok(years.sessions.has(id) || years.moved.has(id), `${id} is gone`)
  }
}

test('whatever the clock does, nothing newer than the setting is moved, nothing at one look, and nothing is deleted', () =>
  fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 60 }), fc.array(step, { minLength: 1, maxLength: 20 }), holdsThrough),
    { numRuns: 100 },
  ))

test('a clock that was wrong once and is right again moves nothing', async () => {
  using years = new Years()
  years.sessions.set('a', entry('a', years.now))
  years.now += 3650 * day
  assert.deepEqual(await years.look(30), [])
  years.now -= 3649 * day
  assert.deepEqual(await years.look(30), [])
  years.now += day
  assert.deepEqual(await years.look(30), [])
  assert.ok(years.sessions.has('a'))
})

test('what was remembered is read as far as it makes sense', async () => {
  using years = new Years()
  const remembered: readonly (string | Look)[] = ['', 'no json', '{"at":1}', '[]', { at: years.now - day, old: {} }]
  for (const text of remembered) {
    writeFileSync(join(years.home, 'retention.json'), typeof text === 'string' ? text : JSON.stringify(text))
    years.sessions.set('a', entry('a', years.now - 40 * day))
    assert.deepEqual(await years.look(30), [])
  }
  years.now += day
  assert.deepEqual(await years.look(30), ['a'])
})

test('a look is due a day later, when the clock went back, and when the settings changed since', () => {
  using years = new Years()
  const { home, now } = years
  const due = (at: number): boolean => isLookDue({ home, cwd: home, now: at })
  const path = join(home, 'retention.json')
  writeFileSync(path, '{}')
  utimesSync(path, now / 1000, now / 1000)
  assert.deepEqual(
    [now + day / 4, now + day, now - 60_000].map((at) => due(at)),
    [false, true, true],
  )
  writeFileSync(join(home, 'rein.yaml'), '')
  utimesSync(join(home, 'rein.yaml'), now / 1000 + 5, now / 1000 + 5)
  assert.equal(due(now + day / 4), true)
})

test('where nobody looked before, a look is due only when settings of the user or a project name days', () => {
  using years = new Years()
  const { home, now } = years
  const cwd = join(home, 'work', 'inner')
  const due = (): boolean => isLookDue({ home, cwd, now })
  mkdirSync(join(home, 'work', '.rein'), { recursive: true })
  assert.equal(due(), false)
  for (const path of [join(home, 'rein.yaml'), join(home, 'work', '.rein', 'rein.local.yaml')]) {
    writeFileSync(path, 'sessions: { keep: {} }')
    assert.equal(due(), false)
    writeFileSync(path, 'sessions: { keep: { days: 9 } }')
    assert.equal(due(), true)
    rmSync(path)
  }
})

test('while it is off nothing is remembered, and turned on again it begins anew', async () => {
  using years = new Years()
  years.sessions.set('a', entry('a', years.now - 40 * day))
  assert.deepEqual(await years.look(undefined), [])
  assert.equal(existsSync(join(years.home, 'retention.json')), false)
  assert.deepEqual(await years.look(30), [])
  years.now += day
  assert.deepEqual(await years.look(undefined), [])
  assert.equal(existsSync(join(years.home, 'retention.json')), false)
  years.now += day
  assert.deepEqual(await years.look(30), [])
})
