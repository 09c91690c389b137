import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Said =
  | { readonly kind: 'listening'; readonly port: number }
  /** `at` on the clock of `performance.timeOrigin`; `cpuMs` of the watched process, null where the system does not tell. */
  | { readonly kind: 'arrived'; readonly at: number; readonly cpuMs: number | null }
  | { readonly kind: 'gaps'; readonly gaps: readonly number[] }

// Answers every request with text, or with a call of `read`, and measures the time between a reply and what follows.
const reads = process.argv[2] === 'read'
let number = 0
let gaps: number[] = []
let ended: number | undefined
let watched: number | undefined

const say = (said: Said) => process.send?.(said)
const data = (choice: object) => `data: ${JSON.stringify({ choices: [{ index: 0, ...choice }] })}\n\n`
const read = { name: 'read', arguments: '{"path":"note.txt"}' }

/** Everything a process has run on a CPU, in milliseconds, of all its threads that live. */
function cpuOf(pid: number): number | null {
  if (process.platform !== 'linux') return null
  const threads = readdirSync(`/proc/${pid}/task`)
  const nanoseconds = threads.map((id) =>
    Number.parseInt(readFileSync(`/proc/${pid}/task/${id}/schedstat`, 'utf8'), 10),
  )
  return nanoseconds.reduce((sum, each) => sum + each, 0) / 1e6
}

const server = createServer((request, response) => {
  if (ended !== undefined) gaps.push(performance.now() - ended)
  if (watched !== undefined) {
    say({ kind: 'arrived', at: performance.timeOrigin + performance.now(), cpuMs: cpuOf(watched) })
    watched = undefined
  }
  number++
  request.resume().on('end', () => {
    const call = { index: 0, id: `call-${process.pid}-${number}`, type: 'function', function: read }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(data({ delta: reads ? { tool_calls: [call] } : { content: 'hello' }, finish_reason: null }))
    response.end(`${data({ delta: {}, finish_reason: reads ? 'tool_calls' : 'stop' })}data: [DONE]\n\n`)
    ended = performance.now()
  })
})

process.on('message', (asked: { readonly watch?: number }) => {
  if (asked.watch !== undefined) watched = asked.watch
  else {
    say({ kind: 'gaps', gaps })
    gaps = []
    ended = undefined
  }
})
server.listen(0, '127.0.0.1', () => say({ kind: 'listening', port: (server.address() as AddressInfo).port }))
