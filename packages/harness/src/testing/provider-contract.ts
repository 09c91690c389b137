import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Chunk } from '../model/chunk.ts'
import type { EncodedRequest, Provider } from '../model/provider.ts'

/** What the suite needs of a provider: the same one for each test, made anew. */
export interface ProviderUnderTest extends AsyncDisposable {
  readonly provider: Provider
  /** Answered with text in more than one chunk, usage and a finish. */
  readonly good: EncodedRequest
  /** Refused, such as a request with a blank message. */
  readonly refused: EncodedRequest
}

const all = async (provider: Provider, request: EncodedRequest, signal: AbortSignal) => {
  const chunks: Chunk[] = []
  for await (const chunk of provider.stream(request, signal)) chunks.push(chunk)
  return chunks
}

const never = () => new AbortController().signal

const isEnd = (chunk: Chunk): boolean => chunk.kind === 'finish' || chunk.kind === 'failed'

/**
 * What every provider keeps to, as `node:test` tests.
 * @param name of the provider, for the titles.
 * @param make a provider that has not been asked anything yet.
 */
export const providerContract = (name: string, make: () => Promise<ProviderUnderTest>): void => {
  wholeReplies(name, make)
  earlyEnds(name, make)
}

const wholeReplies = (name: string, make: () => Promise<ProviderUnderTest>): void => {
  test(`${name}: usage comes before the finish, and the finish is the last chunk`, async () => {
    await using one = await make()
    const kinds = (await all(one.provider, one.good, never())).map((chunk) => chunk.kind)
    assert.equal(kinds.at(-1), 'finish')
    assert.ok(kinds.includes('usage'))
    assert.ok(kinds.includes('text'))
  })

  test(`${name}: no block is written to after its close, and none changes its kind`, async () => {
    await using one = await make()
    const kinds = new Map<number, string>()
    for (const chunk of await all(one.provider, one.good, never())) {
      if (!('block' in chunk)) continue
      const kind = chunk.kind === 'arguments' ? 'call' : chunk.kind
      if (kind !== 'close') assert.equal(kinds.get(chunk.block) ?? kind, kind)
      kinds.set(chunk.block, kind)
    }
    assert.ok(kinds.size > 0)
    assert.ok([...kinds.values()].every((kind) => kind === 'close'))
  })

  test(`${name}: any model name has facts`, async () => {
    await using one = await make()
    for (const model of ['', 'nobody/knows', '__proto__', 'x'.repeat(1_000)]) {
      assert.equal(one.provider.facts(model).model, model)
    }
  })
}

const earlyEnds = (name: string, make: () => Promise<ProviderUnderTest>): void => {
  test(`${name}: a refused request is one failed chunk at the end, never a throw`, async () => {
    await using one = await make()
    const chunks = await all(one.provider, one.refused, never())
    assert.equal(chunks.at(-1)?.kind, 'failed')
    assert.equal(chunks.filter(isEnd).length, 1)
  })

  test(`${name}: an abort before or in the middle just ends the chunks`, async () => {
    await using one = await make()
    assert.deepEqual((await all(one.provider, one.good, AbortSignal.abort())).filter(isEnd), [])
    const stop = new AbortController()
    const chunks: Chunk[] = []
    for await (const chunk of one.provider.stream(one.good, stop.signal)) {
      chunks.push(chunk)
      if (chunk.kind === 'text') stop.abort()
    }
    assert.deepEqual(chunks.filter(isEnd), [])
  })

  test(`${name}: a reader may leave at any chunk`, async () => {
    await using one = await make()
    for await (const chunk of one.provider.stream(one.good, never())) {
      assert.equal(chunk.kind, 'moment')
      break
    }
  })
}
