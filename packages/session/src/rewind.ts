import type { EventNamed, MessageEvent, SessionEvent } from './events/index.ts'
import { fold } from './fold.ts'
import { type Surface, surface } from './folds/surface.ts'
import { turns } from './folds/turns.ts'
import type { SessionLog } from './log.ts'
import type { Result } from './store.ts'

/** What a rewind does to the surface, worked out before it is done. */
export interface Rewind {
  /** The event that was asked for. */
  readonly asked: number
  /** Where it goes: `asked`, or the nearest event before it after which no call on the surface waits for its result. */
  readonly to: number
  /** Messages the model sees now and no longer afterwards, in the surface's order. */
  readonly leaves: readonly MessageEvent[]
  /** Messages the model does not see now and sees again afterwards: of what was rewound, or of what was summed up. */
  readonly returns: readonly MessageEvent[]
}

/** Plan to take off the surface what came after event `asked`. Fails `USAGE` when there is no such event. */
export function planRewind(events: readonly SessionEvent[], asked: number): Result<Rewind> {
  if (!events[asked]) return { ok: false, failure: noEvent(asked, events.length) }
  const to = soundPlace(events, asked)
  const [now, then] = [[...fold(surface, events).messages], [...fold(surface, events, to + 1).messages]]
  const [seen, kept] = [seqs(now), seqs(then)]
  const leaves = now.filter(({ seq }) => !kept.has(seq))
  return { ok: true, value: { asked, to, leaves, returns: then.filter(({ seq }) => !seen.has(seq)) } }
}

/**
 * Rewind a log in the hands of its writer. Nothing is removed: rewinding to the event before the rewind takes it back.
 * Fails `USAGE` while a turn is open, and for an event behind the end.
 */
export function rewind(
  log: SessionLog,
  { to, by = 'person' }: { readonly to: number; readonly by?: 'person' | 'plugin' },
): Result<EventNamed<'session/rewound'>> {
  if (log.state(turns).turnOpen)
    return {
      ok: false,
      failure: { code: 'USAGE', message: 'a turn is open; a rewind waits until it has ended', next: 'Stop it first.' },
    }
  if (!log.events[to]) return { ok: false, failure: noEvent(to, log.events.length) }
  return { ok: true, value: log.append('session/rewound', { to: soundPlace(log.events, to), by }) }
}

/** The last event up to `asked` after which the next request is whole: every call the model made has its result. */
export function soundPlace(events: readonly SessionEvent[], asked: number): number {
  for (let to = asked; ; ) {
    const asking = waiting(fold(surface, events, to + 1))
    if (!asking) return to
    to = asking.seq - 1
  }
}

/** The message whose calls are still without a result. Only the last one can be, unless damage took a result. */
function waiting({ messages }: Surface): EventNamed<'assistant/message'> | undefined {
  const answered = new Set<string>()
  for (let index = messages.length - 1; index >= 0; index--) {
    const message = messages.at(index)
    if (message?.type === 'tool/result') answered.add(message.data.call)
    if (message?.type !== 'assistant/message') continue
    const open = message.data.content.some((block) => block.type === 'call' && !answered.has(block.id))
    return open ? message : undefined
  }
  return undefined
}

const seqs = (messages: readonly MessageEvent[]): ReadonlySet<number> => new Set(messages.map(({ seq }) => seq))

const noEvent = (asked: number, length: number) =>
  ({
    code: 'USAGE',
    message: `there is no event ${asked}; the session has events 0 to ${length - 1}`,
    next: '`rein show <id> --tree` has the turns and where each ends.',
  }) as const
