import type { Failure } from '../failure.ts'
import {
  bool,
  type Check,
  int,
  json,
  listOf,
  num,
  object,
  oneOf,
  optional,
  orNull,
  record,
  text,
  variant,
} from '../shape.ts'
import type { Block, CallBlock, Content, ImageContent, Origin, Source, TextContent } from './content.ts'
import type { InboxItem } from './inbox.ts'
import type { ResultOutcome } from './message.ts'
import type { Header, Repair, ToolSpec, Usage } from './request.ts'
import type { TurnOutcome } from './turn.ts'

// Checks of the values that events share.

const textContent = object<TextContent>({ type: oneOf('text'), text })
export const content = variant<Content, 'type'>('type', {
  text: textContent,
  image: object<ImageContent>({
    type: oneOf('image'),
    blob: text,
    mime: oneOf('image/png', 'image/jpeg', 'image/webp', 'image/gif'),
    bytes: int,
    width: optional(int),
    height: optional(int),
  }),
})
export const callBlock = object<CallBlock>({
  type: oneOf('call'),
  id: text,
  name: text,
  arguments: text,
  wireId: optional(text),
  signature: optional(text),
})
export const block = variant<Block, 'type'>('type', {
  text: textContent,
  reasoning: object({ type: oneOf('reasoning'), text, signature: optional(text) }),
  call: callBlock,
  private: object({ type: oneOf('private'), data: json }),
})
export const source = object<Source>({
  kind: oneOf('person', 'child', 'job', 'timer', 'plugin', 'context'),
  name: optional(text),
})
export const origin = object<Origin>({ provider: text, dialect: text, model: text })
/** A code this version does not know is kept as it stands: codes never change meaning, and new ones may come. */
export const failure: Check<Failure> = object<Failure>({
  code: text as Check<never>,
  message: text,
  next: optional(text),
  status: optional(int),
  retryAfterMs: optional(num),
})
export const item = object<InboxItem>({
  id: text,
  delivery: oneOf('followup', 'steer', 'inject'),
  content: listOf(content),
  source,
})
export const resultOutcome = variant<ResultOutcome, 'kind'>('kind', {
  done: object({ kind: oneOf('done') }),
  failed: object({ kind: oneOf('failed'), failure }),
  denied: object({ kind: oneOf('denied'), by: text, reason: text }),
  'timed-out': object({ kind: oneOf('timed-out'), afterMs: num }),
  cancelled: object({ kind: oneOf('cancelled') }),
  'not-started': object({ kind: oneOf('not-started') }),
  unknown: object({ kind: oneOf('unknown') }),
})
export const usage = object<Usage>({
  input: int,
  cacheRead: int,
  cacheWrite: int,
  output: int,
  reasoning: optional(int),
})
export const turnOutcome: Check<TurnOutcome> = oneOf(
  'completed',
  'max-tokens',
  'blocked',
  'cancelled',
  'interrupted',
  'budget',
  'error',
)
export const header = object<Header>({
  dialect: oneOf('openai-chat', 'anthropic-messages', 'openai-responses', 'google-generate'),
  encoder: int,
  provider: text,
  model: text,
  quirks: object({
    systemRole: oneOf('system', 'developer'),
    maxTokensField: oneOf('max_tokens', 'max_completion_tokens'),
    reasoningField: oneOf('reasoning_content', 'reasoning', 'none'),
    emptyContent: oneOf('null', 'empty', 'omit'),
    usageInStream: bool,
    parallelCalls: oneOf('omit', 'true', 'false'),
  }),
  limits: object({ contextWindow: orNull(int), maxOutput: orNull(int) }),
  parameters: record,
  tools: listOf(object<ToolSpec>({ name: text, description: text, parameters: json })),
})
export const repair = object<Repair>({
  seq: int,
  rule: oneOf(
    'orphan-result',
    'missing-result',
    'duplicate-id',
    'blank-text',
    'bad-arguments',
    'bad-name',
    'foreign-reasoning',
    'foreign-private',
    'no-image',
  ),
})
export const mode = oneOf('read-only', 'workspace-write', 'full-access')
