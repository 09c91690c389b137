import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { inRoot } from '../scripts/root.ts'

const NODE_PACKAGE = `node_modules/node-${process.platform}-${process.arch}`

/** What the fake program says of itself; `wait` keeps it alive until a signal ends it. */
const PROGRAM = `
export async function main(args) {
  console.log(JSON.stringify({ args, version: process.version }))
  if (args[0] === 'wait') await new Promise((resolve) => setTimeout(resolve, 5_000))
  return Number(args[1] ?? 0)
}
`

interface Installed {
  readonly launcher: string
  /** The Node that lies beside rein as a package, absolute. */
  readonly bundled: string
  /** `--import` of a module that makes the starting Node, and only that one, say it is older. */
  readonly asOld: string
}

/** rein as npm installs it, with a small program in the place of the bundle. */
function installed(t: TestContext, have: { node?: string; program?: boolean } = {}): Installed {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'rein-launcher-')))
  t.after(() => rmSync(folder, { recursive: true }))
  const put = (path: string, text: string): string => {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
    return join(folder, path)
  }
  const launcher = put('node_modules/rein/bin/rein.js', '')
  copyFileSync(inRoot('packages/cli/bin/rein.js'), launcher)
  put('node_modules/rein/package.json', '{"type":"module"}')
  if (have.program !== false) put('node_modules/rein/dist/main.js', PROGRAM)
  const bundled = join(folder, NODE_PACKAGE, 'bin/node')
  if (have.node !== undefined) {
    put(join(NODE_PACKAGE, 'package.json'), JSON.stringify({ version: have.node }))
    mkdirSync(dirname(bundled))
    symlinkSync(process.execPath, bundled)
  }
  const old = `if (process.argv0 !== ${JSON.stringify(bundled)}) Object.defineProperty(process, 'version', { value: 'v20.9.0' })`
  return { launcher, bundled, asOld: `--import=${pathToFileURL(put('old.mjs', old)).href}` }
}

function start(...args: string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, args, { encoding: 'utf8', input: '' })
}

describe('the launcher', () => {
  test('runs the program with its arguments and ends with its exit code', (t) => {
    const { launcher } = installed(t)
    const { status, stdout } = start(launcher, 'a b', '4')
    assert.deepEqual(JSON.parse(stdout).args, ['a b', '4'])
    assert.equal(status, 4)
  })

  test('runs on the Node installed beside it when the one that started it is too old', (t) => {
    const { launcher, asOld } = installed(t, { node: '24.1.0' })
    const { status, stdout, stderr } = start(asOld, launcher, 'a b', '4')
    assert.equal(stderr, '')
    assert.deepEqual(JSON.parse(stdout), { args: ['a b', '4'], version: process.version })
    assert.equal(status, 4)
  })

  test('says which Node it needs, and exits 2, when there is none', (t) => {
    const { launcher, asOld } = installed(t)
    const { status, stdout, stderr } = start(asOld, launcher, '--version')
    assert.deepEqual({ status, stdout }, { status: 2, stdout: '' })
    assert.equal(stderr, 'rein needs Node ^22.19 || >=24; this is v20.9.0\n')
  })

  test('starts another Node once, and never a third, whatever that one says it is', (t) => {
    const { launcher, bundled } = installed(t, { node: '24.1.0' })
    const always = join(dirname(bundled), 'old.mjs')
    writeFileSync(always, "Object.defineProperty(process, 'version', { value: 'v20.9.0' })")
    const { status, stderr } = start(`--import=${pathToFileURL(always).href}`, launcher, '--version')
    assert.deepEqual({ status, stderr }, { status: 2, stderr: 'rein needs Node ^22.19 || >=24; this is v20.9.0\n' })
  })

  test('does not take a Node beside it that is too old as well', (t) => {
    const { launcher, asOld } = installed(t, { node: '22.18.0' })
    assert.equal(start(asOld, launcher).status, 2)
  })

  test('says that it is not built when there is no program', (t) => {
    const { launcher } = installed(t, { program: false })
    const { status, stderr } = start(launcher)
    assert.equal(status, 2)
    assert.match(stderr, /npm run build/)
  })

  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    test(`passes ${signal} on to the Node beside it, and ends by it too`, async (t) => {
      const { launcher, asOld } = installed(t, { node: '24.1.0' })
      const child = spawn(process.execPath, [asOld, launcher, 'wait'], { stdio: ['ignore', 'pipe', 'inherit'] })
      await new Promise((resolve) => child.stdout.once('data', resolve))
      child.kill(signal)
      const end = await new Promise((resolve) => child.on('exit', (_code, by) => resolve(by)))
      assert.equal(end, signal)
    })
  }
})
