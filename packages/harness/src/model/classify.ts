import type { Failure, FailureCode } from '@rein/session'
import { excerpt, pageTitle } from './excerpt.ts'
import { type JsonObject, listOf, objectOf, parseJson, textOf } from './json.ts'
import { retryAfter } from './retry-after.ts'

/** A failure the server reported; `retryable` is its own word on trying again (`x-should-retry`), when it gave one. */
export interface ServedFailure extends Failure {
  readonly retryable?: boolean
}

/**
 * Words that say more than the status they come with, from the error objects of OpenAI, Azure, DeepSeek, Alibaba and
 * servers that follow them; `code` and `type`, lower case.
 */
const precise: { readonly [word: string]: FailureCode } = {
  context_length_exceeded: 'CONTEXT_WINDOW_EXCEEDED',
  string_above_max_length: 'CONTEXT_WINDOW_EXCEEDED',
  exceed_context_size_error: 'CONTEXT_WINDOW_EXCEEDED',
  insufficient_quota: 'QUOTA',
  billing_hard_limit_reached: 'QUOTA',
  billing_not_active: 'QUOTA',
  insufficient_balance: 'QUOTA',
  invalid_api_key: 'AUTH',
  model_not_found: 'NO_SUCH_MODEL',
  content_filter: 'CONTENT_FILTERED',
  content_policy_violation: 'CONTENT_FILTERED',
  responsibleaipolicyviolation: 'CONTENT_FILTERED',
  data_inspection_failed: 'CONTENT_FILTERED',
}

/** Words that count only where there is no status: in the middle of a stream. */
const vague: { readonly [word: string]: FailureCode } = {
  authentication_error: 'AUTH',
  permission_error: 'AUTH',
  invalid_request_error: 'BAD_REQUEST',
  badrequesterror: 'BAD_REQUEST',
  not_found_error: 'NO_SUCH_MODEL',
  rate_limit_exceeded: 'RATE_LIMITED',
  rate_limit_error: 'RATE_LIMITED',
  overloaded_error: 'OVERLOADED',
  engine_overloaded: 'OVERLOADED',
  service_unavailable: 'OVERLOADED',
}

const lookUp = (table: { readonly [word: string]: FailureCode }, words: readonly string[]): FailureCode | undefined =>
  words.map((word) => (Object.hasOwn(table, word) ? table[word] : undefined)).find((code) => code !== undefined)

const byStatus: { readonly [status: number]: FailureCode } = {
  400: 'BAD_REQUEST',
  401: 'AUTH',
  402: 'QUOTA',
  403: 'AUTH',
  404: 'BAD_REQUEST',
  408: 'SERVER_ERROR',
  409: 'SERVER_ERROR',
  // Too large to be taken, in tokens or in bytes: sending the same again is useless, sending less is not.
  413: 'CONTEXT_WINDOW_EXCEEDED',
  422: 'BAD_REQUEST',
  425: 'SERVER_ERROR',
  429: 'RATE_LIMITED',
  503: 'OVERLOADED',
  529: 'OVERLOADED',
}

/** How servers without an error code say that the prompt is too long; looked at for 400 and 422 only. */
const tooLong =
  /context (length|window|size)|maximum (context|prompt|input)|(prompt|input|request)[^.]{0,40} too (long|large)|too many (input )?tokens|exceeds?[^.]{0,60} (context|token limit|max(imum)? tokens|available context)/i

const next: { readonly [code in FailureCode]?: string } = {
  AUTH: 'Check that the key is right and allowed to use this model.',
  QUOTA: 'Check the balance and the limits of the account.',
  RATE_LIMITED: 'Wait, or use another model or account.',
  OVERLOADED: 'Try again later, or use another model.',
  SERVER_ERROR: 'Try again later.',
  NO_SUCH_MODEL: 'Check the model name with the provider.',
  BAD_REQUEST: 'Check the model, its parameters and the base URL.',
  CONTEXT_WINDOW_EXCEEDED: 'Make the session shorter, or use a model with a larger window.',
  CONTENT_FILTERED: 'Change what was asked; the provider refuses this content.',
}

