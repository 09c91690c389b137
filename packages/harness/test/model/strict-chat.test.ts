import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkChatRequest } from '../../src/model/strict-chat.ts'
import { mockServer } from '../../src/testing/mock-server.ts'

const user = { role: 'user', content: 'go' }
const call = (id: string) => ({ id, type: 'function', function: { name: 'run', arguments: '{}' } })
const asks = (...ids: readonly string[]) => ({ role: 'assistant', content: null, tool_calls: ids.map(call) })
const result = (id: string, content: unknown = 'ok') => ({ role: 'tool', tool_call_id: id, content })
const tool = (parameters: unknown, name = 'run') => ({ type: 'function', function: { name, parameters } })

const withMessages = (...messages: readonly unknown[]) => ({ model: 'm', messages })
const schema = { type: 'object', properties: {} }

test('a whole conversation with parallel calls, tools and pictures is accepted', () => {
  const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } }
  const messages = [
    { role: 'system', content: 's' },
    { role: 'user', content: [{ type: 'text', text: 'look' }, image] },
    { ...asks('a', 'b'), content: '' },
    result('b'),
    result('a', [{ type: 'text', text: 'x' }]),
    { role: 'assistant', content: 'done', reasoning_content: 'r' },
  ]
  const checked = checkChatRequest({
    model: 'm',
    messages,
    tools: [tool(schema)],
    stream: true,
    stream_options: { include_usage: true },
    max_tokens: 5,
  })
  assert.deepEqual(checked.ok ? [] : checked.problems, [])
})

for (const [what, body, problem] of [
  ['no object', [], /must be an object/],
  ['no model', { messages: [user] }, /model is missing/],
  ['no messages', { model: 'm', messages: [] }, /filled list/],
  ['an unknown role', withMessages({ role: 'function', content: 'x' }), /messages\[0\] has the unknown role/],
  ['an empty message', withMessages({ role: 'user', content: '' }), /has empty content/],
  ['a blank message', withMessages({ role: 'user', content: ' \n' }), /has empty content/],
  ['a blank part', withMessages({ role: 'user', content: [{ type: 'text', text: ' ' }] }), /blank text part/],
  ['an assistant that says nothing', withMessages(user, { role: 'assistant', content: null }), /has empty content/],
  ['a call without result', withMessages(user, asks('a')), /end without the results of a/],
  ['a call answered too late', withMessages(user, asks('a'), user, result('a')), /messages\[2\] comes before/],
  ['one of two results', withMessages(user, asks('a', 'b'), result('a')), /without the results of b/],
  ['a result without call', withMessages(user, result('a')), /answers no open call: "a"/],
  ['a second result', withMessages(user, asks('a'), result('a'), result('a')), /messages\[3\] answers no open call/],
  ['an id twice in one message', withMessages(user, asks('a', 'a'), result('a')), /repeats the call id a/],
  [
    'an id twice in two turns',
    withMessages(user, asks('a'), result('a'), asks('a'), result('a')),
    /repeats the call id/,
  ],
  ['an empty result', withMessages(user, asks('a'), result('a', '')), /has empty content/],
  ['no calls in tool_calls', withMessages(user, { role: 'assistant', content: 'x', tool_calls: [] }), /no filled list/],
  [
    'arguments that do not parse',
    withMessages(
      user,
      { role: 'assistant', tool_calls: [{ ...call('a'), function: { name: 'f', arguments: '{' } }] },
      result('a'),
    ),
    /not the JSON text of an object/,
  ],
  ['no tools in tools', { ...withMessages(user), tools: [] }, /tools must be a filled list/],
  [
    'parameters that are no object schema',
    { ...withMessages(user), tools: [tool({ type: 'string' })] },
    /no object schema/,
  ],
  ['one tool name twice', { ...withMessages(user), tools: [tool(schema), tool(schema)] }, /repeats the name/],
  ['a bad tool name', { ...withMessages(user), tools: [tool(schema, 'a b')] }, /bad name "a b"/],
  ['two limits', { ...withMessages(user), max_tokens: 1, max_completion_tokens: 1 }, /exclude each other/],
  ['a limit of zero', { ...withMessages(user), max_tokens: 0 }, /above 0/],
  ['stream_options alone', { ...withMessages(user), stream_options: {} }, /needs stream/],
] as const) {
  test(`a request with ${what} is refused, and told why`, () => {
    const checked = checkChatRequest(body)
    assert.match(checked.ok ? 'accepted' : checked.problems.join('; '), problem)
  })
}

test('the mock server refuses with 400 what is refused here, and keeps its script for the next request', async () => {
  await using server = await mockServer({ script: [{ body: ['data: [DONE]\n\n'] }] })
  const send = async (body: unknown) => {
    const reply = await fetch(`${server.baseUrl}/chat/completions`, { method: 'POST', body: JSON.stringify(body) })
    return [reply.status, await reply.text()]
  }
  const [status, text] = await send(withMessages(user, asks('a')))
  assert.equal(status, 400)
  assert.match(String(text), /end without the results of a/)
  assert.deepEqual(await send(withMessages(user)), [200, 'data: [DONE]\n\n'])
  assert.equal((await send(withMessages(user)))[0], 400)
  assert.equal(server.received.length, 3)
})
