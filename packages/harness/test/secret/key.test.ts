import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { FailureError } from '@rein/session'
import { secretKey } from '../../src/secret/key.ts'

function folder(t: { after(undo: () => void): void }): string {
  const path = mkdtempSync(join(tmpdir(), 'rein-key-'))
  t.after(() => rmSync(path, { recursive: true }))
  return path
}

test('the key is made once, readable by its owner alone, and found again', (t) => {
  const home = join(folder(t), 'home')
  const first = secretKey(join(home, 'secret-key'))()
  assert.equal(first.length, 32)
  assert.deepEqual(Buffer.from(secretKey(join(home, 'secret-key'))()), Buffer.from(first))
  assert.equal(statSync(join(home, 'secret-key')).mode & 0o777, 0o600)
  assert.equal(statSync(home).mode & 0o777, 0o700)
  assert.deepEqual(readdirSync(home), ['secret-key'])
})

test('no key is made before it is needed', (t) => {
  const home = folder(t)
  secretKey(join(home, 'secret-key'))
  assert.deepEqual(readdirSync(home), [])
})

test('a key that another process made meanwhile is the one that is used', (t) => {
  const path = join(folder(t), 'secret-key')
  const other = 'ab'.repeat(32)
  const key = secretKey(path, (size) => {
    writeFileSync(path, other)
    return Buffer.alloc(size, 1)
  })
  assert.equal(Buffer.from(key()).toString('hex'), other)
})

test('a key file that is no key stops everything instead of being replaced', (t) => {
  const path = join(folder(t), 'secret-key')
  writeFileSync(path, 'torn')
  assert.throws(secretKey(path), (error) => error instanceof FailureError && error.failure.code === 'FILE_ERROR')
})
