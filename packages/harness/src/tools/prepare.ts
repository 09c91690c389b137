import type { Lease } from '@rein/kernel'
import type { CallBlock, Failure, Json, PermissionMode, Result } from '@rein/session'
import type { Tool } from './definition.ts'
import type { CallSession, CheckedCall, ToolSet } from './ports.ts'

/** A call that may go to the guards: its tool pinned, its arguments checked. */
export interface Prepared {
  readonly checked: CheckedCall
  readonly tool: Tool
  /** The arguments as the tool's own type; only this tool may be given them. */
  readonly args: never
  readonly parallel: boolean
  readonly lease: Lease<Tool>
}

export interface PrepareContext {
  readonly set: ToolSet
  readonly session: CallSession
  readonly mode: PermissionMode
  readonly turn: number
  readonly step: number
}

const placeholder = '⟦secret:'

/**
 * Validate one call. The lease pins the tool until the call is over, so a tool replaced meanwhile finishes its own.
 * Trouble is told so that the model can correct it.
 */
export function prepare(block: CallBlock, context: PrepareContext): Result<Prepared> {
  const lease = context.set.tools.lease(block.name)
  if (!lease) return refuse(unknownTool(block.name, context.set))
  const prepared = checkedBy(lease, block, context)
  if (!prepared.ok) lease[Symbol.dispose]()
  return prepared
}

function checkedBy(lease: Lease<Tool>, block: CallBlock, context: PrepareContext): Result<Prepared> {
  const tool = lease.value
  const { id, name, arguments: text } = block
  const { session, mode, turn, step } = context
  try {
    const parsed = parseArguments(block, tool)
    if (!parsed.ok) return parsed
    const { json, args } = parsed.value
    const checked: CheckedCall = {
      call: { id, name, arguments: text, turn, step },
      args: json,
      effects: tool.effects(args),
      accesses: tool.accesses?.(args, session.cwd) ?? [],
      mode,
      session,
      title: tool.title?.(args) ?? '',
    }
    return { ok: true, value: { checked, tool, args, parallel: tool.parallel?.(args) === true, lease } }
  } catch (error) {
    return refuse({ code: 'TOOL_FAILED', message: `${name} failed before it ran: ${String(error)}` })
  }
}

const refuse = (failure: Failure): Result<never> => ({ ok: false, failure })

function parseArguments(block: CallBlock, tool: Tool): Result<{ json: Json; args: never }> {
  const text = block.arguments.trim() === '' ? '{}' : block.arguments
  let json: Json
  try {
    json = JSON.parse(text) as Json
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return refuse(invalid(`The arguments of ${block.name} are not valid JSON: ${error.message}.`))
  }
  // Looked for in what was read, because JSON can spell every character in another way.
  if (tool.resolvesPlaceholders !== true && JSON.stringify(json).includes(placeholder)) return refuse(holdsPlaceholder)
  const parsed = tool.parameters.parse(json)
  if (parsed.ok) return { ok: true, value: { json, args: parsed.value } }
  for (const older of tool.accepts ?? []) {
    const before = older.parse(json)
    if (before.ok) return { ok: true, value: { json, args: before.value } }
  }
  return refuse(invalid(parsed.problems.join('\n')))
}

const holdsPlaceholder: Failure = {
  code: 'SECRET_PLACEHOLDER',
  message: 'The arguments hold the placeholder of a secret, which stands for a value you cannot see.',
  next: 'Leave the value where it is: refer to the file or the environment variable that holds it.',
}

const invalid = (message: string): Failure => ({
  code: 'INVALID_ARGUMENTS',
  message,
  next: 'Nothing was run. Call the tool again with arguments that fit its schema.',
})

function unknownTool(name: string, set: ToolSet): Failure {
  const names = set.tools.entries().map(([known]) => known)
  return {
    code: 'UNKNOWN_TOOL',
    message: `There is no tool named ${JSON.stringify(name)}.`,
    next: `The tools are: ${names.join(', ')}.`,
  }
}
