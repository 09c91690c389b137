import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { Desk } from './desk.ts'

describe('rein config', () => {
  let desk: Desk
  beforeEach(() => {
    desk = new Desk()
  })
  afterEach(() => desk[Symbol.dispose]())

  const write = (text: string): void => writeFileSync(join(desk.home, 'rein.yaml'), text)

  test('names file and line of what is written, and the plugin rows nobody wrote', async () => {
    write('permissions:\n  mode: read-only\nplugins:\n  grep: { enabled: false }\n')
    const { exit, out } = await desk.run(['config'])
    assert.equal(exit, 0)
    assert.match(out, /^permissions\.mode: read-only {2}\(.*home\/rein\.yaml:2:\d+\)$/m)
    assert.match(out, /^plugins\.grep\.enabled: false {2}\(.*home\/rein\.yaml:4:\d+\)$/m)
    assert.match(out, /^plugins\.bash {2}\(built-in\)$/m)
    assert.doesNotMatch(out, /^plugins\.grep {2}\(built-in\)$/m)
  })

  test('--defaults leaves out what somebody wrote', async () => {
    write('permissions: { mode: read-only }\n')
    assert.match(
      (await desk.run(['config', '--defaults'])).out,
      /^permissions\.mode: workspace-write {2}\(built-in\)$/m,
    )
  })

  test('explain shows every layer, the one that counts marked', async () => {
    write('permissions: { mode: read-only }\n')
    const { out } = await desk.run(['config', 'explain', 'permissions.mode'])
    assert.match(out, /^→ permissions\.mode: read-only .*\n {2}permissions\.mode: workspace-write {2}\(built-in\)\n$/)
    assert.match((await desk.run(['config', 'explain', 'plugins.bash'])).out, /a built-in row/)
    assert.match((await desk.run(['config', 'explain', 'model'])).out, /nobody says/)
  })

  test('explain of a key or row there is not names the nearest, with exit 2', async () => {
    const explained = (key: string) => desk.run(['config', 'explain', key])
    const runs = await Promise.all(['permisions.mode', 'permissions.mod', 'plugins.bsh', 'nonsense'].map(explained))
    assert.deepEqual(
      runs.map(({ exit, out }) => [exit, out]),
      Array(4).fill([2, '']),
    )
    const [typo, inner, row] = runs.map(({ err }) => err)
    assert.match(typo ?? '', /permisions: unknown key; did you mean permissions\?/)
    assert.match(inner ?? '', /permissions\.mod: unknown key; did you mean mode\?/)
    assert.match(row ?? '', /plugins\.bsh: there is no such row; did you mean bash\?/)
  })

  test('a row that a preset leaves out may be turned off all the same', async () => {
    write('plugins: { bash: { enabled: false } }\n')
    const { err } = await desk.run(['-p', 'x', '--preset', 'minimal'])
    assert.match(err, /No model was chosen/)
  })

  test('a problem is named with its place, the rest is shown, and the exit is 2', async () => {
    write('permissions: { mod: read-only }\nbudgets: { steps: 7 }\n')
    const { exit, out, err } = await desk.run(['config'])
    assert.equal(exit, 2)
    assert.match(err, /rein\.yaml:1:\d+.*permissions\.mod/)
    assert.match(out, /^budgets\.steps: 7 /m)
  })

  test('what a project brings without consent is shown as withheld, with the hash that agrees', async () => {
    mkdirSync(join(desk.project, '.rein'))
    writeFileSync(join(desk.project, '.rein', 'rein.yaml'), 'permissions: { mode: full-access }\n')
    const { exit, out } = await desk.run(['config'])
    assert.equal(exit, 0)
    assert.match(out, /^permissions\.mode: workspace-write /m)
    const asked = await desk.run(['config', 'explain', 'permissions.mode'])
    assert.match(asked.out, /^→ permissions\.mode: workspace-write .*\n\n.*not in effect without your consent/)
    const [, hash = ''] = /--trust-project (\S+),/.exec(out) ?? []
    assert.match(out, /\.rein\/rein\.yaml:1: not in effect without your consent:\n {2}permissions\.mode: full-access/)
    assert.match((await desk.run(['config', '--trust-project', hash])).out, /^permissions\.mode: full-access /m)
    assert.doesNotMatch((await desk.run(['config', '--ignore-project'])).out, /consent/)
  })

  test('a word that is no verb is refused', async () => {
    assert.equal((await desk.run(['config', 'set'])).exit, 2)
    assert.equal((await desk.run(['config', 'explain'])).exit, 2)
  })
})
