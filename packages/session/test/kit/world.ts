import assert from 'node:assert/strict'
import fc from 'fast-check'
import {
  type Content,
  type DataOf,
  Derivation,
  type DerivedRequest,
  type EventType,
  type Header,
  header,
  type InboxItem,
  inbox,
  laneOf,
  type RequestKind,
  type SessionEvent,
  SessionLog,
  sentRecord,
  surface,
} from '../../src/index.ts'
import { countingPorts, hasher, sha256 } from './ports.ts'
import { CollectingSink } from './sinks.ts'

/** A request as it left: the event, its bytes, and what the derivation said of it. */
export interface Left {
  readonly seq: number
  readonly kind: RequestKind
  readonly body: Buffer
  readonly broke: DerivedRequest['broke']
}

export const plainHeader: Header = {
  dialect: 'openai-chat',
  encoder: 1,
  provider: 'local',
  model: 'm-1',
  quirks: {
    systemRole: 'system',
    maxTokensField: 'max_tokens',
    reasoningField: 'reasoning_content',
    emptyContent: 'null',
    usageInStream: true,
    parallelCalls: 'omit',
  },
  limits: { contextWindow: 128_000, maxOutput: 4096 },
  parameters: {},
  tools: [{ name: 'read', description: 'Read a file.', parameters: { type: 'object', properties: {} } }],
}

/** One session in the hands of a writer that keeps every rule; plays of turns are written with it. */
export class World {
  readonly ports = countingPorts()
  readonly sink = new CollectingSink()
  readonly log = new SessionLog({ ports: this.ports, sink: this.sink })
  readonly left: Left[] = []
  readonly blobs = new Map<string, Uint8Array>()
  readonly blob = (hash: string): Uint8Array | undefined => this.blobs.get(hash)
  readonly #derivation = new Derivation({ hasher, blob: this.blob, keep: true })
  turn = 0
  step = 0

  id(prefix: string): string {
    return this.ports.id(prefix)
  }

  /** How fast-check shows a counterexample. */
  [fc.toStringMethod](): string {
    return this.log.events.map((event) => `\n${event.seq} ${event.type} ${JSON.stringify(event.data)}`).join('')
  }

  append<T extends EventType>(type: T, data: DataOf<T>): SessionEvent {
    return this.log.append(type, data)
  }

  start(system: string): void {
    this.append('session/start', { format: 1, id: 's-1', cwd: '/w', rein: '0.1.0' })
    this.append('request/header', plainHeader)
    this.append('system/message', { text: system, sections: [] })
  }

  picture(bytes: Uint8Array): Content {
    const blob = sha256(bytes)
    this.blobs.set(blob, bytes)
    return { type: 'image', blob, mime: 'image/png', bytes: bytes.length }
  }

  post(delivery: InboxItem['delivery'], content: readonly Content[]): InboxItem {
    const item: InboxItem = { id: this.id('in-'), delivery, content, source: { kind: 'person' } }
    const lane = laneOf(item)
    const start = this.log.state(inbox)[lane === 'next-turn' ? 'nextTurn' : 'nextStep'].length
    this.append('inbox/spliced', { lane, start, remove: [], insert: [item], reason: 'posted' })
    return item
  }

  /** What a step boundary takes in: all of next-step, and at the start of a turn one of next-turn. */
  claim(turnStarts: boolean): number {
    const { nextStep, nextTurn } = this.log.state(inbox)
    const items = turnStarts ? [...nextStep, ...nextTurn.slice(0, 1)] : nextStep
    for (const { id, content, source } of items) this.append('user/message', { content, source, item: id })
    return items.length
  }

  send(kind: RequestKind, extra: readonly Content[] | null = null): string {
    const at = this.log.events.length - 1
    const of = this.log.state(header)
    assert.ok(of)
    const from = { surface: this.log.state(surface), header: of.header, headerSeq: of.seq, at, extra }
    const derived = this.#derivation.derive(from, this.log.events)
    assert.ok(derived.ok)
    const id = this.id('req-')
    const { seq } = this.append('request/sent', sentRecord(from, derived.value, { id, kind }))
    this.left.push({ seq, kind, body: Buffer.concat(derived.value.body), broke: derived.value.broke })
    return id
  }

  settle(id: string, with_: Partial<DataOf<'request/settled'>>): void {
    const usage = { input: 10, cacheRead: 5, cacheWrite: 0, output: 3 }
    const timing = { connectMs: 1, firstByteMs: 2, totalMs: 3 }
    const finish = { reason: 'stop', raw: 'stop' } as const
    const done = { outcome: 'completed', finish, usage, dropped: [], error: null, timing, cost: 0.25 } as const
    this.append('request/settled', { id, ...done, ...with_ })
  }
}
