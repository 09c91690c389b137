import { bool, type Check, int, json, listOf, num, object, oneOf, optional, orNull, range, text } from '../shape.ts'
import type { DataOf, EventType } from './index.ts'
import type { SectionRecord, SeenFile } from './message.ts'
import {
  block,
  callBlock,
  content,
  failure,
  header,
  item,
  mode,
  origin,
  repair,
  resultOutcome,
  source,
  turnOutcome,
  usage,
} from './parts.ts'
import type { Finish, Timing } from './request.ts'
import type { ParentRef } from './session.ts'

/** What the data of each event must be. Held equal to the union by the compiler. */
export const checks: { readonly [T in EventType]: Check<DataOf<T>> } = {
  'session/start': object({
    format: int,
    id: text,
    cwd: text,
    rein: text,
    parent: optional(object<ParentRef>({ id: text, at: int, hash: text })),
  }),
  'session/resume': object({ epoch: int, holder: text, rein: text }),
  'session/title': object({ title: text, by: oneOf('person', 'prompt', 'model') }),
  'session/fork': object({ id: text, parent: text, at: int, hash: text }),
  'session/rewound': object({ to: int, by: oneOf('person', 'plugin') }),
  'session/damage': object({
    reason: oneOf('torn', 'nul', 'not-json', 'spliced', 'bad-seq', 'broken-chain', 'not-an-event'),
    events: int,
    lines: int,
    bytes: int,
    aside: optional(text),
  }),
  'session/migrated': object({ from: int, to: int, oldHead: text }),
  'turn/start': object({ turn: int }),
  'turn/end': object({ turn: int, outcome: turnOutcome, error: optional(failure) }),
  'step/start': object({ turn: int, step: int }),
  'step/end': object({ turn: int, step: int }),
  'inbox/spliced': object({
    lane: oneOf('next-turn', 'next-step'),
    start: int,
    remove: listOf(text),
    insert: listOf(item),
    reason: oneOf('posted', 'edited', 'reordered', 'dropped', 'refused', 'withdrawn'),
  }),
  'inbox/parked': object({ reason: oneOf('cancelled', 'budget', 'error', 'interrupted') }),
  'system/message': object({
    text,
    sections: listOf(object<SectionRecord>({ name: text, order: num, owner: text, bytes: int, sha256: text })),
  }),
  'user/message': object({ content: listOf(content), source, item: optional(text) }),
  'assistant/message': object({
    request: text,
    content: listOf(block),
    origin,
    interrupted: optional(oneOf('cancelled', 'failed', 'crashed')),
  }),
  'tool/call': object({
    turn: int,
    step: int,
    call: text,
    name: text,
    arguments: text,
    parallel: bool,
    effects: oneOf('none', 'some'),
  }),
  'tool/result': object({
    call: text,
    name: text,
    outcome: resultOutcome,
    content: listOf(content),
    view: optional(json),
    seen: optional(listOf(object<SeenFile>({ path: text, hash: text, range: optional(range) }))),
    spill: optional(text),
    durationMs: optional(num),
  }),
  'request/header': header,
  'request/sent': object({
    id: text,
    kind: oneOf('step', 'compaction', 'title', 'judge'),
    at: int,
    header: int,
    extra: orNull(listOf(content)),
    sha256: text,
    bytes: int,
    repairs: listOf(repair),
    broke: optional(object({ event: int, owner: text })),
  }),
  'assistant/chunks': object({ request: text, chunks: listOf(json) }),
  'request/settled': object({
    id: text,
    outcome: oneOf('completed', 'failed', 'cancelled', 'interrupted'),
    finish: orNull(object<Finish>({ reason: oneOf('stop', 'calls', 'length', 'filtered', 'other'), raw: text })),
    usage: orNull(usage),
    dropped: listOf(callBlock),
    error: orNull(failure),
    timing: orNull(object<Timing>({ connectMs: orNull(num), firstByteMs: orNull(num), totalMs: num })),
    cost: optional(num),
  }),
  'retry/scheduled': object({ turn: int, step: int, attempt: int, waitMs: num, error: failure }),
  'retry/started': object({ turn: int, step: int, attempt: int, outcome: oneOf('started', 'abandoned') }),
  'approval/asked': object({ id: text, call: text, what: text, detail: optional(json) }),
  'approval/decided': object({
    id: text,
    decision: oneOf('allowed-once', 'denied', 'unanswered'),
    by: text,
    words: optional(text),
  }),
  'question/asked': object({ id: text, call: text, questions: json }),
  'question/answered': object({ id: text, answers: orNull(json), by: text }),
  'permission/mode': object({ mode, by: oneOf('person', 'settings', 'parent') }),
  'permission/grant': object({
    id: text,
    rule: text,
    scope: oneOf('session', 'project', 'user'),
    by: oneOf('person'),
    revoked: optional(bool),
  }),
  'sandbox/enforced': object({
    backend: text,
    level: oneOf('full', 'partial', 'none'),
    missing: listOf(text),
    mode,
  }),
  'sandbox/denied': object({ call: text, what: oneOf('read', 'write', 'network', 'other'), target: text }),
  'plan/mode': object({ on: bool, by: oneOf('person', 'model'), plan: optional(text) }),
  'compaction/start': object({ id: text, reason: oneOf('threshold', 'person', 'overflow'), range }),
  'compaction/summary': object({ id: text, request: text, text }),
  'compaction/end': object({
    id: text,
    outcome: oneOf('accepted', 'pruned', 'rejected', 'cancelled', 'interrupted', 'failed'),
    error: optional(failure),
  }),
  'command/run': object({ id: text, name: text, arguments: text, by: oneOf('person', 'client') }),
  'command/done': object({
    id: text,
    outcome: oneOf('done', 'failed', 'cancelled', 'interrupted'),
    error: optional(failure),
  }),
  'job/start': object({ id: text, kind: text, label: text, call: optional(text) }),
  'job/end': object({
    id: text,
    outcome: oneOf('done', 'failed', 'stopped', 'lost'),
    exitCode: optional(orNull(num)),
    signal: optional(orNull(text)),
  }),
  'agent/spawned': object({ id: text, kind: oneOf('spawn', 'fork'), label: text, depth: int, call: optional(text) }),
  'agent/settled': object({ id: text, outcome: turnOutcome, usage: orNull(usage), cost: optional(num) }),
  'files/snapshot': object({
    id: text,
    turn: int,
    when: oneOf('before', 'after'),
    files: int,
    bytes: int,
    skipped: listOf(text),
  }),
  'files/restored': object({ snapshot: text, paths: listOf(text) }),
  'plugin/note': object({ plugin: text, kind: text, v: int, data: json }),
}

/** Types whose record another version may skip. */
export const ignorable: ReadonlySet<EventType> = new Set<EventType>(['assistant/chunks', 'plugin/note'])
export const onSurface: ReadonlySet<EventType> = new Set<EventType>([
  'system/message',
  'user/message',
  'assistant/message',
  'tool/result',
])
export const surfaceCheck = (value: unknown): string | undefined =>
  value === 'append' ? undefined : object<{ replace: readonly [number, number] }>({ replace: range })(value)
/** Most bytes the JSON of a plugin's note may have. */
export const noteLimit = 64 * 1024
