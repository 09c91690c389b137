import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { EncodedRequest, Provider } from '../../src/model/provider.ts'
import { type ScriptEntry, scriptedProvider } from '../../src/model/scripted.ts'
import { product, say } from './kit.ts'

/** Keeps the bodies it was sent. */
function keeping(script: readonly ScriptEntry[]): { readonly provider: Provider; readonly bodies: string[] } {
  const inner = scriptedProvider({ script, name: 'demo' })
  const bodies: string[] = []
  const stream: Provider['stream'] = (request: EncodedRequest, signal) => {
    bodies.push(Buffer.concat(request.body).toString())
    return inner.stream(request, signal)
  }
  return { bodies, provider: { name: 'demo', dialect: inner.dialect, facts: (model) => inner.facts(model), stream } }
}

interface ChatBody {
  readonly messages: readonly { readonly role: string; readonly content: string }[]
  readonly tools: readonly { readonly function: { readonly name: string } }[]
}

async function firstBody(preset: 'standard' | 'minimal'): Promise<ChatBody> {
  const { provider, bodies } = keeping([{ text: 'ok' }])
  const on = await product(provider, { preset })
  const agent = await on.open()
  await say(agent, 'hi')
  await agent.close()
  await on.close()
  return JSON.parse(bodies[0] ?? '') as ChatBody
}

test('system text and tools of the standard preset are at most 3,000 tokens of four bytes', async () => {
  const { messages, tools } = await firstBody('standard')
  const bytes = Buffer.byteLength(messages[0]?.content ?? '') + Buffer.byteLength(JSON.stringify(tools))
  assert.ok(bytes / 4 <= 3_000, `${bytes / 4} tokens`)
  assert.deepEqual(
    tools.map((tool) => tool.function.name),
    ['read', 'glob', 'grep', 'todo', 'write', 'edit', 'bash'],
  )
})

test('two boots give the same system text and the same tools, byte for byte', async () => {
  const [one, two] = [await firstBody('standard'), await firstBody('standard')]
  assert.equal(one.messages[0]?.content, two.messages[0]?.content)
  assert.equal(JSON.stringify(one.tools), JSON.stringify(two.tools))
})

test('nothing in the minimal preset can change a file or start a process', async () => {
  const { tools } = await firstBody('minimal')
  assert.deepEqual(
    tools.map((tool) => tool.function.name),
    ['read', 'glob', 'grep', 'todo'],
  )
})

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    // A process that has ended and was not waited for is a zombie, not alive.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

test('a cancel kills the whole process tree of a command, and the model is told in the next turn', async () => {
  const command = 'sleep 300 & echo $! > pids; (sleep 301 & echo $! >> pids; wait) & echo ready; wait'
  const { provider, bodies } = keeping([{ calls: [{ name: 'bash', arguments: { command } }] }, { text: 'ok' }])
  const on = await product(provider)
  const agent = await on.open()
  const ready = Promise.withResolvers<void>()
  agent.listen({ progress: (_, text) => void (text.includes('ready') && ready.resolve()) })
  const said = say(agent, 'go')
  await ready.promise
  const pids = () => readFileSync(join(on.cwd, 'pids'), 'utf8').trim().split('\n').map(Number)
  while (pids().length < 2) await new Promise((resolve) => setTimeout(resolve, 5))
  assert.deepEqual(pids().map(isAlive), [true, true])
  await agent.cancel()
  await said
  assert.deepEqual(pids().map(isAlive), [false, false])
  await say(agent, 'what happened?')
  assert.match(bodies[1] ?? '', /cancelled; everything it started was killed/)
  const { id } = agent.session
  await agent.close()
  assert.equal((await on.verify(id)).answer, 'clean')
  await on.close()
})

test('a session that was closed is resumed with its system text, tools and model, and its front does not move', async () => {
  const { provider, bodies } = keeping([
    { calls: [{ name: 'read', arguments: { path: 'a.txt' } }] },
    { text: '1' },
    { text: '2' },
  ])
  const on = await product(provider)
  writeFileSync(join(on.cwd, 'a.txt'), 'hello\n')
  const agent = await on.open()
  await say(agent, 'go')
  const { id } = agent.session
  await agent.close()
  const again = await on.open({ kind: 'resume', id })
  await say(again, 'go on')
  const [, before = '', after = ''] = bodies
  const front = before.slice(0, before.lastIndexOf(']'))
  assert.ok(after.startsWith(front.slice(0, front.lastIndexOf('"tool_call_id"'))))
  await again.close()
  const { answer, problems } = await on.verify(id)
  assert.deepEqual([answer, problems], ['clean', []])
  await on.close()
})

test('a fork reads the outputs its parent kept whole, and nothing else of the parent', async () => {
  const script: ScriptEntry[] = [
    { calls: [{ name: 'bash', arguments: { command: 'seq 1 40000' } }] },
    { text: 'long' },
    (request) => {
      const [path = ''] = /\/[^ \]"\\]+\.spill\/[^ \]"\\]+/.exec(JSON.stringify(request.messages)) ?? []
      const other = path.replace(/\.spill\/.*/, '.jsonl')
      return { calls: [path, other].map((one) => ({ name: 'read', arguments: { path: one, limit: 1 } })) }
    },
    { text: 'read' },
  ]
  const on = await product(scriptedProvider({ script, name: 'demo' }))
  const parent = await on.open()
  await say(parent, 'count')
  await parent.close()
  const fork = await on.open({ kind: 'fork', id: parent.session.id }, 'workspace-write')
  await say(fork, 'read it')
  const results = fork.session.log.events.flatMap((e) => (e.type === 'tool/result' ? [e.data.outcome.kind] : []))
  assert.deepEqual(results, ['done', 'done', 'denied'])
  await fork.close()
  await on.close()
})
