import type { Failure } from '../failure.ts'
import type { Json } from './content.ts'
import type { EventOf } from './envelope.ts'
import type { Usage } from './request.ts'
import type { TurnOutcome } from './turn.ts'

/** Work beside the conversation: compaction, slash commands, jobs, child agents, workspace snapshots, plugins' own facts. */
export type WorkFamily =
  /** Messages `range` are to be summed up: a threshold was reached, a person asked, or a request was too long. */
  | EventOf<
      'compaction/start',
      { id: string; reason: 'threshold' | 'person' | 'overflow'; range: readonly [number, number] }
    >
  /** What a side request made of them; on the surface it is the message that replaces them. */
  | EventOf<'compaction/summary', { id: string; request: string; text: string }>
  /** `accepted`: a summary replaced them. `pruned`: only results were shortened. Else the surface is as it was. */
  | EventOf<
      'compaction/end',
      {
        id: string
        outcome: 'accepted' | 'pruned' | 'rejected' | 'cancelled' | 'interrupted' | 'failed'
        error?: Failure
      }
    >
  /** A slash command that touches the session was given. */
  | EventOf<'command/run', { id: string; name: string; arguments: string; by: 'person' | 'client' }>
  /** The one end of that command. */
  | EventOf<'command/done', { id: string; outcome: 'done' | 'failed' | 'cancelled' | 'interrupted'; error?: Failure }>
  /** A process that goes on beside the turns. */
  | EventOf<'job/start', { id: string; kind: string; label: string; call?: string }>
  /** `lost`: its process was gone when the session was opened again. */
  | EventOf<
      'job/end',
      { id: string; outcome: 'done' | 'failed' | 'stopped' | 'lost'; exitCode?: number | null; signal?: string | null }
    >
  /** A child agent began; `id` is its session. */
  | EventOf<'agent/spawned', { id: string; kind: 'spawn' | 'fork'; label: string; depth: number; call?: string }>
  /** The one end of a child agent. */
  | EventOf<'agent/settled', { id: string; outcome: TurnOutcome; usage: Usage | null; cost?: number }>
  /** The workspace was kept before the first change of a turn, and at its end. `skipped`: paths a limit left out, the first few. */
  | EventOf<
      'files/snapshot',
      { id: string; turn: number; when: 'before' | 'after'; files: number; bytes: number; skipped: readonly string[] }
    >
  /** Files were put back as they were in that snapshot. */
  | EventOf<'files/restored', { snapshot: string; paths: readonly string[] }>
  /** A plugin's own fact, at most 64 KB as JSON; it survives fork and rewind and never reaches the model. */
  | EventOf<'plugin/note', { plugin: string; kind: string; v: number; data: Json }>
