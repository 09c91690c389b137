import assert from 'node:assert/strict'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { createSession, forkSession } from '@rein/session'
import { nodeHasher } from '../../src/store/hasher.ts'
import { fileBlobs } from '../../src/store/jsonl/blobs.ts'
import { holder, Scratch, value } from './scratch.ts'

function scratch(t: { after(undo: () => void): void }): Scratch {
  const made = new Scratch()
  t.after(() => made.dispose())
  return made
}

const picture = new TextEncoder().encode('a picture')
const inode = (path: string): number => statSync(path).ino

test('a fork has the pictures of its parent without a second copy of their bytes', async (t) => {
  const of = scratch(t)
  const store = of.store()
  let ids = 0
  const ports = { hasher: nodeHasher, now: () => 0, id: (prefix: string) => `${prefix}-${ids++}` }
  const options = { store, ports, holder: holder(1), rein: '0.1.0' }
  const parent = value(await createSession(options, '/work/a'))
  const blob = await store.blobs(parent.id).put(picture)
  const unused = await store.blobs(parent.id).put(new Uint8Array(1))
  const image = { type: 'image', blob, mime: 'image/png', bytes: picture.length } as const
  for (let time = 0; time < 2; time++)
    parent.log.append('user/message', { content: [image], source: { kind: 'person' } })
  await parent.close()
  const fork = value(await forkSession(options, { id: parent.id }))
  await fork.close()
  const [one, other, ...more] = of.paths(new RegExp(blob))
  assert.ok(one !== undefined && other !== undefined)
  assert.deepEqual([inode(one), more], [inode(other), []])
  assert.equal(await store.blobs(fork.id).get(unused), undefined)
  value(await store.trash(parent.id))
  assert.deepEqual(Buffer.from((await store.blobs(fork.id).get(blob)) ?? []), Buffer.from(picture))
})

for (const code of ['EXDEV', 'EPERM', 'EMLINK'])
  test(`where no hard link can be made (${code}) a blob that is taken over is copied`, async (t) => {
    const of = scratch(t)
    const locate = async (id: string) => join(of.sessions, id)
    const refuse = async () => {
      throw Object.assign(new Error(code), { code })
    }
    const name = await fileBlobs('a', { locate }).put(picture)
    const blobs = fileBlobs('b', { locate, hardLink: refuse })
    assert.equal(await blobs.link(name, 'a'), true)
    assert.deepEqual(Buffer.from((await blobs.get(name)) ?? []), Buffer.from(picture))
    assert.deepEqual(readdirSync(await locate('b')), [name])
    assert.notEqual(inode(join(await locate('b'), name)), inode(join(await locate('a'), name)))
  })

test('taking one blob over many times at once leaves it and nothing else', async (t) => {
  const of = scratch(t)
  const locate = async (id: string) => join(of.sessions, id)
  const name = await fileBlobs('a', { locate }).put(picture)
  const blobs = fileBlobs('b', { locate })
  await Promise.all(Array.from({ length: 8 }, () => blobs.link(name, 'a')))
  assert.deepEqual(readdirSync(await locate('b')), [name])
})
