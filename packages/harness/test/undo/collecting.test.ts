import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { collect } from '../../src/undo/collect.ts'
import { Holds } from '../../src/undo/hold.ts'
import type { JobResult } from '../../src/undo/job.ts'
import { defaultLimits } from '../../src/undo/limits.ts'
import { Objects, objectNames } from '../../src/undo/objects.ts'
import { backTo, Desk, takenOf } from './kit.ts'

const collected = ({ folder }: Desk, keepBytes: number) =>
  collect({ folder, objects: new Objects(join(folder, 'objects')), holds: new Holds(folder) }, keepBytes)

const nobodyHere = (desk: Desk) => rmSync(join(desk.folder, 'open'), { recursive: true, force: true })

function snapshot(desk: Desk, session: string, daysAgo: number): string {
  desk.write('a', `${session} `.repeat(300))
  const { id } = desk.take(session)
  const at = Date.now() / 1000 - daysAgo * 86_400
  utimesSync(join(desk.folder, 'refs', session, id), at, at)
  return id
}

const size = (desk: Desk): number =>
  objectNames(join(desk.folder, 'objects')).reduce(
    (sum, hash) => sum + statSync(join(desk.folder, 'objects', hash.slice(0, 2), hash.slice(2))).size,
    0,
  )

test('above the cap the oldest snapshots go, those of an open session never, and what is kept can be restored', () => {
  using desk = new Desk({}, ['open', 'old', 'young'])
  const open = snapshot(desk, 'open', 9)
  nobodyHere(desk)
  const old = snapshot(desk, 'old', 5)
  const young = snapshot(desk, 'young', 1)
  const whole = size(desk)
  nobodyHere(desk)
  mkdirSync(join(desk.folder, 'open'))
  writeFileSync(join(desk.folder, 'open', `open.${process.pid}`), String(process.pid))
  assert.deepEqual(collected(desk, whole), { snapshots: 0, bytes: 0 })
  const done = collected(desk, whole - 100)
  assert.equal(done?.snapshots, 1)
  assert.equal(size(desk), whole - (done?.bytes ?? 0))
  assert.deepEqual(readdirSync(join(desk.folder, 'refs')).sort(), ['open', 'young'])
  for (const id of [open, young]) assert.equal(desk.restore(backTo(id)).left.length, 0)
  const gone = desk.workspaces.run({ kind: 'plan', place: desk.place, history: backTo(old) })
  assert.equal(gone.kind === 'failed' && gone.failure.code, 'NOT_FOUND')
})

test('what no snapshot needs any more is removed, half-written files included', () => {
  using desk = new Desk({}, ['one'])
  const id = snapshot(desk, 'one', 1)
  nobodyHere(desk)
  rmSync(join(desk.folder, 'refs', 'one', id))
  const some = readdirSync(join(desk.folder, 'objects'))[0] ?? ''
  writeFileSync(join(desk.folder, 'objects', some, '.1-1.tmp'), 'half')
  assert.equal(collected(desk, 1e9)?.snapshots, 0)
  assert.deepEqual(
    readdirSync(join(desk.folder, 'objects'), { recursive: true, withFileTypes: true }).filter((one) => one.isFile()),
    [],
  )
  // The process that wrote them looks again at what there is.
  const again = snapshot(desk, 'one', 0)
  desk.write('a', 'other')
  assert.deepEqual(desk.restore(backTo(again)).paths, ['a'])
})

test('nobody collects while somebody writes, nobody writes while somebody collects, and the dead hold nothing', () => {
  using desk = new Desk()
  mkdirSync(desk.folder, { recursive: true })
  const holds = new Holds(desk.folder, 0)
  assert.equal(
    holds.collect(() => holds.write(() => 'both')),
    undefined,
  )
  assert.equal(
    holds.write(() => holds.collect(() => 'both')),
    undefined,
  )
  assert.equal(
    holds.write(() => holds.write(() => 'two writers')),
    'two writers',
  )
  mkdirSync(join(desk.folder, 'writers'), { recursive: true })
  writeFileSync(join(desk.folder, 'writers', '1-1'), '999999999')
  writeFileSync(join(desk.folder, 'collecting'), '999999999')
  assert.equal(
    holds.collect(() => 'alone'),
    'alone',
  )
})

test('many threads look at one workspace at once while it changes and others collect: every snapshot is whole', async (t) => {
  using desk = new Desk({}, ['s-0', 's-1', 's-2'])
  for (let count = 0; count < 40; count++) desk.write(`d${count % 5}/f${count}`, `${count}`.repeat(50))
  const file = new URL('../../src/undo/undo-worker.ts', import.meta.url)
  const thread = { folder: desk.folder, hidden: [], limits: { ...defaultLimits, keepBytes: 2000 }, stop: desk.stop }
  const ids = await Promise.all(
    Array.from({ length: 3 }, async (_, index) => {
      const worker = new Worker(file, { workerData: thread, execArgv: [] })
      t.after(() => worker.terminate())
      const place = { session: `s-${index}`, root: desk.root }
      const taken: string[] = []
      for (let round = 0; round < 4; round++) {
        desk.write(`d${index}/own`, `${index} ${round}`)
        worker.postMessage({ kind: 'take', place })
        taken.push(takenOf(await answer(worker)).id)
        if (round % 2 === 1) collected(desk, 2000)
      }
      return taken
    }),
  )
  for (const id of ids.flat()) desk.restore(backTo(id), true)
  const last = ids.at(-1)?.at(-1) ?? ''
  assert.deepEqual(desk.plan(backTo(last)), { files: [], left: [], unseen: { paths: [], more: 0 } })
})

const answer = (worker: Worker): Promise<JobResult> =>
  new Promise((resolve, reject) => {
    worker.once('message', resolve)
    worker.once('error', reject)
  })
