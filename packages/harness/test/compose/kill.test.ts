import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { unknownText } from '@rein/session'
import { scriptedProvider } from '../../src/model/scripted.ts'
import { product, say } from './kit.ts'

test('after kill -9 in the middle of a call its result says that the outcome is unknown, and the session goes on', async () => {
  const home = mkdtempSync(join(tmpdir(), 'rein-home-'))
  const child = spawn(process.execPath, [fileURLToPath(new URL('./hang.ts', import.meta.url)), home], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  const id = line.toString().trim()
  child.kill('SIGKILL')
  await once(child, 'close')
  let asked = ''
  const answer = scriptedProvider({
    name: 'demo',
    script: [
      (request) => {
        asked = JSON.stringify(request.messages)
        return { text: 'I will look first.' }
      },
    ],
  })
  const on = await product(answer, { home })
  const agent = await on.open({ kind: 'resume', id })
  await say(agent, 'go on')
  assert.ok(asked.includes(unknownText))
  const outcomes = agent.session.log.events.flatMap((e) => (e.type === 'turn/end' ? [e.data.outcome] : []))
  assert.deepEqual(outcomes, ['interrupted', 'completed'])
  await agent.close()
  const { answer: found, problems } = await on.verify(id)
  assert.deepEqual([found, problems], ['clean', []])
  await on.close()
})
