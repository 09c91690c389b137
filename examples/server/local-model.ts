import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** One streamed reply: text, or one call of a tool. */
export type Said = { readonly text: string } | { readonly call: string; readonly arguments: object }

/** A chat-completions server on this machine that says these things in order, so that examples need no key. */
export async function localModel(script: readonly Said[]) {
  const requests: string[] = []
  const server = createServer(async (request, response) => {
    requests.push(await text(request))
    const said = script[requests.length - 1] ?? { text: 'I have nothing more to say.' }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const choice of choicesOf(said, requests.length))
      response.write(`data: ${JSON.stringify({ object: 'chat.completion.chunk', choices: [choice] })}\n\n`)
    response.end('data: [DONE]\n\n')
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    /** The bodies it was sent. */
    requests,
    close: () => void server.close().closeAllConnections(),
  }
}

function choicesOf(said: Said, number: number): object[] {
  if ('text' in said) {
    const pieces = said.text.split(/(?<= )/).map((content) => ({ index: 0, delta: { content }, finish_reason: null }))
    return [...pieces, { index: 0, delta: {}, finish_reason: 'stop' }]
  }
  const call = { name: said.call, arguments: JSON.stringify(said.arguments) }
  const delta = { tool_calls: [{ index: 0, id: `call_${number}`, type: 'function', function: call }] }
  return [
    { index: 0, delta, finish_reason: null },
    { index: 0, delta: {}, finish_reason: 'tool_calls' },
  ]
}
