import type { EventType, SessionEvent } from '../events/index.ts'
import type { Fold } from '../fold.ts'
import { SharedList, SharedMap } from '../shared.ts'
import { type Surface, surface } from './surface.ts'

/** What a person sees: the surface, plus what was shadowed, marked as such, plus marks the model never sees. */
export interface Transcript {
  /** In the order of the log; an entry is its event. */
  readonly entries: SharedList<SessionEvent>
  /** Seqs of entries the model no longer sees. */
  readonly shadowed: SharedMap<number, true>
  /** The surface after each event that changed it, so that a rewind finds its place. */
  readonly past: SharedList<{ readonly seq: number; readonly surface: Surface }>
}

/** What the machinery needs to remember and no person to see; `rein show --events` has it. */
const hidden: ReadonlySet<EventType> = new Set<EventType>([
  'session/start',
  'session/migrated',
  'turn/start',
  'step/start',
  'step/end',
  'inbox/spliced',
  'request/header',
  'request/sent',
  'assistant/chunks',
  'retry/started',
  'compaction/start',
  'compaction/summary',
  'files/snapshot',
])

/** Shows what was rewound too, marked; so it never goes back itself. */
export const transcript: Fold<Transcript> = {
  rewinds: false,
  initial: { entries: SharedList.of(), shadowed: SharedMap.empty(), past: SharedList.of() },
  step(state, event) {
    if (hidden.has(event.type)) return state
    const entries = state.entries.push(event)
    const before = state.past.at(-1)?.surface ?? surface.initial
    const after = event.type === 'session/rewound' ? surfaceAt(state, event.data.to) : surface.step(before, event)
    if (after === before) return { ...state, entries }
    const past = state.past.push({ seq: event.seq, surface: after })
    // A rewind to what was rewound before brings messages back that were marked as gone.
    const added = event.type !== 'session/rewound' && after.messages.extends(before.messages)
    if (added) return { ...state, entries, past }
    return { entries, past, shadowed: remark(state.shadowed, before, after) }
  },
}

function surfaceAt(state: Transcript, seq: number): Surface {
  let low = 0
  let high = state.past.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((state.past.at(middle)?.seq ?? 0) <= seq) low = middle + 1
    else high = middle
  }
  return low === 0 ? surface.initial : (state.past.at(low - 1)?.surface ?? surface.initial)
}

function remark(marks: SharedMap<number, true>, before: Surface, after: Surface): SharedMap<number, true> {
  const visible = new Set([...after.messages].map((message) => message.seq))
  let next = marks
  for (const message of before.messages) if (!visible.has(message.seq)) next = next.set(message.seq, true)
  for (const seq of visible) next = next.delete(seq)
  return next
}
