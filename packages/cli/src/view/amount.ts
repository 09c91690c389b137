/** `1,234` */
export const count = (value: number): string => String(Math.round(value)).replaceAll(/\B(?=(\d{3})+$)/g, ',')

/** `1 event`, `1,234 events` */
export const counted = (value: number, noun: string): string => `${count(value)} ${noun}${value === 1 ? '' : 's'}`

/** A duration: `12 ms`, `3.4 s`, `2 min 5 s`. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`
  const seconds = Math.round(ms / 1000)
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}

/** A size in bytes: `812 B`, `4.2 KB`, `13 MB`. One thousand and twenty-four bytes are a KB. */
export function size(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`
  const units = ['KB', 'MB', 'GB', 'TB']
  let value = bytes / 1024
  let unit = 0
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1024
    unit++
  }
  return `${value < 9.95 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`
}

/** US dollars, with as many digits as a small amount needs: `$0.0042`, `$1.27`. */
export const dollars = (value: number): string => `$${value.toFixed(value > 0 && value < 0.1 ? 4 : 2)}`

const two = (value: number): string => (value < 10 ? `0${value}` : String(value))

/** A moment on this machine's clock: `2026-03-01 14:05`. */
export function moment(ms: number): string {
  const date = new Date(ms)
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`
}
