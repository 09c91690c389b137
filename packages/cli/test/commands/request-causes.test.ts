import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nodeHasher } from '@rein/harness'
import {
  type Content,
  Derivation,
  type Header,
  header,
  type RequestKind,
  type SectionRecord,
  SessionLog,
  sentRecord,
  surface,
} from '@rein/session'
import { causesOf } from '../../src/commands/request-causes.ts'
import { requestDiff } from '../../src/commands/request-diff.ts'
import { type SentRequest, sentRequest } from '../../src/commands/sent-request.ts'
import { paint } from '../../src/view/paint.ts'

const text = (words: string): readonly Content[] => [{ type: 'text', text: words }]
const person = { kind: 'person' } as const
const quirks = {
  systemRole: 'system',
  maxTokensField: 'max_tokens',
  reasoningField: 'none',
  emptyContent: 'null',
  usageInStream: true,
  parallelCalls: 'omit',
} as const
const plain: Header = {
  dialect: 'openai-chat',
  encoder: 1,
  provider: 'p',
  model: 'm-1',
  quirks,
  limits: { contextWindow: null, maxOutput: null },
  parameters: { temperature: 0.5 },
  tools: [
    { name: 'read', description: 'Read.', parameters: {} },
    { name: 'bash', description: 'Run.', parameters: {} },
  ],
}
const section = (name: string, sha256: string): SectionRecord => ({
  name,
  order: 1,
  owner: `${name}-row`,
  bytes: 9,
  sha256,
})

/** A log that is written by hand, its requests derived as a session derives them. */
class Written {
  readonly log: SessionLog
  readonly #derivation = new Derivation({ hasher: nodeHasher, blob: () => undefined, keep: false })
  #sent = 0

  constructor() {
    const sink = { append: async () => undefined, sync: async () => undefined }
    const ports = { now: () => 1, id: (prefix: string) => prefix, hasher: nodeHasher }
    this.log = new SessionLog({ ports, sink })
    this.log.append('session/start', { format: 1, id: 's', cwd: '/', rein: '0' })
    this.log.append('request/header', plain)
    this.log.append('system/message', { text: 'Be useful.', sections: [section('role', 'a'), section('old', 'a')] })
    this.say('one')
    this.send()
  }

  say(words: string): number {
    return this.log.append('user/message', { content: text(words), source: person }).seq
  }

  send(kind: RequestKind = 'step', extra: readonly Content[] | null = null): void {
    const of = this.log.state(header)
    assert.ok(of)
    const at = this.log.events.length - 1
    const from = { surface: this.log.state(surface), header: of.header, headerSeq: of.seq, at, extra }
    const derived = this.#derivation.derive(from, this.log.events)
    assert.ok(derived.ok)
    this.log.append('request/sent', sentRecord(from, derived.value, { id: `r${++this.#sent}`, kind }))
  }

  request(number: number): SentRequest {
    const read = { events: this.log.events, damage: [], aside: [], openEnd: false, format: 1 }
    const found = sentRequest({ id: 's', log: read, blob: () => undefined }, number)
    assert.ok(found.ok, found.ok ? '' : found.failure.message)
    return found.value
  }

  /** What made requests 1 and 2 differ, both ways round the same. */
  causes(): readonly string[] {
    const [one, two] = [this.request(1), this.request(2)]
    const found = causesOf(one, two, this.log.events)
    assert.deepEqual(causesOf(two, one, this.log.events), found)
    return found.flatMap(({ what, parts }) => [what, ...parts])
  }
}

test('of a header each value and each tool that is another is told', () => {
  const written = new Written()
  const [read, bash] = plain.tools
  assert.ok(read && bash)
  const tools = [
    { ...read, description: 'Read on.' },
    { name: 'grep', description: '', parameters: {} },
  ]
  written.log.append('request/header', { ...plain, model: 'm-2', parameters: { top_p: 1 }, tools })
  written.send()
  assert.deepEqual(written.causes(), [
    'request/header: what stands around the messages',
    'model: "m-1" → "m-2"',
    'parameter temperature: 0.5 → (not there)',
    'parameter top_p: (not there) → 1',
    'tool read: its description changed',
    'tool grep added',
    'tool bash removed',
  ])
})

test('of a system text the sections that are others are told, with their owners', () => {
  const written = new Written()
  const now = [section('role', 'b'), section('new', 'a')]
  written.log.append(
    'system/message',
    { text: 'Be better.', sections: now },
    { surface: { replace: [2, 2] }, sources: [2] },
  )
  written.send()
  assert.deepEqual(written.causes(), [
    'system/message replaces events 2 to 2 (1 message), by the prompt',
    'section role of role-row changed, 9 → 9 bytes',
    'section new of new-row added, 9 bytes',
    'section old of old-row removed',
  ])
})

test('a replace is told with its range and whose it was', () => {
  const written = new Written()
  const source = { kind: 'plugin', name: 'compact' } as const
  const sources = [3]
  written.log.append('user/message', { content: text('sum'), source }, { surface: { replace: [3, 3] }, sources })
  written.send()
  assert.deepEqual(written.causes(), ['user/message replaces events 3 to 3 (1 message), by plugin compact'])
})

test('a rewind is told with how many messages left, and what was added and taken back is not', () => {
  const written = new Written()
  written.say('never seen')
  written.log.append('session/rewound', { to: 2, by: 'person' })
  written.say('instead')
  written.send()
  assert.deepEqual(written.causes(), [
    'session/rewound to event 2, by person: 1 message left',
    'user/message appended, by person',
  ])
})

test('what was repaired is told by its rule, at the event it was about', () => {
  const written = new Written()
  const { seq } = written.log.append('tool/result', {
    call: 'k',
    name: 'read',
    outcome: { kind: 'done' },
    content: text('x'),
  })
  written.send()
  const found = causesOf(written.request(1), written.request(2), written.log.events)
  assert.deepEqual(
    found.map((cause) => [cause.seq, cause.what]),
    [
      [seq, 'tool/result appended, by tool read (done)'],
      [seq, 'repaired by rule (orphan-result): a result of no call was left out'],
    ],
  )
})

test('the instruction of a side request of every kind is told, and its bytes are those that were sent', async () => {
  for (const kind of ['compaction', 'title', 'judge'] as const) {
    const written = new Written()
    written.send(kind, text('Do this now.'))
    assert.deepEqual(written.causes(), [`request/sent: the instruction of a ${kind} request stands at the end`])
    assert.ok(written.request(2).body.toString().includes('Do this now.'))
    const shown = await requestDiff(written.request(1), written.request(2), {
      events: written.log.events,
      paint: paint(false),
    })
    assert.match(shown, /\n {2}\+content: Do this now\.\n/)
  }
})
