import type { ReadLog, ReadOptions } from './damage.ts'
import { Lines } from './lines.ts'
import { LogReader } from './reader.ts'
import type { Result } from './store.ts'

export type { Damage, ReadLog, ReadOptions } from './damage.ts'

/**
 * Read a log from its raw bytes. Nothing readable is thrown away, whatever stands around it. Empty lines and CR before
 * LF are no damage.
 * Fails `FORMAT_TOO_NEW` when the log's format, or an event in its place that may not be skipped, is not known here.
 */
export async function readLog(bytes: AsyncIterable<Uint8Array>, options: ReadOptions): Promise<Result<ReadLog>> {
  const reader = new LogReader(options)
  const lines = new Lines((line, text) => reader.line(line, text))
  for await (const block of bytes) lines.add(block)
  return reader.finish(lines.end())
}
