const unitMs: { readonly [unit: string]: number } = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }

/**
 * A moment as a person types it: `7d`, `12h`, `30m` or `2w` ago, `today`, `yesterday`, a day `2026-03-01`, or a moment
 * `2026-03-01T14:05` on this machine's clock.
 * @param edge which end of a day is meant.
 * @returns milliseconds since 1970; undefined when it is none of these.
 */
export function when(typed: string, edge: 'start' | 'end', now: number): number | undefined {
  const text = typed.trim().toLowerCase()
  const ago = /^(\d{1,6})([mhdw])$/.exec(text)
  if (ago) return now - Number(ago[1]) * (unitMs[ago[2] ?? ''] ?? 0)
  const today = new Date(now)
  if (text === 'today' || text === 'yesterday') {
    const back = text === 'today' ? 0 : 1
    return day(new Date(today.getFullYear(), today.getMonth(), today.getDate() - back), edge)
  }
  const [, year, month, date, hour, minute] =
    /^(\d{4})-(\d{2})-(\d{2})(?:[t ](\d{2}):(\d{2}))?$/.exec(text)?.map(Number) ?? []
  if (year === undefined || month === undefined || date === undefined) return undefined
  // 31 February would be a day of March.
  const found = new Date(year, month - 1, date)
  if (found.getMonth() !== month - 1 || found.getDate() !== date) return undefined
  if (hour === undefined || minute === undefined || Number.isNaN(hour)) return day(found, edge)
  return hour < 24 && minute < 60 ? new Date(year, month - 1, date, hour, minute).getTime() : undefined
}

/** @param start midnight at its beginning. */
function day(start: Date, edge: 'start' | 'end'): number {
  if (edge === 'start') return start.getTime()
  // A day is not always 24 hours long.
  return new Date(start.getFullYear(), start.getMonth(), start.getDate() + 1).getTime() - 1
}
