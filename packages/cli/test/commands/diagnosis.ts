import assert from 'node:assert/strict'
import { chmodSync } from 'node:fs'
import { Desk } from './desk.ts'

/** The demo's session in it. */
export const id = 's-14-1'

/** A finding. */
interface Told {
  readonly word: string
  readonly level: string
  readonly about: string
  readonly says: string
  readonly next?: string
}

/** A desk with one session of the demo in a home as it should be. */
export async function ready(): Promise<Desk> {
  const desk = new Desk()
  chmodSync(desk.home, 0o700)
  await desk.demo(14)
  return desk
}

/** What `rein doctor --json` finds, and its exit code. */
export async function findings(desk: Desk, ...more: readonly string[]) {
  const { exit, out } = await desk.run(['doctor', '--json', ...more])
  const lines: (Told & { type: string; exit?: number })[] = out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  assert.deepEqual([lines.at(-1)?.type, lines.at(-1)?.exit], ['result', exit])
  return { exit, told: lines.slice(0, -1) as readonly Told[] }
}

/** Of what is about something, at one level or at any. */
export const words = (told: readonly Told[], level?: string): readonly string[] =>
  told.filter((one) => one.about !== '' && (level === undefined || one.level === level)).map(({ word }) => word)
