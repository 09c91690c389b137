import { setImmediate } from 'node:timers/promises'
import { type Tool, tool } from '../../tools/definition.ts'
import type { World } from './world.ts'

/** What a script does while the call of a label runs, the side effect behind it. */
export type Moments = Map<string, () => Promise<void>>

interface Labelled {
  readonly label: string
}

const isLabelled = (given: unknown): given is Labelled =>
  typeof given === 'object' && given !== null && 'label' in given && typeof given.label === 'string'

/**
 * `act` has a side effect and runs alone, `ask` too and needs an approval before; `look` has none and runs beside others,
 * `look1` the slowest, so that parallel calls finish in another order than they stand in.
 */
export function toolsIn({ world, moments }: { readonly world: World; readonly moments: Moments }): readonly Tool[] {
  const act = async ({ label }: Labelled) => {
    world.happened({ kind: 'effect', label })
    await moments.get(label)?.()
    await setImmediate()
    return { kind: 'done', content: `${label} happened` } as const
  }
  const look = async ({ label }: Labelled) => {
    for (let waits = 6 - 2 * Number(label.replace(/\D+/g, '')); waits > 0; waits--) await setImmediate()
    await moments.get(label)?.()
    return { kind: 'done', content: `${label} seen` } as const
  }
  return [labelled('act', 'some', act), labelled('ask', 'some', act), labelled('look', 'none', look)]
}

const labelled = (
  name: string,
  effects: 'none' | 'some',
  run: (args: Labelled) => Promise<{ readonly kind: 'done'; readonly content: string }>,
): Tool =>
  tool<Labelled>({
    name,
    description: `Does ${name}.`,
    parameters: {
      schema: { type: 'object', properties: { label: { type: 'string' } }, required: ['label'] },
      parse: (given) => (isLabelled(given) ? { ok: true, value: given } : { ok: false, problems: ['has no label'] }),
    },
    effects: () => effects,
    parallel: () => effects === 'none',
    run,
  })
