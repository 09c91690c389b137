import type { SessionEvent } from './events/index.ts'
import { faultOf } from './line.ts'
import { recordOf, textOf } from './records.ts'

/**
 * The events at the end of a log whose beginning was not read, in order. They are checked one by one and not chained to
 * what stands before them: good for showing, never for going on. What is cut, damaged or unknown is left out.
 * @param bytes the end of a log; it may begin in the middle of a line, or of a character.
 */
export function tailEvents(bytes: Uint8Array): readonly SessionEvent[] {
  const events: SessionEvent[] = []
  for (const [index, text] of textOf(bytes).split('\n').entries()) {
    const found = recordOf({ text: text.endsWith('\r') ? text.slice(0, -1) : text, at: { line: index + 1, offset: 0 } })
    if (!found || faultOf(found.event) !== undefined) continue
    if (found.event.seq > (events.at(-1)?.seq ?? -1)) events.push(found.event)
  }
  return events
}
