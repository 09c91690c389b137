import { nodeHasher } from '@rein/harness'
import {
  Derivation,
  type EventNamed,
  type Failure,
  fold,
  type MessageEvent,
  type Result,
  type SessionEvent,
  surface,
} from '@rein/session'
import { usageFailure } from '../usage.ts'
import type { StoredLog } from './stored-log.ts'

/** One request as it left, rebuilt from the log, its hash compared with the one that was written before it left. */
export interface SentRequest {
  readonly number: number
  readonly sent: EventNamed<'request/sent'>
  readonly header: EventNamed<'request/header'>
  /** The messages it was made of. */
  readonly messages: readonly MessageEvent[]
  readonly body: Buffer
}

/**
 * Rebuild request `number`, counted from 1 in the order of `request/sent`, retries and side requests included. Fails
 * `USAGE` when there is none, `SESSION_DAMAGED` when it cannot be rebuilt or is not what was sent.
 */
export function sentRequest({ id, log, blob }: StoredLog, number: number): Result<SentRequest> {
  const all = log.events.filter(isSent)
  const sent = all[number - 1]
  if (!sent) return { ok: false, failure: noRequest(number, all.length) }
  const header = log.events[sent.data.header]
  if (header?.type !== 'request/header') return differs(id, number, 'its header is not in the log')
  const { at, extra, sha256, bytes } = sent.data
  const from = fold(surface, log.events, at + 1)
  const derivation = new Derivation({ hasher: nodeHasher, blob, keep: true })
  const made = derivation.derive({ surface: from, header: header.data, headerSeq: header.seq, at, extra }, [])
  if (!made.ok) return made
  if (made.value.sha256 !== sha256 || made.value.bytes !== bytes)
    return differs(id, number, `SHA-256 ${made.value.sha256} instead of ${sha256}`)
  const body = Buffer.concat(made.value.body)
  return { ok: true, value: { number, sent, header, messages: [...from.messages], body } }
}

const isSent = (event: SessionEvent): event is EventNamed<'request/sent'> => event.type === 'request/sent'

function noRequest(number: number, all: number): Failure {
  const message = `There is no request ${number}; the session has ${all === 0 ? 'none' : `${all}, counted from 1`}.`
  return usageFailure(message, '`rein show <id> --events` has each as "request/sent".')
}

const differs = (id: string, number: number, how: string): Result<never> => ({
  ok: false,
  failure: {
    code: 'SESSION_DAMAGED',
    message: `Request ${number} cannot be shown: the log does not give what was sent (${how}).`,
    next: `\`rein verify ${id}\` names what is wrong.`,
  },
})
