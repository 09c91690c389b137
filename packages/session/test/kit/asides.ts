import { type Content, inbox, permission, surface } from '../../src/index.ts'
import type { sides } from './plan.ts'
import { plainHeader, type World } from './world.ts'

const by = 'person'
const say = (text: string): Content => ({ type: 'text', text })

/** What happens between two turns. */
export function aside(world: World, side: (typeof sides)[number]): void {
  const { log } = world
  switch (side) {
    case 'compact':
      compact(world)
      return
    case 'prune':
      prune(world)
      return
    case 'rewind': {
      const ends = log.events.filter(({ type }) => type === 'turn/end')
      const to = ends.at(-2)?.seq ?? log.events.find(({ type }) => type === 'system/message')?.seq ?? 0
      world.append('session/rewound', { to, by })
      return
    }
    case 'tools':
      world.append('request/header', { ...plainHeader, tools: [] })
      return
    case 'parameters':
      world.append('request/header', { ...plainHeader, parameters: { temperature: 0.5 } })
      return
    case 'mode':
      world.append('permission/mode', { mode: 'workspace-write', by })
      return
    case 'plan':
      world.append('plan/mode', { on: !log.state(permission).plan, by })
      return
    case 'grant':
      grants(world)
      return
    case 'sandbox':
      world.append('sandbox/enforced', { backend: 'none', level: 'none', missing: ['writes'], mode: 'read-only' })
      return
    case 'queue':
      queue(world)
      return
    default:
      work(world, side)
  }
}

type Work = Exclude<
  (typeof sides)[number],
  'compact' | 'prune' | 'rewind' | 'tools' | 'parameters' | 'mode' | 'plan' | 'grant' | 'sandbox' | 'queue'
>

function work(world: World, side: Work): void {
  const id = world.id('work-')
  switch (side) {
    case 'note':
      world.append('plugin/note', { plugin: 'todo', kind: 'set', v: 1, data: { seq: 7, items: ['{"seq":'] } })
      return
    case 'job':
      world.append('job/start', { id, kind: 'bash', label: 'build' })
      world.append('job/end', { id, outcome: 'done', exitCode: 0 })
      return
    case 'child':
      world.append('agent/spawned', { id, kind: 'spawn', label: 'look', depth: 1 })
      world.append('agent/settled', { id, outcome: 'completed', usage: null })
      return
    case 'command':
      world.append('command/run', { id, name: 'cost', arguments: '', by })
      world.append('command/done', { id, outcome: 'done' })
      return
    case 'files':
      world.append('files/snapshot', { id, turn: world.turn, when: 'after', files: 1, bytes: 2, skipped: [] })
      world.append('files/restored', { snapshot: id, paths: ['/w/a'] })
      return
    case 'title': {
      const request = world.send('title', [say('Name this session.')])
      world.settle(request, {})
      world.append('session/title', { title: 'a title', by: 'model' })
      return
    }
    case 'resume':
      world.append('session/resume', { epoch: 2, holder: 'h:1', rein: '0.1.0' })
      return
    case 'fork':
      world.append('session/fork', { id, parent: 's-1', at: world.log.events.length - 1, hash: world.log.head })
      return
    case 'migrated':
      world.append('session/migrated', { from: 0, to: 1, oldHead: world.log.head })
  }
}

function compact(world: World): void {
  const all = world.log.state(surface).messages.slice(1)
  const [first, last] = [all[0], all.at(-1)]
  if (!first || !last) return
  const id = world.id('compact-')
  world.append('compaction/start', { id, reason: 'person', range: [first.seq, last.seq] })
  const request = world.send('compaction', [say('Sum up.')])
  world.settle(request, {})
  world.append('compaction/summary', { id, request, text: 'what was' })
  const sources = all.map(({ seq }) => seq)
  const data = { content: [say('what was')], source: { kind: 'plugin', name: 'compact' } } as const
  world.log.append('user/message', data, { surface: { replace: [first.seq, last.seq] }, sources })
  world.append('compaction/end', { id, outcome: 'accepted' })
}

/** A result that is long out of use is shown as a mark; the call keeps its result. */
function prune(world: World): void {
  const old = world.log
    .state(surface)
    .messages.slice()
    .find((message) => message.type === 'tool/result')
  if (old?.type !== 'tool/result') return
  world.log.append(
    'tool/result',
    { ...old.data, content: [say('(shown before)')] },
    {
      surface: { replace: [old.seq, old.seq] },
      sources: [old.seq],
    },
  )
}

function grants(world: World): void {
  const grant = { id: world.id('grant-'), rule: 'bash(ls)', scope: 'session', by } as const
  world.append('permission/grant', grant)
  const older = world.log.state(permission).grants.at(-3)
  if (older) world.append('permission/grant', { ...older, revoked: true })
}

/** Somebody edits, moves and drops what waits. */
function queue(world: World): void {
  const { nextTurn } = world.log.state(inbox)
  const [first, second] = nextTurn
  if (!first) return
  const lane = 'next-turn'
  const edited = { ...first, content: [say('edited')] }
  world.append('inbox/spliced', { lane, start: 0, remove: [first.id], insert: [edited], reason: 'edited' })
  if (second)
    world.append('inbox/spliced', { lane, start: 0, remove: [second.id], insert: [second], reason: 'reordered' })
  world.append('inbox/spliced', { lane, start: 0, remove: [first.id], insert: [], reason: 'dropped' })
}
