import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { providerRow, scriptedProvider } from '@rein/harness'
import { parseCommandLine } from '../src/args.ts'
import { headless } from '../src/headless.ts'
import { type Running, startAgent } from '../src/start.ts'
import { surroundings } from './in-process.ts'
import { Place, resultOf } from './program.ts'

/** A person at a terminal who types the next of these lines at every question. */
function terminal(typed: readonly string[]) {
  const waiting = [...typed]
  const stdin = Object.assign(new PassThrough(), { isTTY: true, fd: 0 }) as unknown as typeof process.stdin
  const asked = (text: string): void => {
    const line = waiting[0]
    if (!text.includes('[y/N') || line === undefined) return
    waiting.shift()
    ;(stdin as unknown as PassThrough).write(`${line}\n`)
  }
  return { stdin, asked }
}

/** A holder at which somebody could answer and nobody does, and a task given to it from another terminal. */
async function followed(place: Place, typed: readonly string[]) {
  const script = [{ calls: [{ name: 'bash', arguments: { command: 'touch made' } }] }, { text: 'Over.' }]
  const provider = scriptedProvider({ script, name: 'demo' })
  const rows = [{ id: 'provider:demo', plugin: providerRow(provider) }]
  const model = { provider: 'demo', model: 'scripted' }
  const holder = surroundings(place)
  const mode = 'workspace-write'
  const started = await startAgent(holder.cli, { preset: 'headless', rows, model, mode, person: true })
  if (!started.ok) throw new Error(started.failure.message)
  const { stdin, asked } = terminal(typed)
  const { cli, out, err } = surroundings(place)
  const tell = (text: string): void => {
    cli.err(text)
    asked(text)
  }
  const parsed = parseCommandLine([
    '-p',
    'make it',
    '--resume',
    started.value.agent.session.id,
    '--approve',
    'ask',
    '--json',
  ])
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problem))
  const code = await headless({ ...cli, stdin, err: tell }, parsed.args)
  return { running: started.value, code, stdout: out(), stderr: err() }
}

const decided = ({ agent }: Running) =>
  agent.session.log.events.flatMap((event) => (event.type === 'approval/decided' ? [event.data] : []))

test('a question of a session that is held elsewhere is answered from the terminal that follows it', async () => {
  using place = new Place()
  const { running, code, stdout, stderr } = await followed(place, ['y'])
  assert.match(stderr, /\[y\/N\/\?\]/)
  assert.partialDeepStrictEqual(decided(running), [{ decision: 'allowed-once', by: 'person' }])
  assert.ok(existsSync(join(place.cwd, 'made')))
  assert.deepEqual([code, resultOf({ stdout })['text']], [0, 'Over.'])
  await running.close()
})

test('a no from the terminal that follows is a no there, and its words reach the model', async () => {
  using place = new Place()
  const { running, code } = await followed(place, ['?', 'no, use mkdir'])
  assert.partialDeepStrictEqual(decided(running), [{ decision: 'denied', by: 'person', words: 'use mkdir' }])
  assert.ok(!existsSync(join(place.cwd, 'made')))
  assert.equal(code, 3)
  await running.close()
})
