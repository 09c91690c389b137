import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as v from 'valibot'
import { fromValibot } from '../../src/tools/parameters.ts'

const parameters = fromValibot(
  v.strictObject({
    path: v.pipe(v.string(), v.nonEmpty(), v.description('A file')),
    limit: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1))),
    edits: v.optional(v.array(v.strictObject({ old: v.string(), all: v.optional(v.boolean()) }))),
  }),
)

const problems = (value: unknown) => {
  const parsed = parameters.parse(value)
  return parsed.ok ? [] : parsed.problems
}

test('the schema a model is sent is plain, closed and always the same', () => {
  assert.equal(
    JSON.stringify(parameters.schema),
    '{"type":"object","properties":{"path":{"type":"string","minLength":1,"description":"A file"},' +
      '"limit":{"type":"integer","minimum":1},"edits":{"type":"array","items":{"type":"object","properties":' +
      '{"old":{"type":"string"},"all":{"type":"boolean"}},"required":["old"],"additionalProperties":false}}},' +
      '"required":["path"],"additionalProperties":false}',
  )
})

test('a wrong argument is named with what it must be and what came', () => {
  assert.deepEqual(problems({ path: 'a', limit: '3' }), ['`limit` must be a number; got "3".'])
  assert.deepEqual(problems({ path: '', limit: 0 }), [
    '`path` must be not empty; got "".',
    '`limit` must be at least 1; got 0.',
  ])
  assert.deepEqual(problems({ path: 'a', edits: [{}] }), ['`edits.0.old` is missing; it must be text.'])
  assert.deepEqual(problems([1]), ['The arguments must be one JSON object; got [1].'])
})

test('an unknown argument is answered with the nearest one that exists', () => {
  assert.deepEqual(problems({ path: 'a', limt: 3 }), ['`limt` is not an argument of this tool. Did you mean `limit`?'])
  assert.match(problems({ path: 'a', zzzzzz: 3 })[0] ?? '', /Known: path, limit, edits\./)
  assert.match(problems({ path: 'a', edits: [{ old: 'x', al: true }] })[0] ?? '', /Did you mean `all`/)
})

test('right arguments come back as they are', () => {
  assert.deepEqual(parameters.parse({ path: 'a', limit: 2 }), { ok: true, value: { path: 'a', limit: 2 } })
})
