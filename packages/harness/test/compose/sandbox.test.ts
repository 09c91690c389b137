import assert from 'node:assert/strict'
import { test } from 'node:test'
import { plugin } from '@rein/kernel'
import type { PermissionMode } from '@rein/session'
import { SandboxPort } from '../../src/config/rows/shell.ts'
import { scriptedProvider } from '../../src/model/scripted.ts'
import type { Sandbox, SandboxPolicy } from '../../src/sandbox/launch.ts'
import { textOf } from '../agent/kit.ts'
import { product, say } from './kit.ts'

/** Says that it confines everything, and marks each process it was given. */
function markingSandbox() {
  const policies: SandboxPolicy[] = []
  const sandbox: Sandbox = {
    report: { backend: 'marking', level: 'full', missing: [] },
    wrap(spec, policy) {
      policies.push(policy)
      return { ...spec, env: { ...spec.env, CONFINED: 'yes' } }
    },
  }
  const row = plugin({ name: 'marking', needs: {}, setup: ({ provide }) => provide(SandboxPort, sandbox) })
  return { policies, row }
}

async function ran(mode: PermissionMode) {
  const { policies, row } = markingSandbox()
  const script = [{ calls: [{ name: 'bash', arguments: { command: 'echo $' + '{CONFINED-no}' } }] }, { text: 'ok' }]
  const on = await product(scriptedProvider({ name: 'demo', script }), { rows: [{ id: 'sandbox', plugin: row }] })
  const agent = await on.open({ kind: 'new' }, mode)
  await say(agent, 'go')
  const results = agent.session.log.events.flatMap((event) =>
    event.type === 'tool/result' ? [textOf(event.data.content)] : [],
  )
  const { cwd } = on
  await agent.close()
  await on.close()
  return { policies, results, cwd }
}

test('a sandbox that is provided confines the commands it is trusted with, by mode', async () => {
  const writing = await ran('workspace-write')
  assert.deepEqual(writing.results, ['yes'])
  assert.deepEqual(writing.policies, [{ write: [writing.cwd], read: 'everywhere', network: 'closed' }])
  const reading = await ran('read-only')
  assert.deepEqual(reading.results, ['yes'])
  assert.deepEqual(reading.policies, [{ write: [], read: 'everywhere', network: 'closed' }])
})

test('with full access no sandbox is asked', async () => {
  const { results, policies } = await ran('full-access')
  assert.deepEqual([results, policies], [['no'], []])
})
