import type { Failure, FailureCode, Finish } from '@rein/session'

/** Words servers use for why they stopped, besides the documented five; compared in lower case. */
const reasons: { readonly [word: string]: Finish['reason'] } = {
  stop: 'stop',
  end: 'stop',
  eos: 'stop',
  eos_token: 'stop',
  end_turn: 'stop',
  stop_sequence: 'stop',
  done: 'stop',
  complete: 'stop',
  completed: 'stop',
  tool_calls: 'calls',
  tool_call: 'calls',
  tool_use: 'calls',
  function_call: 'calls',
  length: 'length',
  max_tokens: 'length',
  max_output_tokens: 'length',
  max_length: 'length',
  model_length: 'length',
  content_filter: 'filtered',
  safety: 'filtered',
  sensitive: 'filtered',
}

/**
 * Words that say the reply was not finished at all. Sources: DeepSeek (`insufficient_system_resource`), Zhipu
 * (`network_error`), OpenRouter (`error`), vLLM and SGLang (`abort`).
 */
const broken: { readonly [word: string]: FailureCode } = {
  insufficient_system_resource: 'OVERLOADED',
  network_error: 'SERVER_ERROR',
  error: 'SERVER_ERROR',
  abort: 'STREAM_TRUNCATED',
}

/** What the server's word for its stop means; a word nobody knows is kept and means `other`. */
export const finishOf = (raw: string): Finish => ({
  reason: Object.hasOwn(reasons, raw.toLowerCase()) ? (reasons[raw.toLowerCase()] ?? 'other') : 'other',
  raw,
})

/** The failure a finish word stands for, if it does. */
export const brokenOff = (raw: string): Failure | undefined => {
  const code = Object.hasOwn(broken, raw) ? broken[raw] : undefined
  if (code === undefined) return undefined
  return { code, message: `the server broke the reply off ("${raw}")`, next: 'Try again.' }
}
