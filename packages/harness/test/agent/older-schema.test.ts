import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Parameters, type Tool, tool } from '../../src/tools/definition.ts'
import { countingPorts, stage } from './kit.ts'

interface Place {
  readonly path: string
}

/** Takes one word under a name; an older tool had another name for the same. */
const named = (field: string): Parameters<Place> => ({
  schema: { type: 'object', properties: { [field]: { type: 'string' } }, required: [field] },
  parse: (given) => {
    const value: unknown = Reflect.get(Object(given), field)
    return typeof value === 'string' ? { ok: true, value: { path: value } } : { ok: false, problems: [`no ${field}`] }
  },
})

const look = (field: string, accepts: readonly string[] = []): Tool =>
  tool<Place>({
    name: 'look',
    description: `Takes ${field}.`,
    parameters: named(field),
    accepts: accepts.map(named),
    effects: () => 'none',
    run: async ({ path }) => ({ kind: 'done', content: `saw ${path}` }),
  })

/** A session that was told of a tool that takes `file`, resumed where the tool takes `path`. */
async function resumedWith(now: Tool, argument: string) {
  const first = await stage({ tools: [look('file')], script: [{ text: 'hello' }] })
  await first.say('hi')
  await first.close()
  const script = [{ calls: [{ name: 'look', arguments: { [argument]: 'a' } }] }, { text: 'ok' }]
  const ports = countingPorts(1000)
  const on = await stage({ store: first.store, resume: first.session.id, ports, tools: [now], script })
  await on.say('look')
  return on
}

test('a resumed session keeps telling the schema it began with, and the tool takes its arguments', async () => {
  const on = await resumedWith(look('path', ['file']), 'file')
  assert.equal(on.all('request/header').length, 1)
  assert.match(JSON.stringify(on.all('tool/result')[0]?.data.content), /saw a/)
  assert.equal((await on.verify()).answer, 'clean')
})

test('a tool that does not take the logged schema any more is told anew, and what that moved is named', async () => {
  const on = await resumedWith(look('path'), 'path')
  const [, header] = on.all('request/header')
  assert.equal(header?.data.tools[0]?.description, 'Takes path.')
  assert.equal(on.all('request/sent')[1]?.data.broke?.owner, 'header')
  assert.match(JSON.stringify(on.all('tool/result')[0]?.data.content), /saw a/)
  assert.equal((await on.verify()).answer, 'clean')
})
