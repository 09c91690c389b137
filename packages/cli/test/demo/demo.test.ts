import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { fault, files, source } from '../../src/demo/project.ts'
import { Desk } from '../commands/desk.ts'

describe('rein demo', () => {
  test('shows the calls, the diff, the tokens, what it may do, and how to prove it', async () => {
    using desk = new Desk()
    const { exit, out, err } = await desk.run(['demo'])
    assert.equal(exit, 0)
    assert.match(out, /^The test passes now: 3 passed, 0 failed\.\n/)
    assert.match(err, /full access, without a sandbox.*scratch project of its own: \S+\/tmp\/rein-demo-/)
    assert.match(err, /• bash node test\.js\n {2}↳ bash exit code 1.*\n[\s\S]*2 passed, 1 failed\n/)
    assert.match(err, /\+ {2}return Math\.round\(sum \* \(1 - discount \/ 100\)\)\n/)
    assert.match(err, /• bash node test\.js\n {2}↳ bash exit code 0.*\n[\s\S]*3 passed, 0 failed\n/)
    assert.match(err, /^tokens [\d,]+ in/m)
    assert.match(err, /\nsession s-\w+\nrein verify last /)
    assert.match(err, /the scratch project named above .* may be deleted\n$/)
    assert.match((await desk.run(['verify', 'last'])).out, /^clean/)
  })

  test('repairs a real file', async () => {
    using desk = new Desk()
    await desk.run(['demo', '--seed', '3', '--quiet'])
    assert.ok(files[source]?.includes(fault))
    assert.ok(!readFileSync(join(desk.tmp, 'rein-demo-3', source), 'utf8').includes(fault))
  })

  test('two runs with one seed write the same bytes, and the earlier session goes to the trash', async () => {
    using desk = new Desk()
    const log = async (home: string) => {
      const { exit, err } = await desk.run(['demo', '--seed', '4'], { home })
      assert.equal(exit, 0)
      const [workspace = ''] = readdirSync(join(home, 'sessions'))
      return { bytes: readFileSync(join(home, 'sessions', workspace, 's-4-1.jsonl'), 'utf8'), err }
    }
    const first = await log(desk.home)
    const again = await log(desk.home)
    const other = await log(join(desk.base, 'other-home'))
    assert.equal(again.bytes, first.bytes)
    assert.equal(other.bytes, first.bytes)
    assert.match(again.err, /s-4-1 of an earlier run with this seed was put in the trash/)
    assert.doesNotMatch(first.err, /trash/)
  })

  test('a folder of that name that is no scratch project is left alone', async () => {
    using desk = new Desk()
    const folder = join(desk.tmp, 'rein-demo-5')
    mkdirSync(folder)
    writeFileSync(join(folder, 'thesis.txt'), 'years of work')
    const { exit, err } = await desk.run(['demo', '--seed', '5'])
    assert.equal(exit, 1)
    assert.match(err, /is no scratch project/)
    assert.deepEqual(readdirSync(folder), ['thesis.txt'])
  })

  test('--json writes the events as they stand in the log, and a result line', async () => {
    using desk = new Desk()
    const { out } = await desk.run(['demo', '--seed', '6', '--json', '--quiet'])
    const lines = out.trimEnd().split('\n')
    assert.equal(`${lines.slice(0, -1).join('\n')}\n`, readFileSync(desk.log('s-6-1'), 'utf8'))
    const result = JSON.parse(lines.at(-1) ?? '')
    assert.deepEqual([result.type, result.session, result.exit], ['result', 's-6-1', 0])
  })

  test('a session of it goes on with the scripted model', async () => {
    using desk = new Desk()
    await desk.run(['demo', '--seed', '8', '--quiet'])
    const { exit, out } = await desk.run(['resume', 'last', '-p', 'And now?', '--quiet'])
    assert.deepEqual([exit, out], [0, 'I am a scripted model: fixing this one test is all I can do.\n'])
  })
})
