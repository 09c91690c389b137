import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { place } from './fixture.ts'

const run = promisify(execFile)

test('without a file the YAML library is not loaded', async (t) => {
  const here = place(t)
  const load = new URL('../../src/config/load.ts', import.meta.url).href
  const options = { home: here.home, project: here.project, env: { REIN_MODEL: 'a/b' }, flags: [], cwd: '/', trust: [] }
  const script = `
    import { registerHooks } from 'node:module'
    registerHooks({ resolve(name, context, next) { if (name === 'yaml') console.log('loaded'); return next(name, context) } })
    const { loadSettings } = await import(${JSON.stringify(load)})
    const loaded = await loadSettings({ ...${JSON.stringify(options)}, ignoreProject: false, consent: 'require' })
    console.log(loaded.kind)`
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script])
  assert.equal(stdout, 'ready\n')
  here.write('home/rein.yaml', 'model: a/c')
  assert.equal((await run(process.execPath, ['--input-type=module', '-e', script])).stdout, 'loaded\nready\n')
})
