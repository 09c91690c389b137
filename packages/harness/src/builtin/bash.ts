import type { Json } from '@rein/session'
import * as v from 'valibot'
import type { Ran } from '../process/run.ts'
import type { Shell } from '../process/shell.ts'
import { type Tool, type ToolOutput, tool } from '../tools/definition.ts'
import { fromValibot } from '../tools/parameters.ts'
import { text } from './text.ts'

const DEFAULT_MS = 120_000
const MOST_MS = 600_000
/** Ending a tree and draining its output come on top of a command's own time. */
const MARGIN_MS = 10_000

const schema = v.strictObject({
  command: v.pipe(v.string(), v.nonEmpty()),
  timeout_ms: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(MOST_MS))),
  description: v.optional(v.string()),
})

/** Runs command lines in the session's directory. A command that fails is told, not a failure of the tool. */
export function bashTool({ shell }: { readonly shell: Shell }): Tool {
  return tool<v.InferOutput<typeof schema>>({
    name: 'bash',
    description: text(import.meta.url, './bash.md'),
    parameters: fromValibot(schema),
    effects: () => 'some',
    accesses: ({ command }, cwd) => [{ kind: 'command', command, cwd }],
    timeoutMs: MOST_MS + MARGIN_MS,
    title: ({ command, description }) => description ?? command.split('\n', 1)[0] ?? command,
    async run({ command, timeout_ms: timeoutMs = DEFAULT_MS }, context) {
      if (command.includes('\0'))
        return { kind: 'failed', failure: { code: 'INVALID_ARGUMENTS', message: '`command` holds a NUL character.' } }
      const { cwd, mode, signal, spill, call } = context
      const ran = await shell.run(
        { command, cwd, mode, timeoutMs, signal },
        { overflow: () => spill.open(`${call.id}.txt`), onOutput: (recent) => context.progress(recent) },
      )
      return ran.ok ? answer(command, timeoutMs, ran.value) : { kind: 'failed', failure: ran.failure }
    },
  })
}

function answer(command: string, timeoutMs: number, ran: Ran): ToolOutput {
  const facts = factsOf(ran, timeoutMs)
  const output = ran.output.text.replace(/(?<!\n)\n+$/, '')
  const content = [...(output === '' ? [] : [output]), ...facts].join('\n')
  const view = viewOf(command, ran)
  if (ran.timedOut) return { kind: 'timed-out', afterMs: timeoutMs, content, view }
  if (ran.cancelled) return { kind: 'cancelled', content, view }
  return { kind: 'done', content: content === '' ? '(no output)' : content, view }
}

/** One line each, only what the output does not say itself. */
function factsOf(ran: Ran, timeoutMs: number): string[] {
  const facts: string[] = []
  if (ran.timedOut) facts.push(`[timed out after ${timeoutMs} ms; everything it started was killed]`)
  else if (ran.cancelled) facts.push('[cancelled; everything it started was killed]')
  else if (ran.signal !== null) facts.push(`[killed by ${ran.signal}]`)
  else if (ran.exitCode !== 0) facts.push(`[exit code ${ran.exitCode}]`)
  for (const { pid, command } of ran.survivors) facts.push(`[still running: ${pid} ${command}]`)
  return facts
}

function viewOf(command: string, { output, ...end }: Ran): Json {
  return {
    kind: 'command',
    command,
    exitCode: end.exitCode,
    signal: end.signal,
    timedOut: end.timedOut,
    cancelled: end.cancelled,
    durationMs: Math.round(end.durationMs),
    survivors: end.survivors.map(({ pid, command }) => ({ pid, command })),
    output: output.view,
    ...(output.path === undefined ? {} : { outputPath: output.path }),
  }
}
