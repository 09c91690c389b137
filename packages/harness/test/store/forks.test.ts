import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { forkSession, isSound, MemoryStore, readLog, type Store, verify } from '@rein/session'
import { nodeHasher } from '../../src/store/hasher.ts'
import { homeStore } from '../../src/store/home.ts'
import { countingPorts, logBytes, value } from '../agent/kit.ts'

const golden = readFileSync(new URL('../../../session/test/golden/format-1.jsonl', import.meta.url), 'utf8')
const lines = golden.trimEnd().split('\n')
const picture = Uint8Array.of(1, 2, 3)
const holder = { host: 'test', pid: process.pid, started: '0' }

/** Before the first turn, inside and after turns, after rewinds and a compaction, and the end. */
const places = [0, 5, 9, 13, 30, 61, 100, 150, 200, lines.length - 1]

async function forkedEverywhere(store: Store): Promise<readonly string[]> {
  const parent = value(await store.create('s-parent', { cwd: '/w', holder }))
  await parent.publish(lines)
  const name = await store.blobs('s-parent').put(picture)
  // Held by a living process all the while: reading needs no lease.
  const forks: string[] = []
  for (const at of places) {
    const ports = { ...countingPorts(at * 1000), hasher: nodeHasher }
    const fork = value(await forkSession({ store, ports, holder, rein: '0' }, { id: 's-parent', at }))
    await fork.close()
    forks.push(fork.id)
  }
  assert.equal((await logBytes(store, 's-parent')).toString(), golden)
  await parent.release()
  value(await store.trash('s-parent'))
  for (const [index, id] of forks.entries()) {
    const bytes = (await logBytes(store, id)).toString()
    assert.ok(bytes.startsWith(lines.slice(0, (places[index] ?? 0) + 1).join('\n')))
    const blobs = new Map([[name, await store.blobs(id).get(name)]])
    const read = value(await readLog(value(await store.read(id)), { hasher: nodeHasher }))
    const found = verify(read, { hasher: nodeHasher, blob: (sha256) => blobs.get(sha256) })
    assert.ok(isSound(found.answer), `${store.name} @${places[index]}: ${found.answer} ${found.problems.join()}`)
  }
  return forks
}

const home = (): string => mkdtempSync(join(tmpdir(), 'rein-forks-'))

test('in memory a session is forked anywhere, and its forks outlive it', async () => {
  await forkedEverywhere(new MemoryStore({ hasher: nodeHasher, now: Date.now }))
})

for (const keep of ['jsonl', 'sqlite'] as const)
  test(`in a ${keep} store a session is forked anywhere while it is held, and its forks outlive it`, async () => {
    const folder = home()
    const store = homeStore({ home: folder, now: Date.now, keep })
    const forks = await forkedEverywhere(store)
    if (keep === 'jsonl') {
      const all = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      const copies = all
        .filter((path) => /blobs\/[0-9a-f]{64}$/.test(path))
        .map((path) => statSync(join(folder, path)).ino)
      assert.ok(copies.length > 1 && copies.length <= forks.length + 1)
      assert.equal(new Set(copies).size, 1, 'a picture is one file under every name')
    }
    rmSync(folder, { recursive: true, force: true })
  })
