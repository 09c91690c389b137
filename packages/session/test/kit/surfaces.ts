import fc from 'fast-check'
import type { Block, Content, Header, MessageEvent, Quirks } from '../../src/index.ts'
import { plainHeader } from './world.ts'

const text = fc.constantFrom('', ' \n', 'x', '"q"', 'a\ud800', '\u2028', 'é𝄞')
const id = fc.constantFrom('a', 'b', '', 'a-1', 'a-2', 'call')
const picture: fc.Arbitrary<Content> = fc.record({
  type: fc.constant('image' as const),
  blob: fc.constantFrom('there', 'gone'),
  mime: fc.constant('image/png' as const),
  bytes: fc.constantFrom(3, 9_000_000),
  width: fc.constantFrom(10, 2100, 9000),
})
const textPart = fc.record({ type: fc.constant('text' as const), text })
export const content = fc.array(fc.oneof(textPart, picture), { maxLength: 3 })
const block: fc.Arbitrary<Block> = fc.oneof(
  textPart,
  fc.record({ type: fc.constant('reasoning' as const), text }),
  fc.record({
    type: fc.constant('call' as const),
    id,
    name: fc.constantFrom('read', '', 'a b', 'é', 'n'.repeat(90)),
    arguments: fc.constantFrom('{}', '{"a":1}', '', 'not json', '[1]', 'null', '{"a":'),
  }),
  fc.record({ type: fc.constant('private' as const), data: fc.constant({ a: 1 }) }),
)
const origin = fc.record({
  provider: fc.constantFrom('local', 'other'),
  dialect: fc.constant('openai-chat'),
  model: fc.constant('m'),
})
export const done = { kind: 'done' } as const

/** Any message, in any order: what a damaged, foreign or hand-written log can put on the surface. */
const anyMessage = fc.oneof(
  fc.record({ type: fc.constant('system/message' as const), data: fc.record({ text, sections: fc.constant([]) }) }),
  fc.record({
    type: fc.constant('user/message' as const),
    data: fc.record({ content, source: fc.constant({ kind: 'person' as const }) }),
  }),
  fc.record({
    type: fc.constant('assistant/message' as const),
    data: fc.record({ request: fc.constant('r'), content: fc.array(block, { maxLength: 4 }), origin }),
  }),
  fc.record({
    type: fc.constant('tool/result' as const),
    data: fc.record({ call: id, name: fc.constant('read'), outcome: fc.constant(done), content }),
  }),
)
export const anySurface = fc
  .array(anyMessage, { maxLength: 14 })
  .map((drafts) => drafts.map((draft, seq): MessageEvent => ({ seq, time: 0, hash: '', surface: 'append', ...draft })))

const quirks: fc.Arbitrary<Quirks> = fc.record({
  systemRole: fc.constantFrom('system', 'developer'),
  maxTokensField: fc.constantFrom('max_tokens', 'max_completion_tokens'),
  reasoningField: fc.constantFrom('reasoning_content', 'reasoning', 'none'),
  emptyContent: fc.constantFrom('null', 'empty', 'omit'),
  usageInStream: fc.boolean(),
  parallelCalls: fc.constantFrom('omit', 'true', 'false'),
})
export const anyHeader: fc.Arbitrary<Header> = fc
  .record({ quirks, parameters: fc.constantFrom({}, { temperature: 1 }, { messages: [], model: 'x', tools: 1 }) })
  .map((parts) => ({ ...plainHeader, ...parts }))
