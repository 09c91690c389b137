import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  type Block,
  type Content,
  Derivation,
  type DerivedRequest,
  type Header,
  type MessageEvent,
  SharedList,
} from '../../src/index.ts'
import { hasher, sha256 } from '../kit/ports.ts'
import { strictChat } from '../kit/strict-chat.ts'
import { anyHeader, anySurface, content, done } from '../kit/surfaces.ts'
import { plainHeader } from '../kit/world.ts'

const blob = (name: string): Uint8Array | undefined => (name === 'gone' ? undefined : Uint8Array.of(1, 2, 3, 4))

function derive(
  messages: readonly MessageEvent[],
  header: Header = plainHeader,
  extra: readonly Content[] | null = null,
) {
  const derived = new Derivation({ hasher, blob, keep: true }).derive(
    { surface: { messages: SharedList.of(messages) }, header, headerSeq: 0, at: 99, extra },
    [],
  )
  assert.ok(derived.ok)
  return derived.value
}

const bodyOf = (derived: DerivedRequest): string => Buffer.concat(derived.body).toString()
interface Sent {
  readonly role: string
  readonly content: unknown
  readonly tool_call_id?: string
  readonly tool_calls?: readonly { readonly id: string }[]
  readonly reasoning_content?: string
}
const sent = (derived: DerivedRequest): readonly Sent[] => JSON.parse(bodyOf(derived)).messages

let seq = 0
const user = (...parts: Content[]) => message('user/message', { content: parts, source: { kind: 'person' } })
const assistant = (content: readonly Block[], provider = 'local') =>
  message('assistant/message', { request: 'r', content, origin: { provider, dialect: 'openai-chat', model: 'm' } })
const call = (name: string): Block => ({ type: 'call', id: name, name: 'run', arguments: '{}' })
const result = (name: string, said: string) =>
  message('tool/result', { call: name, name: 'run', outcome: done, content: [{ type: 'text', text: said }] })
function message(type: MessageEvent['type'], data: object): MessageEvent {
  return { seq: seq++, time: 0, hash: '', surface: 'append', type, data } as MessageEvent
}

test('any surface, however broken, becomes a request that a strict server takes', () => {
  fc.assert(
    fc.property(anySurface, anyHeader, fc.option(content), (messages, header, extra) => {
      assert.deepEqual(strictChat(bodyOf(derive(messages, header, extra))), [])
    }),
    { numRuns: 600 },
  )
})

test('a surface that grows is encoded as one that was there at once, side requests between or not', () => {
  fc.assert(
    fc.property(anySurface, anyHeader, content, (messages, header, extra) => {
      const memo = new Derivation({ hasher, blob, keep: true })
      let list = SharedList.of<MessageEvent>()
      let front = ''
      for (const [index, next] of messages.entries()) {
        list = list.push(next)
        const from = { surface: { messages: list }, header, headerSeq: 0, at: index, extra: index % 3 ? null : extra }
        const grown = memo.derive(from, messages)
        assert.ok(grown.ok)
        const fresh = derive(messages.slice(0, index + 1), header, from.extra)
        assert.equal(bodyOf(grown.value), bodyOf(fresh))
        assert.equal(grown.value.sha256, sha256(Buffer.concat(fresh.body)))
        assert.equal(bodyOf(grown.value).startsWith(front), grown.value.broke === undefined)
        front = bodyOf(derive(messages.slice(0, index + 1), header)).split('],"stream":true')[0] ?? ''
      }
    }),
    { numRuns: 150 },
  )
})

test('every repair is recorded with the event it was made for', () => {
  const { repairs } = derive([
    user({ type: 'text', text: ' ' }),
    assistant([call('a'), call('a'), { type: 'call', id: 'b', name: 'a b', arguments: 'x' }]),
    result('zz', 'orphan'),
    user({ type: 'text', text: 'go on' }),
  ])
  const rules = repairs.map(({ rule }) => rule)
  assert.deepEqual(rules.toSorted(), [
    'bad-arguments',
    'bad-name',
    'blank-text',
    'duplicate-id',
    'missing-result',
    'missing-result',
    'missing-result',
    'orphan-result',
  ])
})

test('repeated call ids become unique, and each result stays with its own call', () => {
  const messages = sent(
    derive([
      user({ type: 'text', text: 'x' }),
      assistant([call('run:0')]),
      result('run:0', '1'),
      assistant([call('run:0'), call('run:0')]),
      result('run:0', '2'),
      result('run:0', '3'),
    ]),
  )
  const ids = messages.flatMap(({ tool_calls: calls }) => calls?.map((made) => made.id) ?? [])
  assert.equal(new Set(ids).size, 3)
  const answers = messages
    .filter(({ role }) => role === 'tool')
    .map(({ tool_call_id: of, content: said }) => [of, said])
  assert.deepEqual(answers, [
    [ids[0], '1'],
    [ids[1], '2'],
    [ids[2], '3'],
  ])
})

