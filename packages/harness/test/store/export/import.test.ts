import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { appendFileSync, existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { inbox, permission, type Result, resumeSession, waitingIn } from '@rein/session'
import fc from 'fast-check'
import { type ZipOptions, type Zippable, zipSync } from 'fflate'
import { archiveLimits } from '../../../src/store/export/archive-reader.ts'
import { exportSession } from '../../../src/store/export/export-session.ts'
import { type Imported, importSession } from '../../../src/store/export/import-session.ts'
import { sharing } from '../../../src/store/export/sharing.ts'
import { bytesOf, done, eventsOf, holder, kept, options, ports, proved, Scratch, someHome } from './kept.ts'

const same = (text: string): string => text
const shared = (events: Parameters<typeof sharing>[1]) => sharing({ secrets: same, homes: [], hosts: [] }, events)

/** An exported session, and where it is to go. */
class Sent implements AsyncDisposable {
  readonly from = new Scratch()
  readonly to = new Scratch()
  id = ''
  readonly path = join(this.from.home, 'session.zip')

  async export(exact: boolean): Promise<Buffer> {
    const store = this.from.store()
    const session = await kept(store, 'some text')
    this.id = session.id
    await session.close()
    const exporting = { store, rein: '0.0.0', now: () => 1, sharing: exact ? undefined : shared }
    return bytesOf(done(await exportSession(this.id, exporting)).zip())
  }

  import(bytes: Uint8Array, as?: string): Promise<Result<Imported>> {
    writeFileSync(this.path, bytes)
    return importSession(this.path, { store: this.to.store(), ports, holder, ...(as !== undefined && { as }) })
  }

  /** Nothing was written: not even a folder. */
  untouched(): boolean {
    return !existsSync(this.to.sessions)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { home } of [this.from, this.to]) rmSync(home, { recursive: true, force: true })
  }
}

test('an exact export is the session, byte for byte: it verifies clean where it is imported, and resumes', async () => {
  await using sent = new Sent()
  const imported = done(await sent.import(await sent.export(true)))
  assert.deepEqual([imported.id, imported.missing, imported.dropped], [sent.id, 0, []])
  const store = sent.to.store()
  const [there, here] = [await proved(sent.from.store(), sent.id), await proved(store, sent.id)]
  assert.deepEqual([here.answer, here.head], ['clean', there.head])
  assert.equal(sent.to.names(/bash\.txt$/).length, 1)
  const resumed = done(await resumeSession(options(store), sent.id))
  await resumed.close()
  assert.equal((await proved(store, sent.id)).answer, 'clean')
})

test('a session that is there already is not touched, and under another id it is a fork', async () => {
  await using sent = new Sent()
  const zip = await sent.export(true)
  done(await sent.import(zip))
  const refused = await sent.import(zip)
  assert.ok(!refused.ok && refused.failure.code === 'SESSION_EXISTS' && refused.failure.next?.includes('--as'))
  assert.equal(done(await sent.import(zip, 'copy')).id, 'copy')
  const events = await eventsOf(sent.to.store(), 'copy')
  assert.ok(events.some((event) => event.type === 'session/fork' && event.data.parent === sent.id))
  assert.equal((await proved(sent.to.store(), 'copy')).answer, 'clean')
})

test('an id that no command could name is refused, and nothing is written', async () => {
  await using sent = new Sent()
  const zip = await sent.export(true)
  for (const id of ['last', '-p', '--all', '../x', '']) {
    const refused = await sent.import(zip, id)
    assert.ok(!refused.ok && refused.failure.code === 'USAGE', id)
  }
  assert.deepEqual(readdirSync(sent.to.home), [])
})

test('a log of more lines than events can be is refused before each of them costs memory', async () => {
  await using sent = new Sent()
  const refused = await sent.import(await forged(sent, { 'log.jsonl': Buffer.from('x\n'.repeat(150_000)) }))
  assert.ok(!refused.ok && /more lines than events/.test(refused.failure.message), JSON.stringify(refused))
  assert.ok(sent.untouched())
})

