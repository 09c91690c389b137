import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import type { Pack } from '../../src/store/movable.ts'
import { sqliteStore } from '../../src/store/sqlite/store.ts'
import { bytesOf, holder, value } from './scratch.ts'
import { SqliteScratch } from './sqlite-scratch.ts'

async function* nothing(): AsyncGenerator<never> {}

/** A session that comes from elsewhere with this log, handed out in blocks of `block` bytes. */
function packOf(bytes: Uint8Array, block: number): Pack {
  return {
    id: 'ses_bytes',
    cwd: '/work',
    epoch: 7,
    changed: 1000,
    async *log() {
      for (let at = 0; at < bytes.length; at += block) yield bytes.subarray(at, at + block)
    },
    blobs: nothing,
    asides: nothing,
    spilled: nothing,
    posted: async () => [],
    renew: async () => {},
    putAway: async () => {},
    late: async () => [],
    release: async () => {},
  }
}

/** Whatever bytes: line ends, NULs and halves of characters among them more often than chance has it. */
const logs = fc
  .array(fc.oneof(fc.constantFrom(10, 10, 0, 13, 0xff, 0xf0, 0x22), fc.integer({ min: 0, max: 255 })), {
    maxLength: 60,
  })
  .map((bytes) => Uint8Array.from(bytes))

test('the bytes of a log stand in the database as they came, whatever they are, and so do its ends', async (t) => {
  const scratch = new SqliteScratch()
  t.after(() => scratch.dispose())
  const store = sqliteStore({ home: scratch.home, now: Date.now })
  await fc.assert(
    fc.asyncProperty(logs, fc.integer({ min: 1, max: 9 }), fc.nat({ max: 70 }), async (bytes, block, head) => {
      await value(await store.unpack(packOf(bytes, block), holder(1))).show()
      assert.deepEqual(await bytesOf(value(await store.read('ses_bytes'))), Buffer.from(bytes))
      const ends = value(await store.ends('ses_bytes', { head, tail: 9 }))
      const first = Buffer.from(bytes.subarray(0, head))
      assert.deepEqual(Buffer.from(ends.head), first)
      assert.deepEqual(Buffer.from(ends.tail), Buffer.from(bytes.subarray(Math.max(first.length, bytes.length - 9))))
      const lease = value(await store.acquire('ses_bytes', { holder: holder(1) }))
      assert.equal(lease.epoch, 8)
      await lease.release()
      value(await store.trash('ses_bytes'))
    }),
    { numRuns: 40 },
  )
})

test('a line longer than what is written at once arrives whole', async (t) => {
  const scratch = new SqliteScratch()
  t.after(() => scratch.dispose())
  const store = sqliteStore({ home: scratch.home, now: Date.now })
  const bytes = Buffer.from(`short\n${'é'.repeat(2_300_000)}\n${'x'.repeat(500)}\nno end`)
  await value(await store.unpack(packOf(bytes, bytes.length), holder(1))).show()
  assert.ok((await bytesOf(value(await store.read('ses_bytes')))).equals(bytes))
})
