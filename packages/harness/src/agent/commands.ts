import { type Registry, service } from '@rein/kernel'
import type { Result } from '@rein/session'
import type { Agent } from './agent.ts'

/** Something a person can ask of a session by `/name`. A client adds its own; these are for every client. */
export interface SlashCommand {
  /** What it takes, for the list of commands, such as `[name]`; empty: nothing. */
  readonly takes: string
  readonly help: string
  /** Runs from idle, in the log between `command/run` and `command/done`. @returns what to tell the person. */
  run(argument: string, agent: Agent): Promise<Result<string>>
}

/** Commands by name, without the slash. */
export const Commands = service<Registry<SlashCommand>>('commands')
