import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import test from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Lease } from '@rein/session'
import { processHolder } from '../../src/store/jsonl/holder.ts'
import type { MovableStore } from '../../src/store/movable.ts'
import { Scratch, textOf, value } from './scratch.ts'

const run = promisify(execFile)
const freezeWriter = fileURLToPath(import.meta.resolve('./freeze-writer.ts'))
const limitedWriter = fileURLToPath(import.meta.resolve('./limited-writer.ts'))
const poster = fileURLToPath(import.meta.resolve('./poster.ts'))

async function takeOver(store: MovableStore, id: string): Promise<Lease> {
  for (;;) {
    const result = await store.acquire(id, { holder: processHolder(), silentMs: 0 })
    if (result.ok) return result.value
    assert.equal(result.failure.code, 'SESSION_BUSY')
  }
}

/** What the writer said, by session: the lines it was told are safe, and the code it ended with. */
class Heard {
  readonly acknowledged = new Map<string, number>()
  readonly ended = new Map<string, string>()
  #wake: () => void = () => {}

  constructor(writer: ChildProcess) {
    if (!writer.stdout) throw new Error('no output to read')
    createInterface({ input: writer.stdout }).on('line', (line) => {
      const [id = '', said = ''] = line.split(' ')
      if (/^\d+$/.test(said)) this.acknowledged.set(id, Number(said))
      else this.ended.set(id, said)
      this.#wake()
    })
  }

  async until(condition: () => boolean): Promise<void> {
    while (!condition()) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }
}

test('a writer frozen anywhere, overtaken and woken, loses no acknowledged line and adds none', async (t) => {
  const scratch = new Scratch()
  const writer = spawn(process.execPath, [freezeWriter, scratch.home], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.after(async () => {
    writer.kill('SIGKILL')
    await once(writer, 'exit')
    scratch.dispose()
  })
  const heard = new Heard(writer)
  const store = scratch.store()
  for (let round = 0; round < 10; round++) {
    const id = `ses_${round}`
    await heard.until(() => (heard.acknowledged.get(id) ?? 0) > 20)
    writer.kill('SIGSTOP')
    await setTimeout(2)
    const lease = await takeOver(store, id)
    const lines = (await textOf(lease.bytes())).split('\n').length - 1
    await lease.append(lines, [`{"seq":${lines},"by":"taker"}`])
    writer.kill('SIGCONT')
    await heard.until(() => heard.ended.has(id))
    assert.equal(heard.ended.get(id), 'SESSION_TAKEN')
    const log = (await textOf(value(await store.read(id)))).split('\n')
    const safe = (heard.acknowledged.get(id) ?? 0) + 1
    assert.ok(safe <= lines, `${safe} lines were acknowledged, the taker found ${lines}`)
    assert.equal(log.length, lines + 2)
    assert.equal(log[safe - 1], `{"seq":${safe - 1},"by":"writer"}`)
    assert.equal(log[lines], `{"seq":${lines},"by":"taker"}`)
    await lease.release()
  }
})

test('the session of a killed process is taken at once and its log is appended to in place', async (t) => {
  const scratch = new Scratch()
  t.after(() => scratch.dispose())
  const writer = spawn(process.execPath, [freezeWriter, scratch.home], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const heard = new Heard(writer)
  await heard.until(() => (heard.acknowledged.get('ses_0') ?? 0) > 5)
  const store = scratch.store()
  const busy = await store.acquire('ses_0', { holder: processHolder() })
  assert.equal(busy.ok ? '' : busy.failure.code, 'SESSION_BUSY')
  writer.kill('SIGKILL')
  await once(writer, 'exit')
  const lease = value(await store.acquire('ses_0', { holder: processHolder() }))
  const lines = (await textOf(lease.bytes())).split('\n').length - 1
  assert.ok(lines > (heard.acknowledged.get('ses_0') ?? 0))
  await lease.append(lines, ['{"after":"kill"}'])
  assert.deepEqual(scratch.names(/^ses_0\..*(jsonl|\d)$/), ['ses_0.jsonl', 'ses_0.lock.2'])
  await lease.release()
})

test('items posted by several processes at once are each taken exactly once', async (t) => {
  const scratch = new Scratch()
  t.after(() => scratch.dispose())
  const store = scratch.store()
  const lease = value(await store.create('ses_posts', { cwd: '/posts', holder: processHolder() }))
  const posters = Promise.all(
    ['a', 'b', 'c'].map((name) => run(process.execPath, [poster, scratch.home, 'ses_posts', name, '8'])),
  )
  const taken: string[] = []
  const drain = async (): Promise<void> => {
    const ids = (await lease.posted()).map((item) => item.id)
    taken.push(...ids)
    await lease.settle(ids)
  }
  let over = false
  void posters.then(() => {
    over = true
  })
  while (!over) {
    await drain()
    await setTimeout(1)
  }
  await posters
  await drain()
  const expected = ['shared', 'a', 'b', 'c'].flatMap((name) => Array.from({ length: 8 }, (_, n) => `${name}-${n}`))
  assert.deepEqual([...taken].sort(), expected.sort())
  await lease.release()
})

test('when the disk refuses, the append fails with the cause, nothing half-written stays, and the lease is dead', async (t) => {
  if (process.platform === 'win32') return t.skip('needs a limit of file size')
  const scratch = new Scratch()
  t.after(() => scratch.dispose())
  // A file may grow to 8 KB: the last write gets through in part, then the system says no.
  const limited = `ulimit -f 8; exec "$0" "$@"`
  const { stdout } = await run('bash', ['-c', limited, process.execPath, limitedWriter, scratch.home])
  const told: { acknowledged: number; codes: string[]; next: string } = JSON.parse(stdout)
  assert.deepEqual(told.codes, ['LOG_WRITE', 'LOG_WRITE'])
  assert.notEqual(told.next, '')
  const log = await textOf(value(await scratch.store().read('ses_full')))
  assert.equal(log.split('\n').length - 1, told.acknowledged)
  assert.equal(log.at(-1), '\n')
  assert.ok(told.acknowledged > 5)
})
