import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Json } from '@rein/session'
import fc from 'fast-check'
import { at, effective, merge, mergeAll, without } from '../../src/config/merge.ts'
import { rows, splitKey } from '../../src/config/provenance.ts'
import {
  dotted,
  type LayerName,
  layerNames,
  map,
  plain,
  type Traced,
  type TracedMap,
  traced,
} from '../../src/config/traced.ts'

type Fields = { readonly [key: string]: Json }

const key = fc.constantFrom('a', 'b', 'c')
const { fields } = fc.letrec<{ value: Json; fields: Fields }>((tie) => ({
  value: fc.oneof({ maxDepth: 3 }, fc.constantFrom<Json>(null, 1, 'x', [1], []), tie('fields')),
  fields: fc.dictionary(key, tie('value'), { maxKeys: 3 }),
}))

function layer(value: Fields, name: LayerName): TracedMap {
  const place = { layer: name }
  return map(new Map(Object.entries(value).map(([key, field]) => [key, traced(field, place)])), place)
}

/** Places of maps aside: which layer a map was begun in says nothing about any value. */
const valuesOf = (node: Traced): Json =>
  node.kind === 'leaf'
    ? [node.value, node.place.layer]
    : Object.fromEntries([...node.entries].map(([key, entry]): [string, Json] => [key, valuesOf(entry)]))

test('layers may be merged in any grouping', () => {
  fc.assert(
    fc.property(fields, fields, fields, (a, b, c) => {
      const [low, mid, high] = [layer(a, 'built-in'), layer(b, 'user'), layer(c, 'flag')]
      assert.deepEqual(valuesOf(merge(merge(low, mid), high)), valuesOf(merge(low, merge(mid, high))))
    }),
  )
})

test('every effective value is the one its place wrote, and no stronger layer says anything about it', () => {
  const layers = fc
    .tuple(fields, fields, fields, fields)
    .map((all) => all.map((value, at) => layer(value, layerNames[at] ?? 'flag')))
  fc.assert(
    fc.property(layers, (all) => {
      for (const { key, value, place } of rows(mergeAll(all))) {
        const path = splitKey(key)
        const from = all.findIndex((candidate) => candidate.place.layer === place.layer)
        const written = at(all[from] ?? map(new Map(), place), path)
        if (written?.kind === 'leaf') assert.deepEqual(value, written.value)
        else assert.deepEqual(value, {}, 'what is left of a map whose values were removed')
        const stronger = all.slice(from + 1).map((candidate) => at(candidate, path))
        assert.ok(stronger.every((node) => node === undefined || node.kind === 'map'))
      }
    }),
  )
})

test('no removal and nothing that was removed is left in the end', () => {
  fc.assert(
    fc.property(fields, fields, (a, b) => {
      const merged = effective(mergeAll([layer(a, 'user'), layer(b, 'flag')]))
      assert.ok(!JSON.stringify(plain(merged)).includes('null'))
      for (const [key, value] of Object.entries(b)) if (value === null) assert.equal(merged.entries.has(key), false)
    }),
  )
})

test('maps merge by key, lists replace, and a map over a plain value begins anew', () => {
  const low = layer({ m: { x: 1, y: 2 }, list: [1, 2], plain: 1 }, 'user')
  const high = layer({ m: { y: 3 }, list: [9], plain: { z: 1 } }, 'flag')
  assert.deepEqual(plain(merge(low, high)), { m: { x: 1, y: 3 }, list: [9], plain: { z: 1 } })
})

test('a map over a removal begins anew in every grouping, so that what was removed does not come back', () => {
  const [low, mid, high] = [
    layer({ m: { x: 1 } }, 'built-in'),
    layer({ m: null }, 'user'),
    layer({ m: { y: 2 } }, 'flag'),
  ]
  for (const merged of [merge(merge(low, mid), high), merge(low, merge(mid, high))]) {
    assert.deepEqual(plain(merged), { m: { y: 2 } })
  }
})

test('a key taken out of a layer leaves what is beside it', () => {
  const tree = layer({ a: { b: 1, c: 2 }, d: 3 }, 'user')
  assert.deepEqual(plain(without(tree, ['a', 'b'])), { a: { c: 2 }, d: 3 })
  assert.deepEqual(plain(without(tree, ['x', 'y'])), plain(tree))
})

test('a path written as text is read back as the same path', () => {
  const part = fc.string({ minLength: 1, maxLength: 8 }).filter((text) => !/\p{Cc}/u.test(text))
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 4 }), (path) =>
      assert.deepEqual(splitKey(dotted(path)), path),
    ),
  )
})
