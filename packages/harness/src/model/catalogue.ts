import type { Price } from './provider.ts'

/** What is known of a model from its maker's documentation. */
export interface CatalogueEntry {
  readonly contextWindow: number | null
  readonly maxOutput: number | null
  readonly price: Price | null
}

/** Cache writes cost what input costs where the maker charges nothing extra for them. */
const price = (input: number, cacheRead: number, output: number): Price => ({
  input,
  cacheRead,
  cacheWrite: input,
  output,
})

const gpt41 = { contextWindow: 1_047_576, maxOutput: 32_768 }

/**
 * Only figures their maker's pages gave, for the maker's own address; any other model is unknown, and what is unknown
 * is never guessed. Settings win over this table.
 * Source: developers.openai.com/api/docs/models, prices in US dollars per million tokens.
 */
const openai: { readonly [model: string]: CatalogueEntry } = {
  'gpt-4.1': { ...gpt41, price: price(2, 0.5, 8) },
  'gpt-4.1-mini': { ...gpt41, price: price(0.4, 0.1, 1.6) },
  'gpt-4.1-nano': { ...gpt41, price: price(0.1, 0.025, 0.4) },
  'gpt-5': { contextWindow: 400_000, maxOutput: 128_000, price: price(1.25, 0.125, 10) },
}

const unknown: CatalogueEntry = { contextWindow: null, maxOutput: null, price: null }

/** @param host of the base URL: the same model elsewhere has another price and maybe another window. */
export const catalogued = (host: string, model: string): CatalogueEntry => {
  const plain = model.replace(/-\d{4}-\d{2}-\d{2}$/, '')
  return host === 'api.openai.com' && Object.hasOwn(openai, plain) ? (openai[plain] ?? unknown) : unknown
}
