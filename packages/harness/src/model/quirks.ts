import type { Quirks } from '@rein/session'

/** What an OpenAI-compatible server is taken to be when nothing else is known of it. */
export const defaultQuirks: Quirks = {
  systemRole: 'system',
  maxTokensField: 'max_tokens',
  // Goes back only to the server that sent it: those that send the field under this name read it.
  reasoningField: 'reasoning_content',
  emptyContent: 'null',
  usageInStream: true,
  parallelCalls: 'omit',
}

/** One row of the table: where all of the given patterns match, these switches hold. */
interface Row {
  /** Matches the host name of the base URL. */
  readonly host?: RegExp
  /** Matches the provider's name in the settings. */
  readonly provider?: RegExp
  readonly model?: RegExp
  readonly quirks: Partial<Quirks>
}

const openai = /(^|\.)(openai\.com|openai\.azure\.com)$/

/** Later rows win over earlier ones. */
const rows: readonly Row[] = [
  // `max_tokens` is deprecated there and refused by the reasoning models; reasoning text is never sent or taken.
  { host: openai, quirks: { maxTokensField: 'max_completion_tokens', reasoningField: 'none' } },
  // The reasoning models take instructions from `developer` messages.
  { host: openai, model: /^(o[1-9]|gpt-[5-9])/, quirks: { systemRole: 'developer' } },
  // Thinking with tools: `reasoning_content` must come back on the turns that called tools.
  { host: /(^|\.)deepseek\.com$/, quirks: { reasoningField: 'reasoning_content', maxTokensField: 'max_tokens' } },
  { provider: /^deepseek$/, quirks: { reasoningField: 'reasoning_content', maxTokensField: 'max_tokens' } },
  { host: /(^|\.)openrouter\.ai$/, quirks: { reasoningField: 'reasoning' } },
  { host: /(^|\.)groq\.com$/, quirks: { reasoningField: 'none', maxTokensField: 'max_completion_tokens' } },
  // Sends usage with the last chunk unasked and refuses fields it does not know.
  { host: /(^|\.)mistral\.ai$/, quirks: { usageInStream: false, reasoningField: 'none' } },
]

const fits = (pattern: RegExp | undefined, value: string): boolean => pattern === undefined || pattern.test(value)

/** The switches for one model behind one address. */
export const quirksFor = (place: {
  readonly provider: string
  readonly host: string
  readonly model: string
}): Quirks => {
  const matching = rows.filter(
    (row) => fits(row.host, place.host) && fits(row.provider, place.provider) && fits(row.model, place.model),
  )
  return Object.assign({}, defaultQuirks, ...matching.map((row) => row.quirks))
}