test('reasoning goes back with its calls, unchanged, to the adapter it came from and to no other', () => {
  const thought: Block = { type: 'reasoning', text: 'User wants the file list.' }
  const messages = [user({ type: 'text', text: 'x' }), assistant([thought, call('a')]), result('a', 'x.txt')]
  assert.equal(sent(derive(messages))[1]?.reasoning_content, 'User wants the file list.')
  const none: Header = { ...plainHeader, quirks: { ...plainHeader.quirks, reasoningField: 'none' } }
  assert.ok(!bodyOf(derive(messages, none)).includes('User wants'))
  const foreign = derive([
    user({ type: 'text', text: 'x' }),
    assistant([thought, call('a')], 'other'),
    result('a', 'x'),
  ])
  assert.ok(!bodyOf(foreign).includes('User wants'))
  assert.deepEqual(
    foreign.repairs.map(({ rule }) => rule),
    ['foreign-reasoning'],
  )
})

test('pictures over a limit, and any beyond twenty where one is large, are described; the words get through', () => {
  const image = (width: number, bytes = 4): Content => ({
    type: 'image',
    blob: 'b',
    mime: 'image/png',
    bytes,
    width,
    height: 10,
  })
  const shown = (...parts: Content[]) => {
    const [only] = sent(derive([user(...parts, { type: 'text', text: 'what is this' })]))
    assert.ok(JSON.stringify(only).includes('what is this'))
    return JSON.stringify(only).split('data:image/png;base64,AQIDBA==').length - 1
  }
  assert.equal(shown(image(7999)), 1)
  assert.equal(shown(image(8001)), 0)
  assert.equal(shown(image(10, 5_000_001)), 0)
  assert.equal(shown(...Array.from({ length: 30 }, () => image(10))), 30)
  assert.equal(shown(...Array.from({ length: 30 }, () => image(2100))), 20)
  assert.equal(shown(...Array.from({ length: 20 }, () => image(10)), image(2100)), 20)
})

test('pictures of a side request count for nothing in the requests after it', () => {
  const large: Content = { type: 'image', blob: 'b', mime: 'image/png', bytes: 4, width: 2100, height: 10 }
  const memo = new Derivation({ hasher, blob, keep: true })
  const list = SharedList.of([user({ type: 'text', text: 'x' })])
  const from = { surface: { messages: list }, header: plainHeader, headerSeq: 0, at: 0 }
  assert.ok(memo.derive({ ...from, extra: Array.from({ length: 25 }, () => large) }, []).ok)
  const grown = memo.derive({ ...from, surface: { messages: list.push(user(large)) }, extra: null }, [])
  assert.ok(grown.ok && bodyOf(grown.value).includes('data:image/png'))
})

test('what version 1 says in place of what cannot be sent is fixed to the letter', () => {
  const gone: Content = { type: 'image', blob: 'gone', mime: 'image/png', bytes: 3 }
  const broken = [user(gone), assistant([{ type: 'call', id: 'a', name: 'b c', arguments: '[1]' }])]
  const [pictured, called, closed] = sent(derive(broken)).map((message) => JSON.stringify(message))
  assert.equal(
    pictured,
    '{"role":"user","content":[{"type":"text","text":"[picture, image/png, 3 bytes, not shown to this model]"}]}',
  )
  assert.equal(
    called,
    '{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"b_c","arguments":"{\\"not_json\\":\\"[1]\\"}"}}]}',
  )
  assert.equal(
    closed,
    '{"role":"tool","tool_call_id":"a","content":"(no result was recorded for this call; its outcome is unknown)"}',
  )
})

test('parameters can neither rename the model nor smuggle in messages or tools', () => {
  const parameters = { model: 'evil', messages: [], tools: [], temperature: 0 }
  const body = bodyOf(derive([user({ type: 'text', text: 'x' })], { ...plainHeader, parameters }))
  assert.deepEqual(strictChat(body), [])
  assert.equal(JSON.parse(body).model, 'm-1')
  assert.equal(JSON.parse(body).temperature, 0)
})

test('a header that names an encoder this version does not have is refused, not guessed', () => {
  const derivation = new Derivation({ hasher, blob, keep: true })
  const from = { surface: { messages: SharedList.of<MessageEvent>() }, headerSeq: 0, at: 0, extra: null }
  const made = derivation.derive({ ...from, header: { ...plainHeader, encoder: 99 } }, [])
  assert.equal(made.ok ? '' : made.failure.code, 'FORMAT_TOO_NEW')
})
