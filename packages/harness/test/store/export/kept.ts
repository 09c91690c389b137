import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  createSession,
  Derivation,
  type Header,
  type LiveSession,
  type Ports,
  readLog,
  type SessionEvent,
  type SessionLog,
  sentRecord,
  surface,
  type Verification,
  verify,
} from '@rein/session'
import { nodeHasher } from '../../../src/store/hasher.ts'
import { processHolder } from '../../../src/store/jsonl/holder.ts'
import type { SessionStore } from '../../../src/store/session-store.ts'
import { bytesOf, value as done, Scratch } from '../scratch.ts'

/** A home as Linux has them. */
export const someHome = '/home/ada'

let counter = 0
export const ports: Ports = {
  hasher: nodeHasher,
  now: () => 1_764_500_000_000 + counter++,
  id: (kind) => `${kind}-${randomUUID()}`,
}
export const holder = processHolder()
export const options = (store: SessionStore) => ({ store, ports, holder, rein: '0.0.0' })

export const png: Uint8Array = Buffer.from('\x89PNG\r\n\x1a\n rest of the picture', 'latin1')

const header: Header = {
  dialect: 'openai-chat',
  encoder: 1,
  provider: 'local',
  model: 'm-1',
  quirks: {
    systemRole: 'system',
    maxTokensField: 'max_tokens',
    reasoningField: 'none',
    emptyContent: 'null',
    usageInStream: true,
    parallelCalls: 'omit',
  },
  limits: { contextWindow: null, maxOutput: null },
  parameters: {},
  tools: [],
}

/** A session with a turn in which a tool printed `text`; a picture, a whole output and damaged lines lie beside it. */
export async function kept(store: SessionStore, text: string, cwd = `${someHome}/project`): Promise<LiveSession> {
  const session = done(await createSession(options(store), cwd))
  const { log, id } = session
  const blob = await store.blobs(id).put(png)
  const person = { kind: 'person' } as const
  log.append('request/header', header)
  log.append('system/message', { text: `system in ${cwd}`, sections: [] })
  log.append('turn/start', { turn: 1 })
  const picture = { type: 'image', blob, mime: 'image/png', bytes: png.length } as const
  log.append('user/message', { content: [{ type: 'text', text: `look: ${text}` }, picture], source: person })
  log.append('step/start', { turn: 1, step: 1 })
  sent(log, new Map([[blob, png]]))
  const call = {
    type: 'call',
    id: 'c-1',
    name: 'bash',
    arguments: JSON.stringify({ command: `echo ${text}` }),
  } as const
  const origin = { provider: 'local', dialect: 'openai-chat', model: 'm-1' }
  log.append('assistant/message', { request: 'r-1', content: [{ type: 'text', text: 'I look' }, call], origin })
  const { name, arguments: json } = call
  log.append('tool/call', { turn: 1, step: 1, call: 'c-1', name, arguments: json, parallel: false, effects: 'some' })
  const view = { kind: 'command', exitCode: 0, output: text }
  log.append('tool/result', { call: 'c-1', name, outcome: { kind: 'done' }, content: [{ type: 'text', text }], view })
  log.append('step/end', { turn: 1, step: 1 })
  log.append('turn/end', { turn: 1, outcome: 'interrupted' })
  const spilled = await store.spill(id).open('bash.txt')
  await spilled.write(Buffer.from(`whole: ${text}`))
  await spilled.close()
  await log.synced()
  return session
}

/** The request the model was asked with, and that it answered. */
function sent(log: SessionLog, blobs: ReadonlyMap<string, Uint8Array>): void {
  const at = log.events.length - 1
  const from = { surface: log.state(surface), header, headerSeq: 1, at, extra: null }
  const derivation = new Derivation({ hasher: nodeHasher, blob: (name) => blobs.get(name), keep: false })
  const derived = done(derivation.derive(from, log.events))
  log.append('request/sent', sentRecord(from, derived, { id: 'r-1', kind: 'step' }))
  const finish = { reason: 'calls', raw: 'tool_calls' } as const
  const nothing = { usage: null, dropped: [], error: null, timing: null }
  log.append('request/settled', { id: 'r-1', outcome: 'completed', finish, ...nothing })
}

export async function eventsOf(store: SessionStore, id: string): Promise<readonly SessionEvent[]> {
  const log = done(await readLog(done(await store.read(id)), { hasher: nodeHasher }))
  return log.events
}

export async function proved(store: SessionStore, id: string): Promise<Verification> {
  const log = done(await readLog(done(await store.read(id)), { hasher: nodeHasher }))
  const blobs = new Map<string, Uint8Array>()
  for (const event of log.events) {
    for (const part of event.type === 'user/message' ? event.data.content : []) {
      const bytes = part.type === 'image' ? await store.blobs(id).get(part.blob) : undefined
      if (part.type === 'image' && bytes) blobs.set(part.blob, bytes)
    }
  }
  return verify(log, { hasher: nodeHasher, blob: (name) => blobs.get(name) })
}

/** Every file of a home, by its path below it. */
export function filesIn(home: string, below = ''): ReadonlyMap<string, Buffer> {
  const found = readdirSync(join(home, below), { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  )
  return new Map(
    found.map((entry) => [join(entry.parentPath, entry.name), readFileSync(join(entry.parentPath, entry.name))]),
  )
}

export { bytesOf, done, Scratch }
