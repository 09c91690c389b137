import type fc from 'fast-check'
import { type CallBlock, type DataOf, inbox, type ResultOutcome } from '../../src/index.ts'
import { aside } from './asides.ts'
import { type CallPlan, type StepPlan, sessionPlan, type TurnPlan } from './plan.ts'
import { plainHeader, World } from './world.ts'

const error = { code: 'OVERLOADED', message: 'busy' } as const
const origin = { provider: plainHeader.provider, dialect: plainHeader.dialect, model: plainHeader.model }

/** A random session that keeps every rule, with the bodies that left. */
export const wholeLog: fc.Arbitrary<World> = sessionPlan.map(play)

export function play(plan: readonly TurnPlan[]): World {
  const world = new World()
  world.start('Be useful.')
  for (const turn of plan) {
    playTurn(world, turn)
    for (const side of turn.sides) aside(world, side)
  }
  return world
}

function playTurn(world: World, plan: TurnPlan): void {
  world.post('followup', [{ type: 'text', text: plan.text }])
  for (const [delivery, text] of plan.posts) world.post(delivery, [{ type: 'text', text }])
  if (plan.picture) world.post('steer', [world.picture(Uint8Array.of(1, 2, 3)), { type: 'text', text: 'see' }])
  world.append('turn/start', { turn: ++world.turn })
  world.step = 0
  if (plan.end === 'blocked' && plan.steps.length === 0) {
    refuse(world)
    return
  }
  world.claim(true)
  let cuts = 0
  for (const step of plan.steps) {
    if (step.kind === 'cut' && ++cuts > 2) break
    if (step.kind !== 'cut') cuts = 0
    playStep(world, step)
    world.claim(false)
  }
  endTurn(world, plan)
}

function refuse(world: World): void {
  const [item] = world.log.state(inbox).nextTurn
  if (item)
    world.append('inbox/spliced', { lane: 'next-turn', start: 0, remove: [item.id], insert: [], reason: 'refused' })
  world.append('turn/end', { turn: world.turn, outcome: 'blocked', error: { code: 'USAGE', message: 'refused' } })
}

function inStep(world: World, run: () => void): void {
  const place = { turn: world.turn, step: ++world.step }
  world.append('step/start', place)
  run()
  world.append('step/end', place)
}

function playStep(world: World, plan: StepPlan): void {
  inStep(world, () => {
    const id = attempts(world, plan.retries)
    const calls = plan.calls.map((call): CallBlock => {
      return { type: 'call', id: world.id('call-'), name: call.name, arguments: call.args }
    })
    if (plan.chunks) world.append('assistant/chunks', { request: id, chunks: [{ text: 'x' }] })
    if (plan.kind === 'cut') {
      cut(world, { id, calls, text: plan.text })
      return
    }
    world.settle(id, { finish: { reason: 'calls', raw: 'tool_calls' } })
    const text = plan.text === null ? [] : [{ type: 'text', text: plan.text } as const]
    const reasoning = plan.reasoning === null ? [] : [{ type: 'reasoning', text: plan.reasoning } as const]
    world.append('assistant/message', { request: id, content: [...reasoning, ...text, ...calls], origin })
    if (plan.kind === 'steer') world.post('steer', [{ type: 'text', text: 'meanwhile' }])
    runCalls(world, calls, plan.calls)
    if (plan.inject !== null) world.post('inject', [{ type: 'text', text: plan.inject }])
  })
}

function attempts(world: World, retries: number): string {
  for (let attempt = 2; attempt <= retries + 1; attempt++) {
    world.settle(world.send('step'), { outcome: 'failed', finish: null, usage: null, error })
    const place = { turn: world.turn, step: world.step, attempt }
    world.append('retry/scheduled', { ...place, waitMs: 500, error })
    world.append('retry/started', { ...place, outcome: 'started' })
  }
  return world.send('step')
}

function cut(world: World, made: { id: string; calls: readonly CallBlock[]; text: string | null }): void {
  world.settle(made.id, { finish: { reason: 'length', raw: 'length' }, dropped: made.calls })
  if (made.text !== null)
    world.append('assistant/message', { request: made.id, content: [{ type: 'text', text: made.text }], origin })
  const content = [{ type: 'text', text: 'The reply was cut; no call of it ran.' }] as const
  world.append('user/message', { content, source: { kind: 'context', name: 'token-limit' } })
}

/** Parallel calls that stand together start together; results are appended in the model's order. */
function runCalls(world: World, calls: readonly CallBlock[], plans: readonly CallPlan[]): void {
  const rows = calls.flatMap((call, index) => {
    const plan = plans[index]
    return plan ? [{ call, plan, refused: decide(world, call, plan) }] : []
  })
  let waiting: typeof rows = []
  const finish = () => {
    for (const row of waiting) result(world, row)
    waiting = []
  }
  for (const row of rows) {
    if (!row.plan.parallel || row.refused) finish()
    if (!row.refused) begin(world, row.call, row.plan)
    waiting.push(row)
    if (!row.plan.parallel || row.refused) finish()
  }
  finish()
}

