import assert from 'node:assert/strict'
import { test } from 'node:test'
import { permission, planRewind, rewind, seen, usage } from '@rein/session'
import fc from 'fast-check'
import { sessionGrants } from '../../src/ask/grants.ts'
import { todoList } from '../../src/builtin/todo.ts'
import { told } from '../../src/prompt/runtime-context.ts'
import { calls, type Stage, stage, testTool, value } from './kit.ts'

const list = (text: string) => ({ plugin: 'todo', kind: 'list', v: 1, data: { items: [{ text, state: 'pending' }] } })

/** Three turns; a list, a grant, plan mode and a wider mode come after the first one. */
async function threeTurns(): Promise<Stage> {
  const script = [calls('look'), { text: 'one' }, calls('look'), { text: 'two' }, { text: 'three' }, { text: 'after' }]
  const on = await stage({ script, tools: [testTool('look')] })
  const { log } = on.session
  log.append('plugin/note', list('first'))
  await on.say('1')
  log.append('plugin/note', list('second'))
  log.append('permission/grant', { id: 'g', rule: 'ls', scope: 'session', by: 'person' })
  await on.say('2')
  log.append('permission/grant', { id: 'g', rule: 'ls', scope: 'session', by: 'person', revoked: true })
  log.append('permission/mode', { mode: 'read-only', by: 'person' })
  log.append('plan/mode', { on: true, by: 'person' })
  await on.say('3')
  return on
}

test('a rewind to anywhere widens nothing: grants, mode and plan mode are those of now, and what was spent is spent', async () => {
  const on = await threeTurns()
  const { log } = on.session
  const last = log.events.length
  fc.assert(
    fc.property(fc.nat({ max: last - 1 }), (to) => {
      value(rewind(log, { to }))
      assert.deepEqual([...log.state(sessionGrants)], [], 'what was revoked since stays revoked')
      assert.partialDeepStrictEqual(log.state(permission), { mode: 'read-only', plan: true, grants: [] })
      assert.equal(log.state(usage).requests, 5)
    }),
    { numRuns: 40 },
  )
  await on.close()
})

test('a rewind takes the list of what is to be done, what was read and what the model was told back with it', async () => {
  const on = await threeTurns()
  const { log } = on.session
  const second = log.events.findIndex(({ type, data }) => type === 'turn/start' && 'turn' in data && data.turn === 2)
  const first = log.events.findIndex(({ type }) => type === 'turn/end')
  const at = log.state(todoList)
  assert.equal(at[0]?.text, 'second')
  value(rewind(log, { to: first }))
  assert.equal(log.state(todoList)[0]?.text, 'first')
  const back = value(rewind(log, { to: second }))
  assert.equal(log.state(todoList)[0]?.text, 'second')
  assert.equal(log.state(told), undefined)
  assert.deepEqual([...log.state(seen).entries()], [])
  assert.equal(back.data.to, second)
  await on.close()
})

test('a session goes on from wherever it is rewound to: the next request is taken by a strict server, and names the rewind', async () => {
  const whole = await threeTurns()
  const last = whole.events.length
  await whole.close()
  for (let to = 0; to < last; to += 3) {
    const on = await threeTurns()
    const plan = value(planRewind(on.events, to))
    const { seq } = value(rewind(on.session.log, { to }))
    await on.say('and now?')
    assert.equal(on.outcomes().at(-1), 'completed', `event ${to}`)
    const [before, sent] = on.all('request/sent').slice(-2)
    // What left and had never been sent is no break of what was.
    const broke = plan.leaves.some((message) => message.seq <= (before?.data.at ?? 0))
    assert.deepEqual(sent?.data.broke, broke ? { event: seq, owner: 'rewind' } : undefined)
    assert.deepEqual(sent?.data.repairs, [])
    const { answer, problems } = await on.verify()
    assert.deepEqual([answer, problems], ['clean', []])
    await on.close()
  }
})
