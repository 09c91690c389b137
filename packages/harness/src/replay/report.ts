import type { ReadBlob, ReadLog } from '@rein/session'
import { closedLength } from '@rein/session'
import { type Explained, explain } from './cause.ts'
import type { LiveRun, ToolDifference } from './live-run.ts'
import type { Played } from './play.ts'
import type { Recording } from './recording.ts'
import { type RequestPlace, requestPlace } from './request-place.ts'
import type { ScratchCopy } from './scratch-copy.ts'

/** The first place where today's code does something else. */
export interface Divergence extends Explained {
  /** Seq in the recording. */
  readonly seq: number
  /** The recorded event's type. */
  readonly type: string
  /** The first request whose bytes are others by it; absent when it reaches none. */
  readonly request?: RequestPlace
}

/** What a replay came to. */
export interface Replayed {
  readonly id: string
  /** Events of the log. */
  readonly events: number
  /** Events that came out the same, and those that are given (`given` in declared.ts). */
  readonly same: number
  readonly given: number
  /** Requests of steps that came out the same, byte for byte. */
  readonly requests: number
  readonly divergence?: Divergence
  /** A prefix copied from another session: events before this are given as they are. */
  readonly copied: number
  /** Stretches that cannot be driven, because events before them in their process are lost. */
  readonly lost: readonly { readonly from: number; readonly until: number }[]
  /** The log ends inside a turn: it was replayed up to there. */
  readonly open: boolean
  /** Absent when results came from the log. */
  readonly live?: {
    readonly ran: number
    /** Calls that kept their recorded result, because nobody here gave leave for them. */
    readonly kept: number
    readonly bytes: number
    readonly entries: number
    readonly differences: readonly ToolDifference[]
  }
}

export function reportOf(at: {
  readonly id: string
  readonly log: ReadLog
  readonly blob: ReadBlob
  readonly recording: Recording
  readonly played: Played
  readonly live: LiveRun | undefined
  readonly copy: ScratchCopy | undefined
}): Replayed {
  const { id, recording, played, live, copy, blob } = at
  const { events, stretches } = recording
  const { parting, ...counts } = played
  const then = parting && events[parting.seq]
  const request = parting && requestPlace(events, parting, blob)
  return {
    id,
    events: events.length,
    ...counts,
    ...(parting &&
      then && {
        divergence: { seq: parting.seq, type: then.type, ...explain(then, parting), ...(request && { request }) },
      }),
    copied: stretches[0]?.from ?? 0,
    lost: lostIn(recording),
    open: closedLength(events) < events.length,
    ...(live && copy && { live: { ...sizeOf(copy), ran: live.ran, kept: live.kept, differences: live.differences } }),
  }
}

const sizeOf = ({ bytes, entries }: ScratchCopy) => ({ bytes, entries })

function lostIn({ events, stretches }: Recording): readonly { from: number; until: number }[] {
  return stretches.flatMap(({ until }, at) => {
    const next = stretches[at + 1]?.from ?? events.length
    return until < next ? [{ from: until, until: next }] : []
  })
}
