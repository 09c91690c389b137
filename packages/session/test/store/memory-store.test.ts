import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import test from 'node:test'
import fc from 'fast-check'
import { textOf, value } from '../../src/contract/expect.ts'
import { storeContract } from '../../src/contract/store.ts'
import type { Hasher } from '../../src/hasher.ts'
import { MemoryStore } from '../../src/memory-store.ts'

const wrap = (hash: ReturnType<typeof createHash>): Hasher => ({
  update: (data) => wrap(hash.update(data)),
  copy: () => wrap(hash.copy()),
  digest: () => hash.digest('hex'),
})
const hasher = () => wrap(createHash('sha256'))
const holder = (number: number) => ({ host: `machine-${number}`, pid: 100 + number, started: '1' })

storeContract({
  test,
  make: async () => {
    let time = 1_764_500_000_000
    const store = new MemoryStore({ hasher, now: () => time++ })
    return {
      store,
      other: store.another(),
      holder,
      silence: async () => {
        time += 60_000
      },
      cutLog: async (id, bytes) => {
        const text = new TextEncoder().encode(await textOf(value(await store.read(id))))
        store.load(id, text.slice(0, -bytes))
      },
      tamperBlob: async (id, blob) => store.harm(id, { blob }),
      breakLog: async (id) => store.harm(id, 'session'),
      dispose: async () => {},
    }
  },
})

const lines = ['{"seq":0}', '{"seq":1,"é":true}', '{"seq":2}']
const whole = new TextEncoder().encode(lines.map((line) => `${line}\n`).join(''))

test('a memory store that stops at a byte keeps exactly the bytes before it, and refuses every later write', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat({ max: whole.length }), async (at) => {
      const store = new MemoryStore({ hasher, now: () => 0, failAfterBytes: at })
      const lease = value(await store.create('s', { cwd: '/', holder: holder(1) }))
      let acknowledged = 0
      for (const [seq, line] of lines.entries()) {
        const written = await lease.append(seq, [line]).then(
          () => true,
          () => false,
        )
        if (written) acknowledged++
      }
      const survivor = store.survivor()
      const text = await textOf(value(await survivor.read('s')))
      assert.equal(Buffer.byteLength(text.replace(/�/g, '')) <= at, true)
      assert.equal(text.split('\n').length - 1, acknowledged)
      assert.equal((await store.post('s', { kind: 'cancel', id: 'c' })).ok, at === whole.length)
      const next = value(await survivor.acquire('s', { holder: holder(2) }))
      await next.publish(lines)
      assert.equal(await textOf(value(await survivor.read('s'))), new TextDecoder().decode(whole))
    }),
    { numRuns: 60 },
  )
})

test('what was written and not synced survives a crash and not the loss of power', async () => {
  const store = new MemoryStore({ hasher, now: () => 0 })
  const lease = value(await store.create('s', { cwd: '/', holder: holder(1) }))
  await lease.append(0, ['{"seq":0}'])
  await lease.sync()
  await lease.append(1, ['{"seq":1}'])
  assert.equal(await textOf(value(await store.survivor('crash').read('s'))), '{"seq":0}\n{"seq":1}\n')
  assert.equal(await textOf(value(await store.survivor('power-loss').read('s'))), '{"seq":0}\n')
})

test('a publish that does not fit before the crash changes nothing', async () => {
  const store = new MemoryStore({ hasher, now: () => 0, failAfterBytes: 15 })
  const lease = value(await store.create('s', { cwd: '/', holder: holder(1) }))
  await lease.append(0, ['{"seq":0}'])
  await assert.rejects(lease.publish(['{"seq":0,"mended":1}']))
  assert.equal(await textOf(value(await store.survivor().read('s'))), '{"seq":0}\n')
})
