import assert from 'node:assert/strict'
import { Writable } from 'node:stream'
import { test } from 'node:test'
import { ReaderGone, writer } from '../src/writer.ts'

/** Refuses every write with this code of the system. */
const refusing = (code: string): Writable =>
  new Writable({ write: (_chunk, _encoding, done) => done(Object.assign(new Error(`${code}: made`), { code })) })

test('an answer that a full disk cannot take is told once, and a reader that left is not told at all', async () => {
  const told: string[] = []
  for (const code of ['ENOSPC', 'EPIPE']) {
    const write = writer(refusing(code), (text) => void told.push(text))
    await assert.rejects(write('the answer'), ReaderGone)
    await assert.rejects(write('more'), ReaderGone)
  }
  assert.deepEqual(told, ['rein: the output could not be written: ENOSPC: made\n'])
})
