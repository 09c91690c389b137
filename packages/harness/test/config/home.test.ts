import assert from 'node:assert/strict'
import { mkdirSync, statSync, symlinkSync } from 'node:fs'
import { test } from 'node:test'
import { homePath, makeHome } from '../../src/config/home.ts'
import { distance, nearest } from '../../src/config/nearest.ts'
import { findProject } from '../../src/config/project.ts'
import { isWider, modes } from '../../src/sandbox/modes.ts'
import { place } from './fixture.ts'

test('the home is REIN_HOME, or .rein in the home of the user', () => {
  assert.equal(homePath({ REIN_HOME: '/x/y' }, '/home/me'), '/x/y')
  assert.equal(homePath({}, '/home/me'), '/home/me/.rein')
  assert.equal(homePath({ REIN_HOME: '' }, '/home/me'), '/home/me/.rein')
})

test('a home is made for its owner alone, and one that is there is left as it is', async (t) => {
  const { home, write } = place(t)
  assert.deepEqual(await makeHome(home), { ok: true, value: home })
  assert.equal(statSync(home).mode & 0o777, 0o700)
  assert.equal((await makeHome(home)).ok, true)
  assert.equal((await makeHome(write('file', ''))).ok, false)
})

test('the project is found from a folder inside its repository, and never above it', async (t) => {
  const { home, project, write } = place(t)
  mkdirSync(`${project}/sub/deep`, { recursive: true })
  assert.equal(await findProject(`${project}/sub/deep`, home), undefined)
  write('project/.rein/rein.yaml', '')
  assert.equal(await findProject(project, home), project)
  assert.equal(await findProject(`${project}/sub/deep`, home), undefined)
  mkdirSync(`${project}/.git`)
  assert.equal(await findProject(`${project}/sub/deep`, home), project)
  mkdirSync(`${project}/sub/.git`)
  assert.equal(await findProject(`${project}/sub/deep`, home), undefined)
})

test('the home is never taken for a project, through a link neither', async (t) => {
  const { home, project } = place(t)
  mkdirSync(home)
  symlinkSync(home, `${project}/.rein`)
  assert.equal(await findProject(project, home), undefined)
  assert.equal(await findProject(project, `${project}/.rein`), undefined)
})

test('a typing error is nearer than another word', () => {
  assert.equal(distance('permisions', 'permissions'), 1)
  assert.equal(distance('modle', 'model'), 1)
  assert.equal(distance('', 'abc'), 3)
  assert.equal(nearest('permisions', ['model', 'permissions']), 'permissions')
  assert.equal(nearest('BASEURL', ['baseUrl']), 'baseUrl')
  assert.equal(nearest('frobnicate', ['model', 'permissions']), undefined)
  assert.equal(nearest('x'.repeat(100_000), ['model']), undefined)
})

test('each mode is wider than those before it, and than no other', () => {
  for (const [a, mode] of modes.entries())
    for (const [b, other] of modes.entries()) assert.equal(isWider(mode, other), a > b)
})