test('a damaged session is imported with its damage declared, and its damaged lines kept', async () => {
  await using sent = new Sent()
  await sent.export(true)
  appendFileSync(sent.from.path(/\.jsonl$/), 'no record\n')
  const exporting = { store: sent.from.store(), rein: '0.0.0', now: () => 1, sharing: undefined }
  const imported = done(await sent.import(await bytesOf(done(await exportSession(sent.id, exporting)).zip())))
  assert.equal(imported.damage, 1)
  assert.equal((await proved(sent.to.store(), sent.id)).answer, 'declared damage')
  assert.equal(sent.to.names(/^damaged-import$/).length, 1)
})

test('what was redacted is imported as such, and never verifies clean', async () => {
  await using sent = new Sent()
  done(await sent.import(await sent.export(false)))
  assert.equal((await proved(sent.to.store(), sent.id)).answer, 'redacted')
  assert.ok(!JSON.stringify(await eventsOf(sent.to.store(), sent.id)).includes(someHome))
})

test('waiting input, grants and full access do not travel', async () => {
  await using sent = new Sent()
  await sent.export(true)
  const resumed = done(await resumeSession(options(sent.from.store()), sent.id))
  const item = {
    id: 'i-1',
    delivery: 'followup',
    content: [{ type: 'text', text: 'rm -rf' }],
    source: { kind: 'person' },
  } as const
  resumed.log.append('inbox/spliced', { lane: 'next-turn', start: 0, remove: [], insert: [item], reason: 'posted' })
  resumed.log.append('permission/grant', { id: 'g-1', rule: 'bash', scope: 'session', by: 'person' })
  resumed.log.append('permission/mode', { mode: 'full-access', by: 'person' })
  await resumed.close()
  const exporting = { store: sent.from.store(), rein: '0.0.0', now: () => 1, sharing: undefined }
  const imported = done(await sent.import(await bytesOf(done(await exportSession(sent.id, exporting)).zip())))
  assert.equal(imported.dropped.length, 3)
  const taken = done(await resumeSession(options(sent.to.store()), sent.id))
  const { mode, grants } = taken.log.state(permission)
  assert.deepEqual([waitingIn(taken.log.state(inbox)), grants, mode], [[], [], 'workspace-write'])
  await taken.close()
  assert.equal((await proved(sent.to.store(), sent.id)).answer, 'clean')
})

type Files = Record<string, Uint8Array | [Uint8Array, ZipOptions]>
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

/** An archive whose manifest fits the files, except for what `lie` changes in it. */
async function forged(sent: Sent, files: Files, lie: (manifest: Record<string, unknown>) => object = same as never) {
  const { unzipSync } = await import('fflate')
  const { 'manifest.json': told = new Uint8Array(), ...own } = unzipSync(await sent.export(true))
  const manifest = JSON.parse(Buffer.from(told).toString()) as Record<string, unknown>
  const all: Files = { ...own, ...files }
  const listed = Object.entries(all).map(([name, given]) => {
    const bytes = Array.isArray(given) ? given[0] : given
    return { name, bytes: bytes.length, sha256: sha256(bytes) }
  })
  const text = JSON.stringify(lie({ ...manifest, files: listed }))
  return Buffer.from(zipSync({ ...all, 'manifest.json': Buffer.from(text) } as Zippable))
}

const some = Buffer.from('some bytes')
const link: [Uint8Array, ZipOptions] = [some, { os: 3, attrs: 0o120777 << 16 }]
const hostile: Readonly<Record<string, Files>> = {
  'a name that leads out': { '../evil': some },
  'an absolute name': { '/etc/evil': some },
  'a name of Windows': { 'spill\\..\\..\\evil': some },
  'a name that leads out of its folder': { 'spill/../../evil': some },
  'a hidden file': { 'spill/.evil': some },
  'a folder of its own': { 'inbox/i-1.json': some },
  'a lock': { 'lock.2': some },
  'a link': { 'spill/link': link },
  'a blob under another name': { [`blobs/${'0'.repeat(64)}`]: some },
  'a log that is none': { 'log.jsonl': some },
  'an empty log': { 'log.jsonl': new Uint8Array() },
}

