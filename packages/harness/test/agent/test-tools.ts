import type { Json } from '@rein/session'
import { type Call, type CallContext, type Tool, type ToolOutput, tool } from '../../src/tools/definition.ts'

export interface ToolTraits {
  readonly parallel?: boolean
  readonly effects?: 'none' | 'some'
  readonly timeoutMs?: number
  readonly resolvesPlaceholders?: true
  readonly parse?: (value: unknown) => readonly string[]
  readonly run?: (args: Json, context: CallContext) => Promise<ToolOutput> | ToolOutput
}

/** A tool that takes any object and, unless told otherwise, says that it is done. */
export const testTool = (name: string, traits: ToolTraits = {}): Tool =>
  tool<Json>({
    name,
    description: `The ${name} tool.`,
    parameters: {
      schema: { type: 'object', properties: {} },
      parse: (given) => {
        const problems = traits.parse?.(given) ?? []
        return problems.length > 0 ? { ok: false, problems } : { ok: true, value: given as Json }
      },
    },
    effects: () => traits.effects ?? 'none',
    parallel: () => traits.parallel ?? false,
    ...(traits.timeoutMs !== undefined && { timeoutMs: traits.timeoutMs }),
    ...(traits.resolvesPlaceholders && { resolvesPlaceholders: true }),
    run: async (args, context) => traits.run?.(args, context) ?? { kind: 'done', content: `${name} done` },
  })

/** A tool that runs until it is let go or told to stop. */
export function heldTool(name: string, traits: ToolTraits = {}) {
  const begun = Promise.withResolvers<Call>()
  const release = Promise.withResolvers<void>()
  const run = async (_: Json, { call, signal }: CallContext): Promise<ToolOutput> => {
    begun.resolve(call)
    await Promise.race([release.promise, stopped(signal)])
    return { kind: 'done', content: signal.aborted ? 'stopped early' : 'let go' }
  }
  return { tool: testTool(name, { ...traits, run }), begun: begun.promise, release: () => release.resolve() }
}

export const stopped = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })

/** Calls of one reply. */
export const calls = (...names: readonly string[]) => ({ calls: names.map((name) => ({ name, arguments: {} })) })
