import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { restoreChoice } from '../../src/undo/choice.ts'
import { backTo, Desk, listing, type Operation, operate } from './kit.ts'

const path = fc.constantFrom('a', 'b', 'd', 'd/a', 'd/e', 'd/e/f', 'g/h', 'd/\xff\xfe', 'A', 'new\nline')
const operation: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('write'), path, text: fc.string({ maxLength: 6 }) }) },
  fc.record({
    kind: fc.constant('link'),
    path,
    text: fc.constantFrom('a', '../outside', 'd', '../outside/precious', 'nowhere'),
  }),
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('remove', 'folder'), path }) },
  fc.record({ kind: fc.constant('mode'), path, mode: fc.constantFrom(0o755, 0o644, 0o600, 0o700) }),
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('move'), path, to: path }) },
)
const operations = fc.array(operation, { maxLength: 12 })

test('whatever was done to files since a snapshot, a restore gives back exactly what was there, and again changes nothing', () => {
  fc.assert(
    fc.property(operations, operations, (before, since) => {
      using desk = new Desk()
      for (const one of before) operate(desk.root, one)
      const first = desk.take()
      const wanted = listing(desk.root)
      for (const one of since) operate(desk.root, one)
      const planned = desk.plan(backTo(first.id))
      const done = desk.restore(backTo(first.id))
      assert.deepEqual(listing(desk.root), wanted)
      assert.deepEqual(done.left, [])
      assert.equal(done.paths.length, planned.files.length)
      assert.deepEqual(desk.plan(backTo(first.id)), {
        files: [],
        left: [],
        unseen: { paths: [], more: 0 },
      })
      assert.deepEqual(listing(desk.outside), { precious: 'file 644 do not touch' })
    }),
    { numRuns: 60 },
  )
})

test('what a person changed since is told apart and stays, unless it is asked for; the restore itself can be taken back', () => {
  fc.assert(
    fc.property(operations, operations, operations, (before, session, person) => {
      using desk = new Desk()
      for (const one of before) operate(desk.root, one)
      const first = desk.take()
      const wanted = listing(desk.root)
      for (const one of session) operate(desk.root, one)
      const last = desk.take()
      const left = listing(desk.root)
      for (const one of person) operate(desk.root, one)
      const now = listing(desk.root)
      const safety = desk.take()
      const history = backTo(first.id, last.id)

      const plan = desk.plan(history)
      const told = new Map(plan.files.map((file) => [file.path.replace(/\/$/, ''), file.by]))
      const shown = (path: string) => Buffer.from(path, 'latin1').toString('utf8')
      const touched = Object.keys({ ...now, ...left, ...wanted }).filter((at) => now[at] !== left[at])
      for (const at of touched)
        if (now[at] !== wanted[at]) assert.notEqual(told.get(shown(at)) ?? 'session', 'session', at)

      // The preview said what would happen.
      const choice = restoreChoice(plan, false)
      const done = desk.restore(history)
      assert.deepEqual([...done.paths].sort(), choice.going.map(({ path }) => path.replace(/\/$/, '')).sort())
      assert.deepEqual(done.left.map(({ path }) => path).sort(), choice.left.map(({ path }) => path).sort())
      const kept = listing(desk.root)
      for (const at of touched) if (now[at] !== wanted[at]) assert.equal(kept[at], now[at], at)

      desk.restore({ ...backTo(safety.id), since: 'session' })
      assert.deepEqual(listing(desk.root), now)
      desk.restore(history, true)
      assert.deepEqual(listing(desk.root), wanted)
      assert.deepEqual(listing(desk.outside), { precious: 'file 644 do not touch' })
    }),
    { numRuns: 60 },
  )
})
