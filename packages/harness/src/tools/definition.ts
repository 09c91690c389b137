import type { Content, Failure, Fold, Json, PermissionMode, SeenFile, SeenState } from '@rein/session'

/** Arguments as the model may give them: their JSON Schema, and the check that turns unknown JSON into `A`. */
export interface Parameters<A> {
  /** A JSON Schema object schema, sent to the model by value. */
  readonly schema: Json
  /** @returns the arguments, or one sentence a problem, each naming the argument and what it must be. */
  parse(
    value: unknown,
  ): { readonly ok: true; readonly value: A } | { readonly ok: false; readonly problems: readonly string[] }
}

/** One call as the model asked for it. */
export interface Call {
  readonly id: string
  readonly name: string
  /** JSON text as the model wrote it. */
  readonly arguments: string
  readonly turn: number
  readonly step: number
}

/** What a call is going to touch; guards decide on this, never on text. Paths are absolute and not yet resolved. */
export type Access =
  | { readonly kind: 'read' | 'write'; readonly path: string }
  | { readonly kind: 'command'; readonly command: string; readonly cwd: string }

/** What a tool may use while it runs. Everything it does to the session goes through here. */
export interface CallContext {
  readonly call: Call
  /** Absolute. */
  readonly cwd: string
  readonly mode: PermissionMode
  /** Aborts when the turn is cancelled or the call's time is up; a tool stops its work and returns or throws. */
  readonly signal: AbortSignal
  /** What this session has seen of a file, ranges merged; undefined when nothing. `path` must be resolved. */
  seen(path: string): SeenState | undefined
  /** Keep a fact of this plugin's own in the log (`plugin/note`). */
  note(kind: string, data: Json): void
  /** The current state of a fold over the session. */
  state<S>(fold: Fold<S>): S
  /** Show a person what happens while it happens. Never reaches the model. */
  progress(text: string): void
  /** Keep the whole of an output that is too large for the model. */
  readonly spill: Spill
}

/** A port a store fulfils: files of one session that hold what was too large for a message. */
export interface Spill {
  /** A new writable file. `path` is absolute and readable by the model's tools. */
  open(name: string): Promise<SpillFile>
}

export interface SpillFile {
  readonly path: string
  write(bytes: Uint8Array): Promise<void>
  close(): Promise<void>
}

/** How a body ended. Denied, not-started and unknown are decided outside the body. */
export type ToolOutput =
  | {
      readonly kind: 'done'
      readonly content: string | readonly Content[]
      readonly view?: Json
      readonly seen?: readonly SeenFile[]
    }
  | {
      readonly kind: 'failed'
      readonly failure: Failure
      readonly content?: string
      readonly view?: Json
      readonly seen?: readonly SeenFile[]
    }
  | { readonly kind: 'timed-out'; readonly afterMs: number; readonly content: string; readonly view?: Json }
  /** It stopped because the turn was cancelled; the words say what is known of its effect. */
  | { readonly kind: 'cancelled'; readonly content: string; readonly view?: Json }
  | { readonly kind: 'denied'; readonly by: string; readonly reason: string; readonly content?: string }

/** A capability the model can call. One file a tool, its model-facing text beside it as `.md`. */
export interface ToolDefinition<A> {
  /** 1–64 characters of `[a-zA-Z0-9_-]`. */
  readonly name: string
  /** What the model reads; Markdown. */
  readonly description: string
  readonly parameters: Parameters<A>
  /**
   * Older schemas this tool still takes, each parsed into today's arguments. A session keeps telling the model the
   * schema it began with as long as that is one of these; any other is replaced, which moves the front of requests.
   */
  readonly accepts?: readonly Parameters<A>[]
  /** `none`: it only reads. Decides whether `tool/call` is synced before the run. */
  effects(args: A): 'none' | 'some'
  /** Safe to run beside other calls with these arguments (rule 4). Default: never. */
  parallel?(args: A): boolean
  /** What guards are shown. Default: nothing. */
  accesses?(args: A, cwd: string): readonly Access[]
  /**
   * The tool puts the secrets of a file back for their placeholders itself, from a fresh scan of the same file. To any
   * other tool a placeholder in the arguments is refused.
   */
  readonly resolvesPlaceholders?: true
  /** Hard limit of one call in milliseconds. Default 600,000. */
  readonly timeoutMs?: number
  /** One line for people, such as `src/a.ts:1-40`. */
  title?(args: A): string
  /** Expected trouble is returned; a throw is a bug and becomes `TOOL_FAILED`. */
  run(args: A, context: CallContext): Promise<ToolOutput>
}

/** The same with its argument type hidden, as a registry keeps it. */
export type Tool = ToolDefinition<never>

/** Hide the argument type: `parse` guards every other method, so no caller can hand in the wrong one. */
export const tool = <A>(definition: ToolDefinition<A>): Tool => definition as ToolDefinition<never>