interface Said {
  readonly message: string
  /** `code` and `type` of the error object, lower case. */
  readonly words: readonly string[]
  /** An HTTP status given as the code. */
  readonly status: number | undefined
}

const detailOf = (value: unknown): string | undefined =>
  textOf(value) ?? textOf(objectOf(listOf(value)[0])?.['msg']) ?? textOf(objectOf(value)?.['message'])

/** What an error object says, in any of the shapes in use. */
const saidBy = (value: unknown): Said => {
  const found = objectOf(value) ?? objectOf(listOf(value)[0])
  const given = found?.['error']
  const outer: JsonObject = found ?? {}
  const inner: JsonObject = objectOf(given) ?? outer
  const nested: JsonObject = objectOf(inner['innererror']) ?? {}
  const words = [inner['code'], inner['type'], inner['status'], nested['code']].filter(
    (word) => typeof word === 'string',
  )
  const status = Number(inner['code'])
  return {
    message: textOf(inner['message']) ?? textOf(given) ?? textOf(value) ?? detailOf(outer['detail']) ?? '',
    words: words.map((word) => word.toLowerCase()),
    status: Number.isInteger(status) && status >= 400 && status < 600 ? status : undefined,
  }
}

const codeFor = (status: number | undefined, said: Said): FailureCode => {
  const named = lookUp(precise, said.words)
  // A full rate is a full rate, whatever words come with it; only an empty account is something else.
  if (status === 429) return named === 'QUOTA' ? 'QUOTA' : 'RATE_LIMITED'
  if (status === 413) return 'CONTEXT_WINDOW_EXCEEDED'
  if (named !== undefined) return named
  const worded = status === undefined || status === 400 || status === 422
  if (worded && tooLong.test(said.message)) return 'CONTEXT_WINDOW_EXCEEDED'
  if (status === undefined) return lookUp(vague, said.words) ?? 'SERVER_ERROR'
  if (status === 404 && /model/i.test(said.message)) return 'NO_SUCH_MODEL'
  return byStatus[status] ?? (status >= 500 ? 'SERVER_ERROR' : status >= 400 ? 'BAD_REQUEST' : 'BAD_RESPONSE')
}

const failureFor = (code: FailureCode, message: string): Failure => {
  const advice = next[code]
  return { code, message, ...(advice === undefined ? {} : { next: advice }) }
}

/** An error object in the middle of a stream, or in a body whose status says all is well. */
export const classifyError = (error: unknown): Failure => {
  const said = saidBy(error)
  const code = codeFor(said.status, said)
  const text = said.message === '' ? 'no reason given' : excerpt(said.message)
  return {
    ...failureFor(code, `the server reported an error: ${text}`),
    ...(said.status === undefined ? {} : { status: said.status }),
  }
}

/** The head and the beginning of the body of a reply that is not a success. */
export interface ErrorReply {
  readonly status: number
  /** Lower-case names. */
  readonly headers: { readonly [name: string]: string }
  readonly body: string
  /** Who answered, for the message. */
  readonly from: string
}

/**
 * A refusal as a failure. The table decides by status and error code; wording only where servers give nothing else.
 * @param now milliseconds since 1970, to read a Retry-After date.
 */
export const classify = (reply: ErrorReply, now: number): ServedFailure => {
  const { status, headers, body, from } = reply
  const said = saidBy(parseJson(body)?.value ?? {})
  const plain = body.trimStart().startsWith('<') ? pageTitle(body) : excerpt(body)
  const text = said.message === '' ? plain : excerpt(said.message)
  const wait = retryAfter(headers, now)
  const word = headers['x-should-retry']
  return {
    ...failureFor(codeFor(status, said), `${from} answered HTTP ${status}${text === '' ? '' : `: ${text}`}`),
    status,
    ...(wait === undefined ? {} : { retryAfterMs: wait }),
    ...(word === 'true' || word === 'false' ? { retryable: word === 'true' } : {}),
  }
}
