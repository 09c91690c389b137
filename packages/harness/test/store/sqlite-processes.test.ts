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
import { textOf, value } from './scratch.ts'
import { SqliteScratch } from './sqlite-scratch.ts'

const run = promisify(execFile)
const freezeWriter = fileURLToPath(import.meta.resolve('./freeze-writer.ts'))
const limitedWriter = fileURLToPath(import.meta.resolve('./limited-writer.ts'))
const starter = fileURLToPath(import.meta.resolve('./sqlite-starter.ts'))

function scratchFor(t: TestContext): SqliteScratch {
  const scratch = new SqliteScratch()
  t.after(() => scratch.dispose())
  return scratch
}

/** What the writer said: the last line of each session it was told is safe, and the code it ended with. */
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

function writerIn(t: TestContext, scratch: SqliteScratch): ChildProcess {
  const args = [freezeWriter, scratch.home, 'sqlite']
  const writer = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  t.after(() => writer.kill('SIGKILL'))
  return writer
}

/** A writer that was frozen inside its transaction keeps the database for itself: it is let go on for a moment. */
async function takeOver(store: SessionStore, id: string, writer: ChildProcess): Promise<Lease> {
  const taking = store.acquire(id, { holder: processHolder(), silentMs: -1 })
  for (let pause = 1; await Promise.race([taking.then(() => false), setTimeout(60, true)]); pause++) {
    writer.kill('SIGCONT')
    await setTimeout(pause % 5)
    writer.kill('SIGSTOP')
  }
  return value(await taking)
}

test('sqlite: a writer frozen anywhere, overtaken and woken, loses no acknowledged line and adds none', async (t) => {
  const scratch = scratchFor(t)
  const writer = writerIn(t, scratch)
  const heard = new Heard(writer)
  const store = scratch.store()
  for (let round = 0; round < 10; round++) {
    const id = `ses_${round}`
    await heard.until(() => (heard.acknowledged.get(id) ?? 0) > 10 + round)
    writer.kill('SIGSTOP')
    await setTimeout(2)
    const lease = await takeOver(store, id, writer)
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

test('sqlite: the session of a killed process is taken at once, with all it was told is safe', async (t) => {
  const scratch = scratchFor(t)
  const writer = writerIn(t, scratch)
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
  await lease.release()
})

test('sqlite: where the file cannot grow, nothing that was acknowledged is lost and the refusal has a next step', async (t) => {
  const scratch = scratchFor(t)
  const command = `ulimit -f 400; exec "$0" "$1" "$2" sqlite`
  const { stdout } = await run('bash', ['-c', command, process.execPath, limitedWriter, scratch.home])
  const { acknowledged, codes, next } = JSON.parse(stdout)
  assert.deepEqual(codes, ['LOG_WRITE', 'LOG_WRITE'])
  assert.match(next, /disk/)
  const log = await textOf(value(await scratch.store().read('ses_full')))
  assert.equal(log.split('\n').length - 1, acknowledged)
  assert.ok(acknowledged > 10)
})

test('sqlite: processes that begin at once where no database is lose nothing', async (t) => {
  const scratch = scratchFor(t)
  const ids = Array.from({ length: 8 }, (_, number) => `ses_${number}`)
  await Promise.all(ids.map((id) => run(process.execPath, [starter, scratch.home, id])))
  const store = scratch.store()
  assert.equal((await store.list()).length, ids.length)
  for (const id of ids) {
    const lines = (await textOf(value(await store.read(id)))).trimEnd().split('\n')
    assert.deepEqual([lines.length, lines.at(-1)], [30, `{"seq":29,"of":"${id}"}`])
  }
})
