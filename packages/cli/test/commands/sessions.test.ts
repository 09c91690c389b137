import assert from 'node:assert/strict'
import { appendFileSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { FailureError } from '@rein/session'
import { Desk } from './desk.ts'

const desk = new Desk()
const id = 's-13-1'
before(async () => {
  await desk.demo(13)
})
after(() => desk[Symbol.dispose]())

describe('rein sessions', () => {
  test('names id, directory, outcome and the first prompt; the newest stands first', async () => {
    const { out: forked } = await desk.run(['fork', id])
    const { exit, out } = await desk.run(['sessions'])
    const [first = ''] = out.split('\n')
    assert.equal(exit, 0)
    assert.ok(first.startsWith(forked.trim()))
    const row = out.split('\n').find((line) => line.startsWith(`${id} `)) ?? ''
    assert.match(row, / completed .* KB {2}\S*rein-demo-13 .*The test of this project fails/)
  })

  test('a query is looked for in id, directory and prompt, in any case', async () => {
    const ids = async (query: string) => {
      const { out } = await desk.run(['sessions', query, '--json'])
      return out
        .split('\n')
        .filter(Boolean)
        .map((line): string => JSON.parse(line).id)
    }
    for (const query of [id, 'rein-DEMO-13', 'of this PROJECT fails']) assert.ok((await ids(query)).includes(id), query)
    assert.deepEqual(await ids('nothing has this'), [])
  })

  test('--cwd lists the sessions of that directory only', async () => {
    const scratch = `${desk.tmp}/rein-demo-13`
    assert.notEqual((await desk.run(['sessions', '--cwd', scratch], { cwd: scratch })).out, '')
    const here = await desk.run(['sessions', '--cwd', desk.project])
    assert.deepEqual([here.out, here.err], ['', 'No session matches.\n'])
  })

  test('a log that cannot be read is listed as broken', async () => {
    desk.write(id, 's-broken', await desk.events(id))
    renameSync(desk.log('s-broken'), `${desk.base}/away`)
    mkdirSync(`${desk.log(id).replace(id, 's-broken')}`)
    const { exit, out } = await desk.run(['sessions'])
    assert.equal(exit, 0)
    assert.match(out, /^s-broken .* broken /m)
    for (const argv of [
      ['show', 's-broken'],
      ['verify', 's-broken'],
      ['sessions', 'title', 's-broken', 'x'],
    ]) {
      const told = await desk.run(argv)
      assert.deepEqual([told.exit, /what stands there is not a file$/m.test(told.err)], [1, true], argv.join(' '))
    }
    assert.equal((await desk.run(['verify', '--all'])).exit, 6)
  })

  test('a file in the place of the home is no empty home', async () => {
    const home = `${desk.base}/file`
    writeFileSync(home, '')
    for (const argv of [['sessions'], ['sessions', 'trash']])
      await assert.rejects(
        desk.run(argv, { home }),
        (error) => error instanceof FailureError && error.failure.code === 'FILE_ERROR',
        argv.join(' '),
      )
  })

  test('the newest log of a session is the one that counts', async () => {
    const events = await desk.events(id)
    const titled = (title: string) => [...events, { type: 'session/title', data: { title, by: 'person' } } as const]
    desk.write(id, 's-epochs.10', titled('Newest'))
    desk.write(id, 's-epochs', titled('Oldest'))
    desk.write(id, 's-epochs.9', titled('Older'))
    const { out } = await desk.run(['sessions', 's-epochs', '--json'])
    assert.equal(JSON.parse(out).title, 'Newest')
  })

  test('what lies between the ends of a log is not read', async () => {
    const lines = readFileSync(desk.log(id), 'utf8').trimEnd().split('\n')
    const path = desk.log(id).replace(id, 's-long')
    writeFileSync(path, `${lines.slice(0, 10).join('\n')}\n`)
    appendFileSync(path, `${'not a line of a log\n'.repeat(10_000)}`)
    appendFileSync(path, `${lines.slice(-4).join('\n')}\n`)
    const { out } = await desk.run(['sessions', 's-long', '--json'])
    const { title, outcome } = JSON.parse(out)
    assert.deepEqual([title.slice(0, 8), outcome], ['The test', 'completed'])
  })
})
