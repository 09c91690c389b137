import { setImmediate as turn } from 'node:timers/promises'
import { MemoryStore, type SessionEvent } from '@rein/session'
import fc from 'fast-check'
import { type ScriptEntry, scriptedProvider } from '../../src/model/scripted.ts'
import { nodeHasher } from '../../src/store/hasher.ts'
import type { Approval } from '../../src/tools/ports.ts'
import { countingPorts, type Stage, type StageOptions, stage, testTool } from '../agent/kit.ts'

export type Act =
  | { readonly kind: 'say'; readonly delivery: 'followup' | 'steer' | 'inject' }
  | { readonly kind: 'beside' | 'over'; readonly delivery: 'followup' | 'steer' | 'inject'; readonly after: number }
  | { readonly kind: 'cancel' | 'kill'; readonly after: number }
  | { readonly kind: 'rewind' | 'mode' | 'note' }

/** A session nobody thought of: what a model says, and what is done to it. */
export interface Wild {
  readonly script: readonly ScriptEntry[]
  readonly acts: readonly Act[]
  readonly delays: readonly number[]
}

const name = fc.constantFrom('one', 'many', 'many', 'asks', 'fails', 'throws', 'nowhere')
const call = name.map((each) => ({ name: each, arguments: {} }))
const reply = fc.oneof(
  { weight: 4, arbitrary: fc.array(call, { minLength: 1, maxLength: 14 }).map((calls) => ({ text: 'so', calls })) },
  { weight: 3, arbitrary: fc.constant({ reasoning: 'hm', text: 'well then' }) },
  fc.array(call, { maxLength: 2 }).map((calls) => ({ text: 'cut', calls, finish: 'length' })),
  fc.constantFrom({ text: 'tor', finish: null }, {}, { text: 'x', finish: 'content_filter' }),
  fc.constantFrom('OVERLOADED', 'AUTH').map((code) => ({ text: 'a', failure: { code, message: 'no' } as const })),
)
const delivery = fc.constantFrom('followup' as const, 'steer' as const, 'inject' as const)
const after = fc.nat(14)
const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('say' as const), delivery }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('beside' as const, 'over' as const), delivery, after }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('cancel' as const, 'kill' as const), after }) },
  fc.record({ kind: fc.constantFrom('rewind' as const, 'mode' as const, 'note' as const) }),
)

export const wild: fc.Arbitrary<Wild> = fc.record({
  script: fc.array(reply, { minLength: 1, maxLength: 8 }),
  acts: fc.array(act, { minLength: 1, maxLength: 6 }),
  delays: fc.array(fc.nat(3), { minLength: 1, maxLength: 9 }),
})

const approval: Approval = {
  needed: async ({ call }) => (call.name === 'asks' ? { what: 'May it?' } : undefined),
  async ask({ id }) {
    await turn()
    return id.endsWith('3') ? { decision: 'denied', by: 'tester' } : { decision: 'allowed-once', by: 'tester' }
  },
}

export const wildOptions = ({ script, delays }: Wild): StageOptions => {
  let next = 0
  const slowly = async () => {
    for (let left = delays[next++ % delays.length] ?? 0; left > 0; left--) await turn()
  }
  const done = async () => {
    await slowly()
    return { kind: 'done', content: 'done' } as const
  }
  const many = { parallel: true, run: done }
  const fails = { kind: 'failed', failure: { code: 'NOT_FOUND', message: 'no' } } as const
  return {
    provider: scriptedProvider({ name: 'scripted', script: [...script, ...Array(200).fill({ text: 'end' })] }),
    approval,
    steps: 6,
    tools: [
      testTool('one', { effects: 'some', run: done }),
      testTool('many', many),
      testTool('asks', many),
      testTool('fails', { parallel: true, run: () => fails }),
      testTool('throws', { run: () => Promise.reject(new Error('a bug')) }),
    ],
  }
}

/** Live it through. */
export async function lived(session: Wild, options: StageOptions): Promise<readonly SessionEvent[]> {
  const ports = countingPorts()
  const store = new MemoryStore({ hasher: nodeHasher, now: ports.now })
  let live = await stage({ ...options, store, ports })
  for (const each of session.acts) live = await done(each, { live, options: { ...options, ports } })
  await live.close()
  return live.events
}

async function done(each: Act, { live, options }: { live: Stage; options: StageOptions }): Promise<Stage> {
  const { log } = live.session
  if (each.kind === 'beside' || each.kind === 'over' || each.kind === 'cancel' || each.kind === 'kill')
    return interfered(each, { live, options })
  if (each.kind === 'say') await live.post('go', each.delivery)
  else if (each.kind === 'rewind') {
    const to = log.events.findLast(({ type }) => type === 'turn/end')
    if (to) log.append('session/rewound', { to: to.seq, by: 'person' })
  } else if (each.kind === 'mode') log.append('permission/mode', { mode: 'read-only', by: 'person' })
  else log.append('plugin/note', { plugin: 'p', kind: 'k', v: 1, data: null })
  await live.agent.whenIdle()
  return live
}

async function interfered(
  each: Extract<Act, { after: number }>,
  { live, options }: { live: Stage; options: StageOptions },
): Promise<Stage> {
  let left = each.after
  const reached = new Promise<void>((resolve) => {
    const listening = live.session.log.onLine(() => {
      if (left-- > 0) return
      listening[Symbol.dispose]()
      // As a key or a signal comes: in a turn of the event loop of its own.
      setImmediate(resolve)
    })
  })
  await live.post('go')
  await Promise.race([reached, live.agent.whenIdle()])
  if (each.kind === 'beside') await live.post('more', each.delivery)
  if (each.kind === 'over') {
    // Told to end, and before it has ended something else is asked for.
    const ended = live.agent.cancel()
    await live.post('rather', each.delivery)
    await ended
  }
  if (each.kind === 'cancel') await live.agent.cancel()
  if (each.kind !== 'kill') {
    await live.agent.whenIdle()
    return live
  }
  if (!(live.store instanceof MemoryStore)) return live
  const store = live.store.survivor()
  const ended = live.close()
  const again = await stage({ ...options, store, resume: live.session.id })
  await ended
  again.agent.wake()
  await again.agent.whenIdle()
  return again
}
