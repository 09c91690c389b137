import assert from 'node:assert/strict'
import { Registry, Scope } from '@rein/kernel'
import { MemoryStore, type SessionEvent } from '@rein/session'
import type { Provider } from '../../src/model/provider.ts'
import { explain } from '../../src/replay/cause.ts'
import { type Played, play } from '../../src/replay/play.ts'
import type { PlaybackOptions } from '../../src/replay/playback.ts'
import { wholeOf } from '../../src/replay/played-calls.ts'
import { Recording } from '../../src/replay/recording.ts'
import { nodeHasher } from '../../src/store/hasher.ts'
import { type Stage, type StageOptions, stage, partsOf as stageParts } from '../agent/kit.ts'

/** A stage on which these things were said, one after the other, and that is closed. */
export async function lived(options: StageOptions, ...texts: readonly string[]): Promise<Stage> {
  const live = await stage(options)
  for (const text of texts) await live.say(text)
  await live.close()
  return live
}

/** What a stage stands on, as the parts a replay is given. No provider unless one is named: it is looked up by its name. */
export const partsOf =
  (options: StageOptions): PlaybackOptions['parts'] =>
  async ({ session, ports }) => {
    const scope = new Scope('test')
    const providers = new Registry<Provider>('provider')
    if (options.provider) providers.add(scope, options.provider.name, options.provider)
    return { ...stageParts(options, { session, ports, scope }), provider: (name) => providers.lease(name) }
  }

/** Drive a log again on such a stage. */
export function replayed(events: readonly SessionEvent[], options: StageOptions = {}): Promise<Played> {
  const { steps = 50, maxWaitMs = 60_000 } = options
  return play({
    recording: new Recording(events),
    store: new MemoryStore({ hasher: nodeHasher, now: () => 0 }),
    parts: partsOf(options),
    settings: { cwd: '/work', steps, maxWaitMs },
    patience: 2,
    run: (_, result) => wholeOf(result, async () => undefined),
    busy: () => false,
    tolerates: () => false,
  })
}

/** It replays as it was, to its last event. */
export async function same(events: readonly SessionEvent[], options: StageOptions = {}): Promise<Played> {
  const played = await replayed(events, options)
  const types = events.slice(0, (played.parting?.seq ?? 0) + 1).map(({ type }) => type)
  assert.deepEqual(played.parting, undefined, `${JSON.stringify(played.parting)} after ${JSON.stringify(types)}`)
  assert.equal(played.same + played.given, events.length)
  return played
}

/** Where it goes another way, and what that follows from. */
export async function parted(events: readonly SessionEvent[], options: StageOptions = {}) {
  const { parting } = await replayed(events, options)
  const then = events[parting?.seq ?? -1]
  if (!parting || !then) return assert.fail('it replays as it was')
  return { ...explain(then, parting), seq: parting.seq, type: then.type, parting }
}
