import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import type { PermissionMode } from '@rein/session'
import { scriptedProvider } from '../../src/model/scripted.ts'
import { textOf } from '../agent/kit.ts'
import { product, say } from './kit.ts'

/** What searches of the person's home find, in a home with keys, sessions and something to be found. */
async function found(mode: PermissionMode): Promise<readonly string[]> {
  const home = mkdtempSync(join(tmpdir(), 'rein-home-'))
  const searches = [
    { name: 'grep', arguments: { pattern: 'needle', path: home, files_only: true } },
    { name: 'glob', arguments: { pattern: '**/*', path: home } },
  ]
  const on = await product(scriptedProvider({ name: 'demo', script: [{ calls: searches }, { text: 'ok' }] }), { home })
  mkdirSync(join(home, '.ssh'))
  mkdirSync(join(home, 'odd [1]', '.ssh'), { recursive: true })
  mkdirSync(join(home, 'elsewhere'))
  symlinkSync(join(home, 'elsewhere'), join(home, '.aws'))
  for (const path of ['.ssh/id', 'elsewhere/keys', 'odd [1]/.ssh/mine', 'notes', 'secret-key'])
    writeFileSync(join(home, path), 'a needle\n')
  const agent = await on.open({ kind: 'new' }, mode)
  await say(agent, 'go')
  const results = agent.session.log.events.flatMap((e) => (e.type === 'tool/result' ? [textOf(e.data.content)] : []))
  await agent.close()
  await on.close()
  return results.map((text) => text.replaceAll(`${home}/`, ''))
}

test('a search passes over what no tool reads, wherever it begins', async () => {
  const [grep, glob] = await found('workspace-write')
  assert.equal(grep, 'notes\nodd [1]/.ssh/mine')
  assert.equal(glob, 'notes\nodd [1]/.ssh/mine')
})

test('with full access a search passes over nothing', async () => {
  const [grep, glob] = await found('full-access')
  assert.match(grep ?? '', /^\.ssh\/id$/m)
  assert.match(glob ?? '', /^secret-key$/m)
})
