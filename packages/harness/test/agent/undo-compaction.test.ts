import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  Derivation,
  fold,
  forkSession,
  header,
  rewind,
  type SessionEvent,
  type SessionLog,
  sentRecord,
  surface,
} from '@rein/session'
import fc from 'fast-check'
import type { EncodedRequest, Provider } from '../../src/model/provider.ts'
import { type ScriptEntry, scriptedProvider } from '../../src/model/scripted.ts'
import { nodeHasher } from '../../src/store/hasher.ts'
import { calls, countingPorts, type Stage, stage, testTool, value } from './kit.ts'

const tools = [testTool('look', { parallel: true }), testTool('act', { effects: 'some' })]
const blob = () => undefined
const text = (said: string) => [{ type: 'text', text: said }] as const

/** The hash of the request this log gives now, under the header in force. */
function hashNow(events: readonly SessionEvent[], upTo = events.length): string {
  const of = fold(header, events, upTo)
  assert.ok(of)
  const from = { surface: fold(surface, events, upTo), header: of.header, headerSeq: of.seq, at: upTo - 1, extra: null }
  return value(new Derivation({ hasher: nodeHasher, blob, keep: false }).derive(from, events)).sha256
}

/** A compaction by its events alone: a side request, its summary, and one message in place of all but the system text. */
function compact(log: SessionLog): void {
  const all = log.state(surface).messages.slice(1)
  const [first, last, of] = [all[0], all.at(-1), log.state(header)]
  if (!first || !last || !of) return
  const id = `c-${log.events.length}`
  log.append('compaction/start', { id, reason: 'threshold', range: [first.seq, last.seq] })
  const at = log.events.length - 1
  const from = { surface: log.state(surface), header: of.header, headerSeq: of.seq, at, extra: text('Sum up.') }
  const derived = value(new Derivation({ hasher: nodeHasher, blob, keep: false }).derive(from, log.events))
  log.append('request/sent', sentRecord(from, derived, { id: `rq-${id}`, kind: 'compaction' }))
  const timing = { connectMs: 1, firstByteMs: 1, totalMs: 1 }
  const done = { outcome: 'completed', usage: null, dropped: [], error: null, timing } as const
  log.append('request/settled', { id: `rq-${id}`, finish: { reason: 'stop', raw: 'stop' }, ...done })
  log.append('compaction/summary', { id, request: `rq-${id}`, text: 'what was' })
  const summary = { content: text('what was'), source: { kind: 'plugin', name: 'compact' } } as const
  const sources = all.map(({ seq }) => seq)
  log.append('user/message', summary, { surface: { replace: [first.seq, last.seq] }, sources })
  log.append('compaction/end', { id, outcome: 'accepted' })
}

/** Compacts before the requests of these numbers, counted from 1, as a plugin that watches the budget does. */
function compactBefore(on: Stage, requests: ReadonlySet<number>): void {
  let request = 0
  on.hooks.aroundRequest.wrap(on.scope, 'compact', async (run, next) => {
    if (requests.has(++request)) compact(on.session.log)
    return next(run)
  })
}

/** A provider that keeps the bodies it was sent. */
function keeping(script: readonly ScriptEntry[]): { readonly provider: Provider; readonly bodies: string[] } {
  const inner = scriptedProvider({ script, advance: 'request' })
  const bodies: string[] = []
  const stream = (request: EncodedRequest, signal: AbortSignal) => {
    bodies.push(Buffer.concat(request.body).toString())
    return inner.stream(request, signal)
  }
  return {
    bodies,
    provider: { name: 'scripted', dialect: inner.dialect, facts: (model) => inner.facts(model), stream },
  }
}

const turn = fc.constantFrom<readonly ScriptEntry[]>(
  [{ text: 'said' }],
  [calls('look', 'act'), { text: 'done' }],
  [{ text: 'first', ...calls('act') }, calls('look'), { text: 'done' }],
)

const clean = async (on: Stage): Promise<void> => {
  const { answer, problems } = await on.verify()
  assert.deepEqual([answer, problems], ['clean', []])
}

test('a rewind to where any request was sent from, compactions before and after it, gives back its very bytes', async () => {
  const compactions = fc.array(fc.integer({ min: 2, max: 8 }), { minLength: 1, maxLength: 3 })
  await fc.assert(
    fc.asyncProperty(
      fc.array(turn, { minLength: 2, maxLength: 3 }),
      compactions,
      fc.nat(),
      async (turns, at, which) => {
        const on = await stage({ script: [...turns.flat(), { text: 'after' }], tools })
        const due = new Set(at)
        compactBefore(on, due)
        for (const _ of turns) await on.say('go')
        due.clear()
        const { log } = on.session
        const sent = on.all('request/sent').filter(({ data }) => data.kind === 'step')
        for (const { data } of sent) {
          const rewound = value(rewind(log, { to: data.at }))
          assert.equal(rewound.data.to, data.at)
          assert.equal(hashNow(log.events), data.sha256)
        }
        const chosen = sent[which % sent.length]
        assert.ok(chosen)
        const last = value(rewind(log, { to: chosen.data.at }))
        await on.say('and now?')
        assert.equal(on.outcomes().at(-1), 'completed')
        const { broke } = on.all('request/sent').at(-1)?.data ?? {}
        assert.ok(broke === undefined || (broke.owner === 'rewind' && broke.event === last.seq), JSON.stringify(broke))
        await clean(on)
        await on.close()
      },
    ),
    { numRuns: 25 },
  )
})

/** The body of the request a fork of this session at that event sends for the same words. */
async function askedInFork({ store, session }: Stage, at: number): Promise<string | undefined> {
  const { provider, bodies } = keeping([{ text: 'after' }])
  const options = { store, ports: countingPorts(5000), holder: { host: 'test', pid: 1, started: '0' }, rein: '0' }
  const fork = value(await forkSession(options, { id: session.id, at }))
  await fork.close()
  const on = await stage({ provider, store, resume: fork.id, ports: countingPorts(6000), tools })
  await on.say('and now?')
  await clean(on)
  await on.close()
  return bodies.at(-1)
}

test('undoing a compaction between turns, by rewind or by fork, sends what is sent when it never happened', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(turn, { minLength: 1, maxLength: 3 }), fc.boolean(), async (turns, more) => {
      const script = [...turns.flat(), { text: 'after' }, { text: 'after' }]
      const plain = keeping(script)
      const never = await stage({ provider: plain.provider, tools })
      for (const _ of turns) await never.say('go')
      await never.say('and now?')
      const expected = plain.bodies.at(-1)

      const kept = keeping(script)
      const on = await stage({ provider: kept.provider, tools })
      for (const _ of turns) await on.say('go')
      const before = on.events.length - 1
      await on.agent.maintain(async () => compact(on.session.log))
      if (more) await on.say('something else')
      const rewound = value(rewind(on.session.log, { to: before }))
      await on.say('and now?')
      assert.equal(kept.bodies.at(-1), expected)
      const { broke } = on.all('request/sent').at(-1)?.data ?? {}
      assert.deepEqual(broke, more ? { event: rewound.seq, owner: 'rewind' } : undefined)
      await clean(on)
      await on.close()

      assert.equal(await askedInFork(on, before), expected)
    }),
    { numRuns: 12 },
  )
})
