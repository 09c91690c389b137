import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PermissionMode } from '@rein/session'
import { ApprovalQueue, neverApproves } from '../../src/ask/approval.ts'
import { permissionApproval, permissionCheck, permissionGuard } from '../../src/ask/guard.ts'
import { pathRules, type ResolvePath } from '../../src/ask/paths.ts'
import type { Access } from '../../src/tools/definition.ts'
import type { CheckedCall } from '../../src/tools/ports.ts'

const resolve: ResolvePath = async (path) => ({ ok: true, value: path })
const paths = await pathRules({
  workspaces: ['/w'],
  temp: ['/t'],
  home: '/home/me/.rein',
  userHome: '/home/me',
  readable: [],
  resolve,
})

const call = (accesses: readonly Access[], mode: PermissionMode = 'workspace-write'): CheckedCall => ({
  call: { id: 'c1', name: 'bash', arguments: '{}', turn: 1, step: 1 },
  args: {},
  effects: 'some',
  accesses,
  mode,
  session: { id: 's', cwd: '/w', spillFolders: ['/w/spill'], state: (fold) => fold.initial },
  title: '',
})

const command = (text: string): Access => ({ kind: 'command', command: text, cwd: '/w' })
const write = (path: string): Access => ({ kind: 'write', path })

const withPerson = (person: boolean, granted: (text: string) => boolean = () => false) =>
  permissionCheck({ paths, situation: () => ({ backend: 'none', person, granted }) })

test('a call that touches nothing guarded is allowed', async () => {
  assert.deepEqual(await withPerson(false)(call([])), { kind: 'allow' })
  assert.deepEqual(await withPerson(false)(call([write('/w/a'), { kind: 'read', path: '/etc/hosts' }])), {
    kind: 'allow',
  })
})

test('one denied access refuses the whole call, and nobody is asked about the rest', async () => {
  const check = withPerson(true)
  const both = call([command('make'), write('/etc/passwd')])
  assert.match((await permissionGuard(check)(both)) ?? '', /outside the workspace/)
  assert.equal(await permissionApproval(check, neverApproves).needed(both), undefined)
})

test('several questions about one call are one question', async () => {
  const verdict = await withPerson(true)(call([command('make'), command('rm -rf x')]))
  assert.equal(verdict.kind, 'ask')
  if (verdict.kind !== 'ask') return
  assert.match(verdict.what, /^Run make\?.*\nRun rm -rf x\? It deletes a whole folder\./)
  assert.ok(verdict.detail !== null && typeof verdict.detail === 'object' && 'all' in verdict.detail)
})

test('commands that grants cover are allowed together', async () => {
  const verdict = await withPerson(false, () => true)(call([command('make'), command('make test')]))
  assert.deepEqual(verdict, { kind: 'allow' })
})

test('the mode is the one of the call', async () => {
  const guard = permissionGuard(withPerson(false))
  assert.match((await guard(call([command('make')]))) ?? '', /no sandbox/)
  assert.equal(await guard(call([command('make')], 'full-access')), undefined)
  assert.match((await guard(call([write('/w/a')], 'read-only'))) ?? '', /read-only/)
})

test('the port asks what the check wants to be asked, and gives back the answer', async () => {
  const queue = new ApprovalQueue()
  const approval = permissionApproval(withPerson(true), queue)
  const asked = call([command('make')])
  const needed = await approval.needed(asked)
  assert.ok(needed)
  const answer = approval.ask({ ...needed, id: 'a1', call: asked }, new AbortController().signal)
  assert.deepEqual(
    queue.pending().map(({ id, call: of, what }) => [id, of, what]),
    [['a1', 'c1', needed.what]],
  )
  queue.answer('a1', { decision: 'allowed-once', by: 'screen' })
  assert.deepEqual(await answer, { decision: 'allowed-once', by: 'screen' })
})

test('the guard and the approval see one verdict, whatever changes between them', async () => {
  let person = true
  const check = permissionCheck({ paths, situation: () => ({ backend: 'none', person, granted: () => false }) })
  const asked = call([command('make')])
  assert.equal(await permissionGuard(check)(asked), undefined)
  person = false
  assert.ok(await permissionApproval(check, neverApproves).needed(asked))
})
