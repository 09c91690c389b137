import assert from 'node:assert/strict'
import { Derivation, header, repair, surface, turns } from '../../src/index.ts'
import { hasher } from './ports.ts'
import { continued, opened } from './reading.ts'
import { plainHeader, type World } from './world.ts'

/** Goes on after a crash or damage: what is open is closed, another process is named, and a turn is taken. */
export async function goOn({ blob }: Pick<World, 'blob'>, bytes: Uint8Array) {
  const read = await opened(bytes)
  const { log, sink } = continued(read)
  if (read.events.length === 0) log.append('session/start', { format: 1, id: 's-1', cwd: '/w', rein: '0.1.0' })
  log.append('session/resume', { epoch: 2, holder: 'h:2', rein: '0.1.0' })
  for (const { type, data } of repair(log.events)) log.append(type, data)
  const of = log.state(header) ?? { seq: log.append('request/header', plainHeader).seq, header: plainHeader }
  const { turn } = log.state(turns)
  log.append('turn/start', { turn: turn + 1 })
  log.append('user/message', { content: [{ type: 'text', text: 'go on' }], source: { kind: 'person' } })
  const at = log.events.length - 1
  const from = { surface: log.state(surface), header: of.header, headerSeq: of.seq, at, extra: null }
  const derived = new Derivation({ hasher, blob, keep: true }).derive(from, log.events)
  assert.ok(derived.ok)
  log.append('turn/end', { turn: turn + 1, outcome: 'cancelled' })
  await log.synced()
  return { read, log, sink, body: Buffer.concat(derived.value.body).toString() }
}
