import type { SessionEvent } from './events/index.ts'
import { type Chained, chained, knownFormats, migratedLog } from './migrate.ts'
import { type ReadLog, type ReadOptions, readLog } from './read.ts'
import type { Lease, Result } from './store.ts'

/** A log that was opened to be written to. */
export interface Mended {
  /** As it lay there. */
  readonly read: ReadLog
  /** What it holds now. */
  readonly events: readonly SessionEvent[]
  /** The side file that keeps what was replaced; undefined when the log was fine and nothing was written. */
  readonly aside: { readonly name: string; readonly bytes: number; readonly whole: boolean } | undefined
}

/** How a log is mended; `formats` are by default those this version knows. */
export interface MendOptions extends Pick<ReadOptions, 'hasher' | 'formats'> {
  /** Milliseconds since 1970, for the record of a migration. */
  readonly now: () => number
  /** The whole log as it lay there before the lease was taken: kept instead of only its damaged lines. */
  readonly original?: Uint8Array
}

/**
 * Make a log fit to be appended to: what could not be read is declared in its place, an older format becomes the newest.
 * Nothing is changed in place: the mended log is published beside the old one, and what was cut out is kept in a side
 * file; of a log of an older format, all of it. A log that is fine is left alone. Once a lease: it reads the log as it
 * was acquired.
 * Fails as `readLog` does, and then nothing is written.
 * @throws FailureError as `Lease.publish` does.
 */
export async function mend(lease: Lease, options: MendOptions): Promise<Result<Mended>> {
  const { hasher, formats = knownFormats } = options
  const read = await readLog(lease.bytes(), { hasher, formats })
  if (!read.ok) return read
  const older = read.value.format < formats.newest
  if (read.value.damage.length === 0 && !older) return fine(read.value, read.value.events, undefined)
  // A damaged log is read twice: its lines, for the log that takes its place, are kept only when they are needed.
  const name = older ? `format-${read.value.format}-${lease.epoch}` : `damaged-${lease.epoch}`
  const lines: string[] = []
  const again = await readLog(lease.bytes(), { hasher, formats, aside: name, onLine: (line) => lines.push(line) })
  if (!again.ok) return again
  const whole = options.original ?? (older ? await wholeOf(lease.bytes()) : undefined)
  const bytes = whole ?? joined(again.value.aside, Uint8Array.of(10))
  const { now } = options
  const next = older
    ? migratedLog(again.value, { to: formats.newest, now, hasher })
    : { events: again.value.events, lines }
  await lease.publish(next.lines, { name, bytes })
  return fine(again.value, next.events, { name, bytes: bytes.length, whole: whole !== undefined })
}

/** A log as another one takes it over: what it holds, in the newest format, and the lines of that. */
export async function copyOf(
  bytes: AsyncIterable<Uint8Array>,
  { hasher, formats = knownFormats }: Pick<ReadOptions, 'hasher' | 'formats'>,
): Promise<Result<Chained & { readonly read: ReadLog }>> {
  const lines: string[] = []
  const read = await readLog(bytes, { hasher, formats, onLine: (line) => lines.push(line) })
  if (!read.ok) return read
  const { events, format } = read.value
  const log = format < formats.newest ? chained(events, hasher) : { events, lines }
  return { ok: true, value: { ...log, read: read.value } }
}

const fine = (read: ReadLog, events: readonly SessionEvent[], aside: Mended['aside']): Result<Mended> => ({
  ok: true,
  value: { read, events, aside },
})

async function wholeOf(blocks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  // A block may be a view of a buffer that is filled again.
  for await (const block of blocks) parts.push(block.slice())
  return joined(parts, new Uint8Array())
}

function joined(parts: readonly Uint8Array[], between: Uint8Array): Uint8Array {
  const whole = new Uint8Array(parts.reduce((size, part) => size + part.length + between.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    whole.set(between, at + part.length)
    at += part.length + between.length
  }
  return whole
}
