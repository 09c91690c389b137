import type { Failure } from '../failure.ts'
import type { CallBlock, Content, Json } from './content.ts'
import type { EventOf } from './envelope.ts'

/** A tool as the model is told of it. */
export interface ToolSpec {
  readonly name: string
  readonly description: string
  /** JSON Schema of the arguments, an object schema. */
  readonly parameters: Json
}

/** How one server's reading of a wire protocol differs. A declared table of switches, never code. */
export interface Quirks {
  readonly systemRole: 'system' | 'developer'
  readonly maxTokensField: 'max_tokens' | 'max_completion_tokens'
  /** The field that carries reasoning back; `none` where a server refuses it. */
  readonly reasoningField: 'reasoning_content' | 'reasoning' | 'none'
  /** What stands for the content of an assistant message that only calls tools. */
  readonly emptyContent: 'null' | 'empty' | 'omit'
  readonly usageInStream: boolean
  readonly parallelCalls: 'omit' | 'true' | 'false'
}

/** Everything the encoder reads besides messages, by value: a request is rebuilt from this and the surface alone. */
export interface Header {
  readonly dialect: 'openai-chat' | 'anthropic-messages' | 'openai-responses' | 'google-generate'
  /** Version of the encoder; a change that alters output bytes is a new one. */
  readonly encoder: number
  readonly provider: string
  readonly model: string
  readonly quirks: Quirks
  readonly limits: {
    /** Tokens the model takes, prompt and reply together; null when not known. */
    readonly contextWindow: number | null
    /** Longest reply asked for, in tokens; null leaves it to the server. */
    readonly maxOutput: number | null
  }
  /** Sampling and other parameters, sent as given after the messages. */
  readonly parameters: { readonly [key: string]: Json }
  readonly tools: readonly ToolSpec[]
}

/** Four disjoint buckets of tokens. */
export interface Usage {
  /** Prompt tokens that were neither read from nor written to a cache. */
  readonly input: number
  readonly cacheRead: number
  readonly cacheWrite: number
  /** Reply tokens, reasoning included. */
  readonly output: number
  /** The part of `output` that was reasoning, when the provider says so. */
  readonly reasoning?: number
}

export type RequestKind = 'step' | 'compaction' | 'title' | 'judge'

/** Why the model stopped. `raw` is the provider's own word. */
export interface Finish {
  readonly reason: 'stop' | 'calls' | 'length' | 'filtered' | 'other'
  readonly raw: string
}

/** All in milliseconds from the start of the attempt; null when the moment never came. */
export interface Timing {
  readonly connectMs: number | null
  readonly firstByteMs: number | null
  readonly totalMs: number
}

/** A repair the encoder made by rule so that one bad block cannot make a session unusable. */
export interface Repair {
  readonly seq: number
  readonly rule:
    | 'orphan-result'
    | 'missing-result'
    | 'duplicate-id'
    | 'blank-text'
    | 'bad-arguments'
    | 'bad-name'
    | 'foreign-reasoning'
    | 'foreign-private'
    | 'no-image'
}

export type RequestFamily =
  | EventOf<'request/header', Header>
  /**
   * Written before the bytes leave. The body is the surface after event `at` under the header event `header`,
   * plus `extra` (a side request's own instruction, which never reaches the surface).
   */
  | EventOf<
      'request/sent',
      {
        id: string
        kind: RequestKind
        at: number
        header: number
        extra: readonly Content[] | null
        sha256: string
        bytes: number
        repairs: readonly Repair[]
        /** Names the event that moved the front, and whose it was (rule 18). */
        broke?: { event: number; owner: string }
      }
    >
  /**
   * What came of a reply while it streamed, at most ten times a second, for replay at token level: `{ms, kind, block,
   * …}`, with `ms` since the request; through the assembler they give the reply. A reader may skip it.
   */
  | EventOf<'assistant/chunks', { request: string; chunks: readonly Json[] }>
  /** The one record each model call ends in. */
  | EventOf<
      'request/settled',
      {
        id: string
        outcome: 'completed' | 'failed' | 'cancelled' | 'interrupted'
        finish: Finish | null
        usage: Usage | null
        /** Calls of a reply cut by the token limit: none of them ran (rule 6). */
        dropped: readonly CallBlock[]
        error: Failure | null
        timing: Timing | null
        /** US dollars, when the model has a price. */
        cost?: number
      }
    >
  /** `attempt` is the one that will follow, counted from 2. */
  | EventOf<'retry/scheduled', { turn: number; step: number; attempt: number; waitMs: number; error: Failure }>
  /** `outcome` is `started`, or `abandoned` when the turn ended during the wait. */
  | EventOf<'retry/started', { turn: number; step: number; attempt: number; outcome: 'started' | 'abandoned' }>
