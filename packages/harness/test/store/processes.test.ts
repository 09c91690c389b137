import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import test, { type TestContext } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Lease } from '@rein/session'
import { processHolder } from '../../src/store/jsonl/holder.ts'
import type { SessionStore } from '../../src/store/session-store.ts'
import { Scratch, textOf, value } from './scratch.ts'
import { SqliteScratch } from './sqlite-scratch.ts'

const run = promisify(execFile)
const freezeWriter = fileURLToPath(import.meta.resolve('./freeze-writer.ts'))
const limitedWriter = fileURLToPath(import.meta.resolve('./limited-writer.ts'))
const poster = fileURLToPath(import.meta.resolve('./poster.ts'))
const starter = fileURLToPath(import.meta.resolve('./sqlite-starter.ts'))

type AnyScratch = Scratch | SqliteScratch

const made = <S extends AnyScratch>(t: TestContext, scratch: S): S => {
  t.after(() => scratch.dispose())
  return scratch
}

/** A process that writes session after session, and what it said: the last line of each it was told is safe, and its end. */
class Writer {
  readonly child: ChildProcess
  readonly acknowledged = new Map<string, number>()
  readonly ended = new Map<string, string>()
  #wake: () => void = () => {}

  constructor(t: TestContext, home: string, kind: string) {
    const child = spawn(process.execPath, [freezeWriter, home, kind], { stdio: ['ignore', 'pipe', 'inherit'] })
    this.child = child
    t.after(async () => {
      if (child.kill('SIGKILL')) await once(child, 'exit')
    })
    createInterface({ input: child.stdout }).on('line', (line) => {
      const [id = '', said = ''] = line.split(' ')
      if (/^\d+$/.test(said)) this.acknowledged.set(id, Number(said))
      else this.ended.set(id, said)
      this.#wake()
    })
  }

  safe(id: string): number {
    return this.acknowledged.get(id) ?? 0
  }

  async until(condition: () => boolean): Promise<void> {
    while (!condition()) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }
}

interface Kind {
  readonly scratch: () => AnyScratch
  /** Lines a session has before its writer is frozen. */
  readonly lines: (round: number) => number
  readonly takeOver: (store: SessionStore, id: string, writer: ChildProcess) => Promise<Lease>
  /** How far files may grow, in KB, and how many lines fit at the least. */
  readonly room: readonly [kilobytes: number, lines: number]
}

async function takeFiles(store: SessionStore, id: string): Promise<Lease> {
  for (;;) {
    const result = await store.acquire(id, { holder: processHolder(), silentMs: 0 })
    if (result.ok) return result.value
    assert.equal(result.failure.code, 'SESSION_BUSY')
  }
}

/** A writer that was frozen inside its transaction keeps the database for itself: it is let go on for a moment. */
async function takeRows(store: SessionStore, id: string, writer: ChildProcess): Promise<Lease> {
  const taking = store.acquire(id, { holder: processHolder(), silentMs: -1 })
  for (let pause = 1; await Promise.race([taking.then(() => false), setTimeout(60, true)]); pause++) {
    writer.kill('SIGCONT')
    await setTimeout(pause % 5)
    writer.kill('SIGSTOP')
  }
  return value(await taking)
}

const kinds: Readonly<Record<string, Kind>> = {
  // A file may grow to 8 KB: the last write gets through in part, then the system says no.
  jsonl: { scratch: () => new Scratch(), lines: () => 20, takeOver: takeFiles, room: [8, 5] },
  sqlite: { scratch: () => new SqliteScratch(), lines: (round) => 10 + round, takeOver: takeRows, room: [400, 10] },
}

const linesIn = async (lease: Lease): Promise<number> => (await textOf(lease.bytes())).split('\n').length - 1

