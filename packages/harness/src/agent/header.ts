import type { EventNamed, Header, SessionLog, ToolSpec } from '@rein/session'
import { header, sameHeader } from '@rein/session'
import type { Provider } from '../model/provider.ts'
import type { Tool } from '../tools/definition.ts'
import type { ToolSet } from '../tools/ports.ts'

/** Which model answers. */
export interface ModelChoice {
  readonly provider: string
  readonly model: string
}

/** Encoder versions new requests are made with. */
const encoderVersion = 1

/**
 * The header in force, appended first when something in it changed. Tools keep the words they had when the session
 * first told of them: the front of a request must not move because a newer rein words a tool differently.
 */
export function headerInForce(
  log: SessionLog,
  now: { readonly choice: ModelChoice; readonly provider: Provider; readonly set: ToolSet },
): { readonly seq: number; readonly header: Header } {
  const before = log.state(header)
  const { choice, provider } = now
  const facts = provider.facts(choice.model)
  const next: Header = {
    dialect: provider.dialect,
    encoder: encoderVersion,
    provider: choice.provider,
    model: choice.model,
    quirks: facts.quirks,
    limits: { contextWindow: facts.contextWindow, maxOutput: facts.maxOutput },
    parameters: facts.parameters,
    tools: toolTable(now.set, before?.header.tools ?? []),
  }
  if (before && sameHeader(before.header, next)) return before
  const event: EventNamed<'request/header'> = log.append('request/header', next)
  return { seq: event.seq, header: event.data }
}

/** Logged tools that still take what they told, in their order and words; then others, in the order of their rows. */
function toolTable(set: ToolSet, logged: readonly ToolSpec[]): readonly ToolSpec[] {
  const tools = new Map(set.tools.entries())
  const kept = logged.filter((spec) => takes(tools.get(spec.name), spec))
  const known = new Set(kept.map((spec) => spec.name))
  const told = [...tools.values()].filter((tool) => !known.has(tool.name))
  return [
    ...kept,
    ...told.map(({ name, description, parameters: { schema } }) => ({ name, description, parameters: schema })),
  ]
}

/** Which tool was found to take what a header tells, so that a step compares nothing twice. */
const taken = new WeakMap<ToolSpec, Tool>()

/** Compared as JSON: the log's own copy is never the same object. */
function takes(tool: Tool | undefined, spec: ToolSpec): boolean {
  if (tool === undefined || taken.get(spec) === tool) return tool !== undefined
  const told = JSON.stringify(spec.parameters)
  if (![tool.parameters, ...(tool.accepts ?? [])].some(({ schema }) => JSON.stringify(schema) === told)) return false
  taken.set(spec, tool)
  return true
}
