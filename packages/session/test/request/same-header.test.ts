import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Header, type Json, sameHeader } from '../../src/index.ts'
import { plainHeader } from '../kit/world.ts'

const schema: Json = { type: 'object', properties: { path: { type: 'string' } } }
const tool = { name: 'read', description: 'Reads.', parameters: schema }
const base: Header = { ...plainHeader, parameters: { temperature: 0, seed: 1 }, tools: [tool] }

/** Each gives other bytes than `base`. */
const changes: { readonly [what: string]: Header } = {
  'another model': { ...base, model: 'other' },
  'another limit': { ...base, limits: { ...base.limits, maxOutput: 17 } },
  'parameters in another order': { ...base, parameters: { seed: 1, temperature: 0 } },
  'no tool': { ...base, tools: [] },
  'one tool more': { ...base, tools: [tool, { ...tool, name: 'write' }] },
  'a tool in other words': { ...base, tools: [{ ...tool, description: 'Reads!' }] },
  'a schema in another order': {
    ...base,
    tools: [{ ...tool, parameters: { properties: { path: { type: 'string' } }, type: 'object' } }],
  },
}

for (const [what, changed] of Object.entries(changes))
  test(`a header with ${what} is another one`, () => {
    assert.equal(sameHeader(base, changed), false)
    assert.equal(sameHeader(changed, base), false)
  })

test('two headers are the same exactly when their JSON is, whether or not they share their parts', () => {
  const header = fc.constantFrom(base, ...Object.values(changes))
  const copied = fc.tuple(header, fc.boolean()).map(([made, copy]): Header => (copy ? structuredClone(made) : made))
  fc.assert(
    fc.property(copied, copied, (a, b) => {
      assert.equal(sameHeader(a, b), JSON.stringify(a) === JSON.stringify(b))
    }),
    { numRuns: 100 },
  )
})
