import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { SharedList, SharedMap } from '../../src/index.ts'

test('every version of a shared list stays what it was, older ones extended again included', () => {
  const operation = fc.tuple(fc.nat(), fc.integer())
  fc.assert(
    fc.property(fc.array(operation, { maxLength: 40 }), fc.integer(), fc.integer(), (operations, start, end) => {
      const versions: { list: SharedList<number>; model: readonly number[]; parent: number }[] = [
        { list: SharedList.of([1, 2]), model: [1, 2], parent: 0 },
      ]
      for (const [pick, value] of operations) {
        const parent = pick % versions.length
        const from = versions[parent]
        if (from) versions.push({ list: from.list.push(value), model: [...from.model, value], parent })
      }
      for (const { list, model, parent } of versions) {
        assert.deepEqual([...list], model)
        assert.equal(list.length, model.length)
        assert.equal(list.at(-1), model.at(-1))
        assert.equal(list.at(-9), model.at(-9))
        assert.equal(list.at(model.length), undefined)
        assert.deepEqual(list.slice(start % 9, end % 9), model.slice(start % 9, end % 9))
        for (const other of versions)
          if (list.extends(other.list)) assert.deepEqual(model.slice(0, other.model.length), other.model)
        assert.ok(parent === 0 || versions[parent])
      }
    }),
    { numRuns: 60 },
  )
})

test('a list extended at its end shares with the one before and says so', () => {
  const list = SharedList.of([1])
  assert.ok(list.push(2).push(3).extends(list))
  assert.ok(!list.extends(list.push(2)))
})

test('every version of a shared map stays what it was', () => {
  const operation = fc.tuple(fc.nat(), fc.constantFrom('set', 'set', 'delete'), fc.nat({ max: 5 }), fc.nat({ max: 3 }))
  fc.assert(
    fc.property(fc.array(operation, { maxLength: 40 }), (operations) => {
      const versions: { map: SharedMap<number, number>; model: ReadonlyMap<number, number> }[] = [
        { map: SharedMap.empty(), model: new Map() },
      ]
      for (const [pick, what, key, value] of operations) {
        const from = versions[pick % versions.length]
        if (!from) continue
        const model = new Map(from.model)
        if (what === 'set') model.set(key, value)
        else model.delete(key)
        versions.push({ map: what === 'set' ? from.map.set(key, value) : from.map.delete(key), model })
      }
      for (const { map, model } of versions) {
        assert.deepEqual(new Map(map.entries()), model)
        for (let key = 0; key < 6; key++)
          assert.deepEqual([map.get(key), map.has(key)], [model.get(key), model.has(key)])
      }
    }),
    { numRuns: 60 },
  )
})

test('a map that holds it already is the same map', () => {
  const map = SharedMap.empty<string, number>().set('a', 1)
  assert.equal(map.set('a', 1), map)
  assert.equal(map.delete('b'), map)
})
