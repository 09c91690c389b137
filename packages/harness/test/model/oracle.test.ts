import assert from 'node:assert/strict'
import { test } from 'node:test'
import OpenAI from 'openai'
import { openaiProvider } from '../../src/model/openai-provider.ts'
import { mockServer } from '../../src/testing/mock-server.ts'
import { assemble, calls, collect, encoded, fixture, text, userSays } from './support.ts'

interface Theirs {
  text: string
  readonly calls: { id: string; name: string; args: string }[]
  finish: string | undefined
  usage: OpenAI.CompletionUsage | undefined
}

/** A stream put together as its reference says: by index, usage from the last chunk that has it. */
const readWithClient = async (baseURL: string): Promise<Theirs> => {
  const client = new OpenAI({ apiKey: 'k', baseURL, maxRetries: 0 })
  const stream = await client.chat.completions.create({
    model: 'm',
    messages: [{ role: 'user', content: 'go' }],
    stream: true,
  })
  const theirs: Theirs = { text: '', calls: [], finish: undefined, usage: undefined }
  for await (const chunk of stream) {
    const choice = chunk.choices[0]
    theirs.text += choice?.delta.content ?? ''
    theirs.finish = choice?.finish_reason ?? theirs.finish
    theirs.usage = chunk.usage ?? theirs.usage
    for (const piece of choice?.delta.tool_calls ?? []) {
      theirs.calls[piece.index] ??= { id: '', name: '', args: '' }
      const call = theirs.calls[piece.index]
      if (call === undefined) continue
      call.id ||= piece.id ?? ''
      call.name ||= piece.function?.name ?? ''
      call.args += piece.function?.arguments ?? ''
    }
  }
  return theirs
}

// The client library of the dialect's maker, as a second reading of the same bytes.
for (const name of [
  'made-openai-text',
  'made-openai-parallel',
  'made-xai-usage',
  'chat-split-utf8',
  'chat-crlf',
  'chat-usage',
  'chat-empty-args',
  'chat-finish-stop-with-call',
  'chat-reasoning-call',
  'chat-dup-id-turn1',
]) {
  test(`${name} is read as the openai client reads it`, async () => {
    const bytes = fixture(name)
    const answer = { body: [bytes.subarray(0, 150), { afterMs: 2, bytes: bytes.subarray(150) }] }
    await using server = await mockServer({ script: [answer, answer] })
    const theirs = await readWithClient(server.baseUrl)
    const provider = openaiProvider({ name: 'p', baseUrl: server.baseUrl, key: { kind: 'none' } })
    const ours = assemble(await collect(provider, encoded(userSays('go'))))

    assert.equal(text(ours), theirs.text)
    assert.deepEqual(
      calls(ours),
      theirs.calls.map((call) => ({ id: call.id, name: call.name, args: JSON.parse(call.args || '{}') as unknown })),
    )
    assert.equal(ours.finish?.raw, theirs.finish)
    const { usage } = ours
    assert.equal(usage === null ? undefined : usage.input + usage.cacheRead, theirs.usage?.prompt_tokens)
    assert.equal(usage?.cacheRead || undefined, theirs.usage?.prompt_tokens_details?.cached_tokens)
    const total = usage === null ? undefined : usage.input + usage.cacheRead + usage.output
    assert.equal(total, theirs.usage?.total_tokens)
  })
}