for (const [what, files] of Object.entries(hostile)) {
  test(`${what} in an archive is refused, and nothing is written`, async () => {
    await using sent = new Sent()
    const refused = await sent.import(await forged(sent, files))
    assert.ok(!refused.ok && refused.failure.code === 'USAGE', JSON.stringify(refused))
    assert.ok(sent.untouched())
    assert.deepEqual(readdirSync(sent.to.home), [])
  })
}

const lies: Readonly<Record<string, (manifest: Record<string, unknown>) => object>> = {
  'another session': (manifest) => ({ ...manifest, session: 's-other' }),
  'another head': (manifest) => ({ ...manifest, head: '0'.repeat(64) }),
  'a redaction that was none': (manifest) => ({ ...manifest, exact: false }),
  'another size': (manifest) => ({
    ...manifest,
    files: (manifest['files'] as object[]).map((file) => ({ ...file, bytes: 1 })),
  }),
  'another hash': (manifest) => ({
    ...manifest,
    files: (manifest['files'] as object[]).map((file) => ({ ...file, sha256: '0'.repeat(64) })),
  }),
  'a missing file': (manifest) => ({
    ...manifest,
    files: [...(manifest['files'] as object[]), { name: 'spill/x', bytes: 1, sha256: sha256(some) }],
  }),
  'a file too few': (manifest) => ({ ...manifest, files: (manifest['files'] as object[]).slice(0, 1) }),
  'no format': ({ format: _, ...manifest }) => manifest,
}

for (const [what, lie] of Object.entries(lies)) {
  test(`a manifest that tells of ${what} is refused, and nothing is written`, async () => {
    await using sent = new Sent()
    const refused = await sent.import(await forged(sent, {}, lie))
    assert.ok(!refused.ok && refused.failure.code === 'USAGE', JSON.stringify(refused))
    assert.ok(sent.untouched())
  })
}

test('an archive that unpacks to too much is refused before it is unpacked, whatever its sizes say', async () => {
  await using sent = new Sent()
  const bomb = await forged(sent, { 'spill/bomb': new Uint8Array(8 << 20) })
  writeFileSync(sent.path, bomb)
  const importing = { store: sent.to.store(), ports, holder }
  for (const limits of [{ total: 1 << 20 }, { large: 1 << 20, ratio: 20 }, { files: 2 }]) {
    const refused = await importSession(sent.path, { ...importing, limits: { ...archiveLimits, ...limits } })
    assert.ok(!refused.ok && refused.failure.code === 'USAGE', JSON.stringify(limits))
  }
  const at = bomb.lastIndexOf(Buffer.from('PK\x01\x02', 'latin1'))
  const name = bomb.lastIndexOf('spill/bomb')
  assert.ok(name > 0 && at > 0)
  bomb.writeUInt32LE(10, name - 46 + 24)
  const refused = await sent.import(bomb)
  assert.ok(!refused.ok && /larger than it says/.test(refused.failure.message), JSON.stringify(refused))
  assert.ok(sent.untouched())
})

test('a name that stands twice is refused', async () => {
  await using sent = new Sent()
  const zip = await forged(sent, { 'spill/aa': some, 'spill/ab': some })
  for (let at = zip.indexOf('spill/ab'); at >= 0; at = zip.indexOf('spill/ab', at + 1)) zip.write('spill/aa', at)
  const refused = await sent.import(zip)
  assert.ok(!refused.ok && /twice/.test(refused.failure.message), JSON.stringify(refused))
})

test('an archive with any byte altered or cut off is refused or is the same session, and never throws', async () => {
  await using sent = new Sent()
  const zip = await sent.export(true)
  const { head } = await proved(sent.from.store(), sent.id)
  await fc.assert(
    fc.asyncProperty(fc.nat(zip.length - 1), fc.integer({ min: 1, max: 255 }), fc.boolean(), async (at, by, cut) => {
      const bytes = Buffer.from(cut ? zip.subarray(0, at) : zip)
      if (!cut) bytes[at] = (bytes[at] ?? 0) ^ by
      const result = await sent.import(bytes, `copy-${ports.id('x')}`)
      if (!result.ok) assert.ok(['USAGE', 'FORMAT_TOO_NEW'].includes(result.failure.code), result.failure.code)
      else assert.equal(result.value.manifest.head, head)
    }),
    { numRuns: 40 },
  )
})
