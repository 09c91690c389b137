// A whole harness in thirty lines, on @rein/session alone: a model over HTTP, one tool, a limit of steps, and a log that
// `rein verify` accepts. What it needs from Node is in server/chat.ts. Run it: node examples/01-hello.ts
import { randomUUID } from 'node:crypto'
import { Derivation, SessionLog, sentRecord, surface } from '@rein/session'
import { ask, hasher, headerFor, logFile } from './server/chat.ts'
import { localModel } from './server/local-model.ts'

const clock = { name: 'clock', description: 'The time of day.', parameters: { type: 'object', properties: {} } }
const model = await localModel([{ call: 'clock', arguments: {} }, { text: 'It is tea time.' }])
const id = `hello-${randomUUID()}`
const log = new SessionLog({ ports: { now: Date.now, id: () => randomUUID(), hasher }, sink: logFile(id) })
const derivation = new Derivation({ hasher, blob: () => undefined, keep: true })

log.append('session/start', { format: 1, id, cwd: process.cwd(), rein: 'example' })
log.append('turn/start', { turn: 1 })
log.append('user/message', { content: [{ type: 'text', text: 'What time is it?' }], source: { kind: 'person' } })
const header = log.append('request/header', headerFor('local', [clock]))
for (let step = 1, goOn = true; goOn && step <= 5; step++) {
  log.append('step/start', { turn: 1, step })
  const at = log.events.length - 1
  const from = { surface: log.state(surface), header: header.data, headerSeq: header.seq, at, extra: null }
  const derived = derivation.derive(from, log.events)
  if (!derived.ok) throw new Error(derived.failure.message)
  const sent = log.append('request/sent', sentRecord(from, derived.value, { id: `r${step}`, kind: 'step' }))
  await log.written()
  const content = await ask(model.baseUrl, derived.value.body)
  const calls = content.filter((block) => block.type === 'call')
  goOn = calls.length > 0
  const finish = { reason: goOn ? 'calls' : 'stop', raw: '' } as const
  const none = { usage: null, dropped: [], error: null, timing: null }
  log.append('request/settled', { id: sent.data.id, outcome: 'completed', finish, ...none })
  const origin = { provider: 'local', dialect: 'openai-chat', model: 'local' }
  log.append('assistant/message', { request: sent.data.id, content, origin })
  for (const { id: call, name } of calls) {
    log.append('tool/call', { turn: 1, step, call, name, arguments: '{}', parallel: false, effects: 'none' })
    log.append('tool/result', { call, name, outcome: { kind: 'done' }, content: [{ type: 'text', text: 'five' }] })
  }
  log.append('step/end', { turn: 1, step })
}
log.append('turn/end', { turn: 1, outcome: 'completed' })
await log.synced()
model.close()
console.log(`${model.requests.length} requests; now run: rein verify ${id}`)
