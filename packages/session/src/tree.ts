import type { EventNamed, SessionEvent } from './events/index.ts'
import type { TurnOutcome } from './events/turn.ts'
import { standing } from './fold.ts'

/** One turn as somebody looks for it who wants to go back. */
export interface TurnEntry {
  readonly kind: 'turn'
  readonly turn: number
  /** Seq of its first event: a rewind or fork to the one before undoes the turn. */
  readonly from: number
  /** Seq of its last event: a rewind or fork to it keeps the turn. */
  readonly to: number
  /** What was said first in it by a person, else by whoever began it; '' when nothing was. */
  readonly prompt: string
  /** Undefined while it is open. */
  readonly outcome: TurnOutcome | undefined
  /** How much of it no rewind took back. */
  readonly stands: 'all' | 'part' | 'none'
}

/** A place where a session branched or changed what it shows, between its turns. */
export type TreeEntry =
  | TurnEntry
  | { readonly kind: 'rewound'; readonly seq: number; readonly to: number }
  | { readonly kind: 'forked'; readonly seq: number; readonly id: string; readonly parent: string; readonly at: number }
  /** Older messages were summed up. */
  | { readonly kind: 'compacted'; readonly seq: number; readonly stands: boolean }

/** Turns, rewinds, forks and compactions of a log in the order they happened. Linear in the log. */
export function tree(events: readonly SessionEvent[]): readonly TreeEntry[] {
  const left = new Set(standing(events).map(({ seq }) => seq))
  const entries: TreeEntry[] = []
  let open: Draft | undefined
  const close = (to: number, outcome?: TurnOutcome) => {
    if (open) entries.push(entryOf(open, { to, outcome, left }))
    open = undefined
  }
  for (const event of events) {
    if (event.type === 'turn/start') {
      close(event.seq - 1)
      open = { start: event, prompt: '', byPerson: false }
    } else if (event.type === 'turn/end') close(event.seq, event.data.outcome)
    else if (event.type === 'user/message' && open) open = heard(open, event)
    else {
      const entry = markOf(event, left)
      if (entry) entries.push(entry)
    }
  }
  close(events.length - 1)
  return entries
}

/** The turns of a log alone. */
export const turnsOf = (events: readonly SessionEvent[]): readonly TurnEntry[] =>
  tree(events).filter((entry) => entry.kind === 'turn')

/** What people and programs said in a message, as text. */
export const saidIn = ({ data }: EventNamed<'user/message'>): string =>
  data.content.map((part) => (part.type === 'text' ? part.text : `(${part.type})`)).join('\n')

interface Draft {
  readonly start: EventNamed<'turn/start'>
  readonly prompt: string
  readonly byPerson: boolean
}

/** A person's words say best what a turn was about; a snapshot of the surroundings says nothing. */
function heard(draft: Draft, event: EventNamed<'user/message'>): Draft {
  const { kind } = event.data.source
  if (draft.byPerson || kind === 'context' || (draft.prompt !== '' && kind !== 'person')) return draft
  return { ...draft, prompt: saidIn(event), byPerson: kind === 'person' }
}

function entryOf(
  { start, prompt }: Draft,
  at: { readonly to: number; readonly outcome: TurnOutcome | undefined; readonly left: ReadonlySet<number> },
): TurnEntry {
  const { to, outcome, left } = at
  const stands = !left.has(start.seq) ? 'none' : left.has(to) ? 'all' : 'part'
  return { kind: 'turn', turn: start.data.turn, from: start.seq, to, prompt, outcome, stands }
}

function markOf(event: SessionEvent, left: ReadonlySet<number>): TreeEntry | undefined {
  switch (event.type) {
    case 'session/rewound':
      return { kind: 'rewound', seq: event.seq, to: event.data.to }
    case 'session/fork': {
      const { id, parent, at } = event.data
      return { kind: 'forked', seq: event.seq, id, parent, at }
    }
    case 'compaction/end':
      return event.data.outcome === 'accepted'
        ? { kind: 'compacted', seq: event.seq, stands: left.has(event.seq) }
        : undefined
    default:
      return undefined
  }
}
