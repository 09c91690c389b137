import type { Usage } from '@rein/session'
import { countOf, type JsonObject, objectOf } from './json.ts'

const firstCount = (...values: readonly unknown[]): number => {
  for (const value of values) {
    const count = countOf(value)
    if (count !== undefined) return count
  }
  return 0
}

/**
 * Usage of chat completions as four disjoint buckets. `prompt_tokens` includes what was read from a cache.
 * Sources: OpenAI (`prompt_tokens_details.cached_tokens`), DeepSeek (`prompt_cache_hit_tokens`), Moonshot
 * (`cached_tokens`), OpenRouter (`prompt_tokens_details.cache_write_tokens`), xAI (reasoning outside of
 * `completion_tokens`: then only the three together give `total_tokens`).
 * @returns undefined when it holds no counts.
 */
export const usageOf = (value: unknown): Usage | undefined => {
  const usage = objectOf(value)
  const prompt = countOf(usage?.['prompt_tokens'])
  if (usage === undefined || prompt === undefined) return undefined
  const details: JsonObject = objectOf(usage['prompt_tokens_details']) ?? {}
  const read = firstCount(details['cached_tokens'], usage['prompt_cache_hit_tokens'], usage['cached_tokens'])
  const cacheRead = Math.min(read, prompt)
  const cacheWrite = Math.min(firstCount(details['cache_write_tokens']), prompt - cacheRead)
  const completion = firstCount(usage['completion_tokens'])
  const reasoning = countOf(objectOf(usage['completion_tokens_details'])?.['reasoning_tokens'])
  const apart = reasoning !== undefined && usage['total_tokens'] === prompt + completion + reasoning
  return {
    input: prompt - cacheRead - cacheWrite,
    cacheRead,
    cacheWrite,
    output: apart ? completion + reasoning : completion,
    ...(reasoning === undefined ? {} : { reasoning }),
  }
}

/** Where a chunk may carry usage: at the top (all), in the choice (Moonshot), or under `x_groq` (Groq). */
export const usageIn = (chunk: JsonObject, choice: JsonObject | undefined): Usage | undefined =>
  usageOf(chunk['usage']) ?? usageOf(choice?.['usage']) ?? usageOf(objectOf(chunk['x_groq'])?.['usage'])
