import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { jsonlStore, nodeHasher, processHolder } from '@rein/harness'
import { type DataOf, Derivation, type Header, type LineSink, SessionLog, sentRecord, surface } from '@rein/session'

export const ports = { now: Date.now, id: (prefix: string) => `${prefix}-${randomUUID()}`, hasher: nodeHasher }

/** A sink that keeps nothing. */
export const nowhere: LineSink = { append: async () => undefined, sync: async () => undefined }

export const noBlobs = (): undefined => undefined

/** A header as a small real one is; eight tools with schemas of about 600 bytes. */
export const someHeader: Header = {
  dialect: 'openai-chat',
  encoder: 1,
  provider: 'bench',
  model: 'bench',
  quirks: {
    systemRole: 'system',
    maxTokensField: 'max_tokens',
    reasoningField: 'reasoning_content',
    emptyContent: 'null',
    usageInStream: true,
    parallelCalls: 'omit',
  },
  limits: { contextWindow: null, maxOutput: null },
  parameters: {},
  tools: ['read', 'glob', 'grep', 'todo', 'write', 'edit', 'bash', 'fetch'].map((name) => ({
    name,
    description: 'What this does, when to use it and when not. '.repeat(10),
    parameters: { type: 'object', properties: { path: { type: 'string', description: 'Absolute, or relative.' } } },
  })),
}

/** A temporary folder that goes with its scope. */
export function scratch(): Disposable & { readonly path: string } {
  const path = mkdtempSync(join(tmpdir(), 'rein-bench-'))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}

/** A tool result of this many bytes: numbered lines of source text, each unlike the last. */
function resultOf(bytes: number, { seed, wide }: { seed: number; wide: boolean }): string {
  let text = wide ? '✓ ' : ''
  for (let line = 1; text.length < bytes; line++)
    text += `${line}\tconst value${seed}_${line} = await read("src/part-${(seed * 31 + line) % 977}.ts") // as ${line}\n`
  return text.slice(0, bytes)
}

export interface Shape {
  readonly steps: number
  readonly header: Header
  /** Sizes of the tool results in bytes, taken in turn. */
  readonly results: readonly number[]
  /** One result in so many holds a character beyond Latin-1, as test runners print them; default none. */
  readonly wideEvery?: number
}

/** Sizes of results as coding sessions have them: mostly small, some files. Mean 2 KB. */
export const mixed: readonly number[] = [120, 400, 3000, 60, 900, 8000, 250, 1500, 4000, 1800]

/** Write one turn of so many steps, each a request, a reply and a `read`; every request is derived, so that it verifies. */
export function writeSteps(log: SessionLog, shape: Shape): void {
  const derivation = new Derivation({ hasher: nodeHasher, blob: noBlobs, keep: false })
  log.append('turn/start', { turn: 1 })
  log.append('system/message', { text: 'You work in a project. '.repeat(100), sections: [] })
  log.append('user/message', { content: [{ type: 'text', text: 'go' }], source: { kind: 'person' } })
  const header = log.append('request/header', shape.header)
  for (let step = 1; step <= shape.steps; step++) {
    log.append('step/start', { turn: 1, step })
    const at = log.events.length - 1
    const from = { surface: log.state(surface), header: header.data, headerSeq: header.seq, at, extra: null }
    const derived = derivation.derive(from, log.events)
    if (!derived.ok) throw new Error(derived.failure.message)
    const sent = sentRecord(from, derived.value, { id: `rq${step}`, kind: 'step' })
    log.append('request/sent', sent)
    const wide = shape.wideEvery !== undefined && step % shape.wideEvery === 0
    const result = resultOf(shape.results[step % shape.results.length] ?? 0, { seed: step, wide })
    replyAndCall(log, { step, header: shape.header, result })
    log.append('step/end', { turn: 1, step })
  }
  log.append('turn/end', { turn: 1, outcome: 'budget', error: { code: 'STEPS', message: 'enough' } })
}

function replyAndCall(
  log: SessionLog,
  { step, header, result }: { step: number; header: Header; result: string },
): void {
  const { provider, dialect, model } = header
  const request = `rq${step}`
  const settled: DataOf<'request/settled'> = {
    id: request,
    outcome: 'completed',
    finish: { reason: 'calls', raw: 'tool_calls' },
    usage: { input: 900, cacheRead: 40_000, cacheWrite: 0, output: 80 },
    dropped: [],
    error: null,
    timing: { connectMs: 1, firstByteMs: 300, totalMs: 900 },
  }
  log.append('request/settled', settled)
  const call = { id: `k${step}`, name: 'read', arguments: '{"path":"note.txt"}' }
  log.append('assistant/message', {
    request,
    content: [{ type: 'call', ...call }],
    origin: { provider, dialect, model },
  })
  const begun = { turn: 1, step, call: call.id, name: call.name, arguments: call.arguments }
  log.append('tool/call', { ...begun, parallel: true, effects: 'none' })
  const content = [{ type: 'text', text: result }] as const
  log.append('tool/result', { call: call.id, name: call.name, outcome: { kind: 'done' }, content, durationMs: 2 })
}

/** A log in memory, its lines collected as a store would get them. */
export async function madeLog(shape: Shape): Promise<{ readonly log: SessionLog; readonly lines: readonly string[] }> {
  const lines: string[] = []
  const sink: LineSink = {
    ...nowhere,
    // One by one: a long log is more arguments than a call takes.
    append: async (_seq, more) => {
      for (const line of more) lines.push(line)
    },
  }
  const log = new SessionLog({ ports, sink })
  log.append('session/start', { format: 1, id: 'bench', cwd: '/', rein: 'bench' })
  writeSteps(log, shape)
  await log.written()
  return { log, lines }
}

/** A session on the disk, free for whoever opens it. @returns its id. */
export async function storedSession(
  at: { readonly home: string; readonly cwd: string },
  shape: Shape,
): Promise<string> {
  const id = ports.id('s')
  const holder = processHolder()
  const lease = await jsonlStore({ home: at.home, now: Date.now }).create(id, { cwd: at.cwd, holder })
  if (!lease.ok) throw new Error(lease.failure.message)
  const log = new SessionLog({ ports, sink: lease.value })
  log.append('session/start', { format: 1, id, cwd: at.cwd, rein: 'bench' })
  writeSteps(log, shape)
  await log.synced()
  await lease.value.release()
  return id
}
