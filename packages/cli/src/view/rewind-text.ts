import { type Rewind, type SessionEvent, turnsOf } from '@rein/session'
import { counted } from './amount.ts'
import type { Paint } from './paint.ts'
import { turnLine } from './session-tree.ts'

/** Whether the model sees the same messages before and after. */
export const changesNothing = ({ leaves, returns }: Rewind): boolean => leaves.length === 0 && returns.length === 0

/** What a rewind does, for people: where it goes, what leaves and what comes back, and by which turns these were. */
export function rewindText(
  plan: Rewind,
  {
    events,
    colors,
    width,
  }: { readonly events: readonly SessionEvent[]; readonly colors: Paint; readonly width: number },
): readonly string[] {
  const { to, asked, leaves, returns } = plan
  const moved =
    to === asked
      ? []
      : [colors.yellow(`At event ${asked} a call waits for its result: event ${to} is the nearest place before it.`)]
  if (changesNothing(plan)) return [...moved, `The model sees the same as it does after event ${to}.`]
  const told = (what: string, messages: Rewind['leaves']): string[] => {
    if (messages.length === 0) return []
    const seqs = messages.map(({ seq }) => seq)
    const turns = turnsOf(events).filter(({ from, to: end }) => seqs.some((seq) => seq >= from && seq <= end))
    const lines = turns.map((turn) => `  ${turnLine({ ...turn, stands: 'all' }, colors, width - 2)}`)
    return [`${counted(messages.length, 'message')} ${what} what the model sees:`, ...lines]
  }
  const one = (count: number, many: string, single: string) => (count === 1 ? single : many)
  return [
    ...moved,
    ...told(one(leaves.length, 'leave', 'leaves'), leaves),
    ...told(one(returns.length, 'come back to', 'comes back to'), returns),
  ]
}
