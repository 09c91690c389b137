import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { Desk } from '../commands/desk.ts'

/** Before the first request, inside the parallel calls, after a test run, before and after the edit, inside the answer. */
const moments = [0, 15, 35, 49, 51, 72]
const killed = fileURLToPath(new URL('./killed.ts', import.meta.url))

test('a demo that was killed at any moment goes on, ends well, and every request of it is proved', async () => {
  await Promise.all(moments.map(killedAt))
})

async function killedAt(at: number): Promise<void> {
  using desk = new Desk()
  const env = { ...process.env, REIN_HOME: desk.home, TMPDIR: desk.tmp }
  const child = spawn(process.execPath, [killed, String(at)], { env, stdio: 'ignore' })
  const [, signal] = await once(child, 'exit')
  assert.equal(signal, 'SIGKILL', `event ${at}`)
  const [log = ''] = desk.paths(/\.jsonl$/)
  assert.doesNotMatch(readFileSync(log, 'utf8'), /"type":"turn\/end"/)
  const { exit, err } = await desk.run(['resume', 'last', '-p', 'Go on.', '--quiet'])
  assert.equal(exit, 0, `event ${at}: ${err}`)
  assert.match(readFileSync(log, 'utf8'), /The test passes now/)
  assert.match((await desk.run(['verify', 'last'])).out, /^clean/, `event ${at}`)
}
