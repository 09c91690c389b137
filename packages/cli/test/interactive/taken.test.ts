import assert from 'node:assert/strict'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Place, Program } from '../program.ts'

test('a session that was taken over while it was idle is left with a sentence and 1, not with a stack trace', async () => {
  using place = new Place()
  const endpoint = ['--base-url', 'http://127.0.0.1:9/v1', '--model', 'made']
  using program = new Program(place, endpoint, { input: 'open' })
  await program.until(({ stdout, stderr }) => /made/.test(stdout + stderr))
  const root = join(place.home, 'sessions')
  const lock = readdirSync(root, { recursive: true, encoding: 'utf8' }).find((path) => path.endsWith('.lock.1')) ?? ''
  writeFileSync(join(root, lock.replace(/1$/, '2')), '')
  program.child.stdin.end('/quit\n')
  const { code, stderr } = await program.ended
  assert.equal(code, 1)
  assert.match(stderr, /^rein: session s-\w+ was taken over by another process$/m)
  assert.doesNotMatch(stderr, /\n\s+at |Error/)
})
