import type { Failure } from '../failure.ts'
import type { Block, Content, Json, Origin, Source } from './content.ts'
import type { EventOf } from './envelope.ts'

/** One section of the system text: who owns it, where it stands, how large it is. */
export interface SectionRecord {
  readonly name: string
  readonly order: number
  readonly owner: string
  /** UTF-8 bytes. */
  readonly bytes: number
  readonly sha256: string
}

/** How one call ended. Exactly one appended `tool/result` a call (rule 2). */
export type ResultOutcome =
  | { readonly kind: 'done' }
  | { readonly kind: 'failed'; readonly failure: Failure }
  | { readonly kind: 'denied'; readonly by: string; readonly reason: string }
  | { readonly kind: 'timed-out'; readonly afterMs: number }
  | { readonly kind: 'cancelled' }
  /** Never began: running it again cannot do anything twice. */
  | { readonly kind: 'not-started' }
  /** Began, then the process died: it may or may not have happened. */
  | { readonly kind: 'unknown' }

/** A version of a file the model has seen: what an edit or overwrite is checked against (rule 12). */
export interface SeenFile {
  /** Absolute, symlinks resolved. */
  readonly path: string
  /** SHA-256 of the whole file's bytes. */
  readonly hash: string
  /** Lines shown, 1-based and inclusive; absent when the whole file was seen. */
  readonly range?: readonly [first: number, last: number]
}

export type MessageFamily =
  | EventOf<'system/message', { text: string; sections: readonly SectionRecord[] }>
  /** `item` names the inbox item this message claims. */
  | EventOf<'user/message', { content: readonly Content[]; source: Source; item?: string }>
  /** `interrupted`: the reply did not finish; what was streamed is kept, unfinished calls are not. */
  | EventOf<
      'assistant/message',
      { request: string; content: readonly Block[]; origin: Origin; interrupted?: 'cancelled' | 'failed' | 'crashed' }
    >
  /** Written directly before the tool runs; a crash from here on means the outcome is unknown. */
  | EventOf<
      'tool/call',
      {
        turn: number
        step: number
        call: string
        name: string
        arguments: string
        /** The tool declared these arguments safe to run beside others. */
        parallel: boolean
        /** `none`: read-only, the record was written before the run. `some`: the record was synced before the run. */
        effects: 'none' | 'some'
      }
    >
  /** `content` is for the model; `view` is for people, structured and bounded, and no encoder reads it. */
  | EventOf<
      'tool/result',
      {
        call: string
        name: string
        outcome: ResultOutcome
        content: readonly Content[]
        view?: Json
        seen?: readonly SeenFile[]
        /** Blob or file that holds the whole output when `content` is bounded. */
        spill?: string
        durationMs?: number
      }
    >
