import assert from 'node:assert/strict'
import { mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { findings, id, ready, words } from './diagnosis.ts'

test('sessions without a log, emptied, unreadable and with a lost picture are each told apart', async () => {
  using desk = await ready()
  const folder = dirname(desk.log(id))
  const at = (name: string): string => join(folder, name)
  writeFileSync(at('s-begun.lock.1'), '')
  writeFileSync(at('s-lost.lock.2'), '')
  writeFileSync(at('s-empty.jsonl'), '')
  writeFileSync(at('s-bare.jsonl'), '')
  writeFileSync(at('s-empty.lock.3'), '')
  utimesSync(at('s-empty.lock.3'), 1, 1)
  mkdirSync(at('s-folder.jsonl'))
  const image = { type: 'image', blob: 'a'.repeat(64), mime: 'image/png', bytes: 3 } as const
  const [start] = await desk.events(id)
  assert.ok(start)
  const source = { kind: 'person' } as const
  desk.write(id, 's-blind', [
    start,
    { type: 'user/message', data: { content: [image], source }, surface: 'append' } as never,
  ])
  const { exit, told } = await findings(desk)
  assert.equal(exit, 6)
  const of = (about: string) => told.filter((one) => one.about === about).map(({ word, level }) => `${level} ${word}`)
  assert.deepEqual(of('s-begun'), ['note session-no-log'])
  assert.deepEqual(of('s-lost'), ['damaged session-log-gone'])
  assert.deepEqual(of('s-empty'), ['damaged session-emptied'])
  assert.deepEqual(of('s-bare'), ['note session-empty'])
  assert.deepEqual(of('s-folder'), ['damaged session-log-gone'])
  assert.deepEqual(of('s-blind'), ['trouble blob-missing'])
})

test('what may not be read is trouble and no damage, and a file in the place of the home is told', async () => {
  using desk = await ready()
  const folder = dirname(dirname(desk.log(id)))
  symlinkSync('loop', join(folder, 'loop'))
  const looped = await findings(desk)
  assert.deepEqual([looped.exit, words(looped.told, 'trouble')], [1, ['session-unreadable']])
  rmSync(folder, { recursive: true })
  writeFileSync(folder, '')
  const { exit, told } = await findings(desk)
  assert.equal(exit, 1)
  assert.ok(told.some(({ word, level }) => word === 'sessions-unreadable' && level === 'trouble'))
})
