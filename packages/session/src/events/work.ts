import type { Failure } from '../failure.ts'
import type { Json } from './content.ts'
import type { EventOf } from './envelope.ts'
import type { Usage } from './request.ts'
import type { TurnOutcome } from './turn.ts'

/** Work beside the conversation: compaction, slash commands, jobs, child agents, workspace snapshots, plugins' own facts. */
export type WorkFamily =
  | EventOf<
      'compaction/start',
      { id: string; reason: 'threshold' | 'person' | 'overflow'; range: readonly [number, number] }
    >
  | EventOf<'compaction/summary', { id: string; request: string; text: string }>
  | EventOf<
      'compaction/end',
      {
        id: string
        outcome: 'accepted' | 'pruned' | 'rejected' | 'cancelled' | 'interrupted' | 'failed'
        error?: Failure
      }
    >
  | EventOf<'command/run', { id: string; name: string; arguments: string; by: 'person' | 'client' }>
  | EventOf<'command/done', { id: string; outcome: 'done' | 'failed' | 'cancelled' | 'interrupted'; error?: Failure }>
  | EventOf<'job/start', { id: string; kind: string; label: string; call?: string }>
  | EventOf<
      'job/end',
      { id: string; outcome: 'done' | 'failed' | 'stopped' | 'lost'; exitCode?: number | null; signal?: string | null }
    >
  | EventOf<'agent/spawned', { id: string; kind: 'spawn' | 'fork'; label: string; depth: number; call?: string }>
  | EventOf<'agent/settled', { id: string; outcome: TurnOutcome; usage: Usage | null; cost?: number }>
  | EventOf<
      'files/snapshot',
      { id: string; turn: number; when: 'before' | 'after'; files: number; bytes: number; skipped: readonly string[] }
    >
  | EventOf<'files/restored', { snapshot: string; paths: readonly string[] }>
  /** A plugin's own fact, at most 64 KB as JSON; it survives fork and rewind and never reaches the model. */
  | EventOf<'plugin/note', { plugin: string; kind: string; v: number; data: Json }>
