import { existsSync, mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { nodeHasher } from '@rein/harness'
import { type DataOf, encodeLine } from '@rein/session'
import { inRoot } from '../scripts/root.ts'
import { scratch } from './made-logs.ts'
import { inTurn, type Row } from './measure.ts'
import { nodeProcess } from './node-process.ts'

const rein = inRoot('packages/cli/bin/rein.js')
const sessions = 5000
const projects = 50

/** What it costs to list 5,000 sessions of 50 projects, and to find something in them. */
export async function listing(): Promise<Row[]> {
  if (!existsSync(inRoot('packages/cli/dist/main.js'))) throw new Error('not built: run npm run build first')
  using folder = scratch()
  const home = folder.path
  for (let at = 0; at < sessions; at++) writeSession(home, at)
  const env = { REIN_HOME: home }
  const run = async (...args: readonly string[]): Promise<number> => (await nodeProcess([rein, ...args], { env })).cpuMs
  const all = await nodeProcess([rein, 'sessions', '--json'], { env })
  if (all.stdout.trim().split('\n').length !== sessions) throw new Error('not every session was listed')
  const texts = await run('sessions', 'needle4711')
  const taken = await inTurn(9, {
    bare: async () => (await nodeProcess(['-e', '0'])).cpuMs,
    list: () => run('sessions'),
    newest: () => run('sessions', '--limit', '40'),
    rare: () => run('sessions', 'needle4711'),
    common: () => run('sessions', 'await', '--limit', '15'),
    dense: () => run('sessions', '会话', '--limit', '15'),
  })
  rmSync(join(home, 'index.sqlite'))
  const built = await run('sessions', '--json')
  const { bare } = taken
  const unit = 'CPU ms'
  const budget = { words: '≤ node -e 0 + 80 ms', limit: bare + 80 }
  return [
    { name: 'rein sessions, 5,000 listed', unit, ours: taken.list, bare, budget },
    { name: 'rein sessions --limit 40', unit, ours: taken.newest, bare },
    { name: 'rein sessions, a rare word', unit, ours: taken.rare, bare },
    { name: 'rein sessions, a word of every session', unit, ours: taken.common, bare },
    { name: 'rein sessions, two characters', unit, ours: taken.dense, bare },
    { name: 'the list, from no index', unit, ours: built, bare, note: 'every log read once' },
    { name: 'the texts, from no index', unit, ours: texts, bare, note: 'what the first search pays, once' },
  ]
}

/** As a finished session lies there: a log of 20 KB, the lock its writer released, an inbox. */
function writeSession(home: string, at: number): void {
  const folder = join(home, 'sessions', `project-${at % projects}`)
  const id = `s-${at.toString(16).padStart(12, '0')}`
  mkdirSync(join(folder, `${id}.inbox`), { recursive: true })
  writeFileSync(join(folder, `${id}.jsonl`), logOf(id, at))
  writeFileSync(join(folder, `${id}.lock.1`), '{"host":"bench/0/0","pid":1,"started":"1"}\nreleased')
  const then = 1_764_500_000 - at * 60
  utimesSync(join(folder, `${id}.lock.1`), then, then)
  utimesSync(join(folder, `${id}.jsonl`), then, then)
}

function logOf(id: string, at: number): string {
  const start: DataOf<'session/start'> = { format: 1, id, cwd: `/projects/p${at % projects}`, rein: '0' }
  const ask: DataOf<'user/message'> = {
    content: [{ type: 'text', text: `Fix the flaky test number ${at}, needle${at}, 修复会话列表` }],
    source: { kind: 'person' },
  }
  const output = (step: number): DataOf<'tool/result'> => {
    const lines = Array.from(
      { length: 20 },
      (_, n) => `${n}\tconst value${at}_${step}_${n} = await read("part-${n}.ts")`,
    )
    const content = [{ type: 'text', text: lines.join('\n') } as const]
    return { call: `k${step}`, name: 'read', outcome: { kind: 'done' }, content }
  }
  const events = [
    { type: 'session/start', data: start },
    { type: 'turn/start', data: { turn: 1 } },
    { type: 'user/message', data: ask, surface: 'append' },
    ...Array.from(
      { length: 15 },
      (_, step) => ({ type: 'tool/result', data: output(step), surface: 'append' }) as const,
    ),
    { type: 'turn/end', data: { turn: 1, outcome: 'completed' } },
  ] as const
  let previous = ''
  const lines = events.map((event, seq) => {
    const { line, hash } = encodeLine({ seq, time: 1_764_500_000_000, previous }, event, nodeHasher)
    previous = hash
    return `${line}\n`
  })
  return lines.join('')
}