for (const [kind, { scratch: make, lines: least, takeOver, room }] of Object.entries(kinds)) {
  test(`${kind}: a writer frozen anywhere, overtaken and woken, loses no acknowledged line and adds none`, async (t) => {
    const scratch = made(t, make())
    const writer = new Writer(t, scratch.home, kind)
    const store = scratch.store()
    for (let round = 0; round < 10; round++) {
      const id = `ses_${round}`
      await writer.until(() => writer.safe(id) > least(round))
      writer.child.kill('SIGSTOP')
      await setTimeout(2)
      const lease = await takeOver(store, id, writer.child)
      const lines = await linesIn(lease)
      await lease.append(lines, [`{"seq":${lines},"by":"taker"}`])
      writer.child.kill('SIGCONT')
      await writer.until(() => writer.ended.has(id))
      assert.equal(writer.ended.get(id), 'SESSION_TAKEN')
      const log = (await textOf(value(await store.read(id)))).split('\n')
      const safe = writer.safe(id) + 1
      assert.ok(safe <= lines, `${safe} lines were acknowledged, the taker found ${lines}`)
      assert.equal(log.length, lines + 2)
      assert.equal(log[safe - 1], `{"seq":${safe - 1},"by":"writer"}`)
      assert.equal(log[lines], `{"seq":${lines},"by":"taker"}`)
      await lease.release()
    }
  })

  test(`${kind}: the session of a killed process is taken at once and its log is appended to in place`, async (t) => {
    const scratch = made(t, make())
    const writer = new Writer(t, scratch.home, kind)
    await writer.until(() => writer.safe('ses_0') > 5)
    const store = scratch.store()
    const busy = await store.acquire('ses_0', { holder: processHolder() })
    assert.equal(busy.ok ? '' : busy.failure.code, 'SESSION_BUSY')
    writer.child.kill('SIGKILL')
    await once(writer.child, 'exit')
    const lease = value(await store.acquire('ses_0', { holder: processHolder() }))
    const lines = await linesIn(lease)
    assert.ok(lines > writer.safe('ses_0'))
    await lease.append(lines, ['{"after":"kill"}'])
    if (scratch instanceof Scratch)
      assert.deepEqual(scratch.names(/^ses_0\..*(jsonl|\d)$/), ['ses_0.jsonl', 'ses_0.lock.2'])
    await lease.release()
  })

  test(`${kind}: when the disk refuses, the append fails with the cause, nothing half-written stays, and the lease is dead`, async (t) => {
    if (process.platform === 'win32') return t.skip('needs a limit of file size')
    const scratch = made(t, make())
    const [kilobytes, fit] = room
    const command = `ulimit -f ${kilobytes}; exec "$0" "$@"`
    const { stdout } = await run('bash', ['-c', command, process.execPath, limitedWriter, scratch.home, kind])
    const told: { acknowledged: number; codes: string[]; next: string } = JSON.parse(stdout)
    assert.deepEqual(told.codes, ['LOG_WRITE', 'LOG_WRITE'])
    assert.match(told.next, /disk/)
    const log = await textOf(value(await scratch.store().read('ses_full')))
    assert.equal(log.split('\n').length - 1, told.acknowledged)
    assert.equal(log.at(-1), '\n')
    assert.ok(told.acknowledged > fit)
  })
}

test('items posted by several processes at once are each taken exactly once', async (t) => {
  const scratch = made(t, new Scratch())
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

test('processes that begin at once where no database is lose nothing', async (t) => {
  const scratch = made(t, new SqliteScratch())
  const ids = Array.from({ length: 4 }, (_, number) => `ses_${number}`)
  await Promise.all(ids.map((id) => run(process.execPath, [starter, scratch.home, id])))
  const store = scratch.store()
  assert.equal((await store.list()).length, ids.length)
  for (const id of ids) {
    const lines = (await textOf(value(await store.read(id)))).trimEnd().split('\n')
    assert.deepEqual([lines.length, lines.at(-1)], [30, `{"seq":29,"of":"${id}"}`])
  }
})
