import type { DataOf, EventNamed, EventType, Json } from '@rein/session'

/** One event as it stands in a log, for drawing. */
export function event<T extends EventType>(type: T, data: DataOf<T>): EventNamed<T> {
  return { seq: 7, time: 0, type, data, hash: '' } as unknown as EventNamed<T>
}

export const result = (
  outcome: DataOf<'tool/result'>['outcome'],
  { view, text = 'content' }: { readonly view?: Json; readonly text?: string } = {},
): EventNamed<'tool/result'> =>
  event('tool/result', {
    call: 'c1',
    name: 'bash',
    outcome,
    content: [{ type: 'text', text }],
    ...(view !== undefined && { view }),
  })