function decide(world: World, call: CallBlock, plan: CallPlan): ResultOutcome | undefined {
  const id = world.id('ask-')
  switch (plan.ask) {
    case 'allowed':
    case 'denied':
    case 'unanswered': {
      world.append('approval/asked', { id, call: call.id, what: 'run it?' })
      const decision = plan.ask === 'allowed' ? 'allowed-once' : plan.ask
      world.append('approval/decided', { id, decision, by: 'person' })
      return decision === 'allowed-once' ? undefined : { kind: 'denied', by: 'person', reason: 'no' }
    }
    case 'guard':
      return { kind: 'denied', by: 'guard', reason: 'not here' }
    case 'question':
      world.append('question/asked', { id, call: call.id, questions: [{ ask: 'which?' }] })
      world.append('question/answered', { id, answers: ['this'], by: 'person' })
      return undefined
    default:
      return undefined
  }
}

function begin(world: World, call: CallBlock, plan: CallPlan): void {
  const place = { turn: world.turn, step: world.step, call: call.id, name: call.name, arguments: call.arguments }
  const effects = plan.parallel ? 'none' : 'some'
  world.append('tool/call', { ...place, parallel: plan.parallel, effects })
  if (plan.outcome === 'failed' && !plan.parallel)
    world.append('sandbox/denied', { call: call.id, what: 'write', target: '/etc' })
}

function result(world: World, row: { call: CallBlock; plan: CallPlan; refused: ResultOutcome | undefined }): void {
  const { call, plan, refused } = row
  const content = [{ type: 'text', text: plan.text }] as const
  const base = { call: call.id, name: call.name, content }
  const of = world.log.events.length
  const before = lastSeen(world)
  const file = { path: '/w/a', hash: `v${of}` }
  if (refused) world.append('tool/result', { ...base, outcome: refused })
  else if (plan.outcome === 'edit' && before !== undefined)
    world.append('tool/result', { ...base, outcome: done, view: { path: '/w/a', before }, seen: [file] })
  else if (plan.outcome === 'edit') world.append('tool/result', { ...base, outcome: done, seen: [file] })
  else world.append('tool/result', { ...base, outcome: outcomes[plan.outcome], durationMs: 3 })
}

const done = { kind: 'done' } as const
const outcomes: Record<'done' | 'failed' | 'timed-out' | 'cancelled', ResultOutcome> = {
  done,
  failed: { kind: 'failed', failure: { code: 'TOOL_FAILED', message: 'exit 1' } },
  'timed-out': { kind: 'timed-out', afterMs: 5 },
  cancelled: { kind: 'cancelled' },
}

/** Version of the file as the session saw it last, or undefined when it is not known to have seen it still. */
function lastSeen(world: World): string | undefined {
  const events = world.log.events
  const rewound = events.findLastIndex((event) => event.type === 'session/rewound')
  const last = events.findLast(
    (event) => event.type === 'tool/result' && event.surface === 'append' && event.data.seen !== undefined,
  )
  if (last?.type !== 'tool/result' || last.seq < rewound) return undefined
  return last.data.seen?.[0]?.hash
}

function endTurn(world: World, plan: TurnPlan): void {
  const { turn } = world
  const finish = (outcome: DataOf<'turn/end'>['outcome']) => world.append('turn/end', { turn, outcome })
  switch (plan.end) {
    case 'answer':
      inStep(world, () => answer(world, plan.text))
      finish('completed')
      return
    case 'cut':
      inStep(world, () => {
        const id = attempts(world, 0)
        world.settle(id, { finish: { reason: 'length', raw: 'length' } })
        world.append('assistant/message', { request: id, content: [{ type: 'text', text: plan.text }], origin })
      })
      finish('max-tokens')
      return
    case 'failed':
    case 'cancelled':
      inStep(world, () => abort(world, plan.end === 'failed' ? 'failed' : 'cancelled', plan.text))
      finish(plan.end === 'failed' ? 'error' : 'cancelled')
      world.append('inbox/parked', { reason: plan.end === 'failed' ? 'error' : 'cancelled' })
      return
    default:
      finish('budget')
      world.append('inbox/parked', { reason: 'budget' })
  }
}

function answer(world: World, text: string): void {
  const id = attempts(world, 0)
  world.settle(id, {})
  world.append('assistant/message', { request: id, content: [{ type: 'text', text }], origin })
}

/** The stream broke off: what came of it is kept, marked; a retry that was waited for is given up. */
function abort(world: World, why: 'failed' | 'cancelled', text: string): void {
  const id = attempts(world, 0)
  world.settle(id, { outcome: why, finish: null, usage: null, error: why === 'failed' ? error : null })
  const content = [{ type: 'text', text }] as const
  world.append('assistant/message', { request: id, content, origin, interrupted: why })
  if (why !== 'cancelled') return
  const place = { turn: world.turn, step: world.step, attempt: 2 }
  world.append('retry/scheduled', { ...place, waitMs: 500, error })
  world.append('retry/started', { ...place, outcome: 'abandoned' })
}
