import { Playback, type PlaybackOptions } from './playback.ts'
import type { Parting } from './replay-log.ts'

/** How far a recording was driven again. */
export interface Played {
  /** The first place where today's agent went another way. */
  readonly parting: Parting | undefined
  /** Events that are the same, those that are given not counted. */
  readonly same: number
  readonly given: number
  /** Requests of steps among them: the same bytes. */
  readonly requests: number
}

/** Drive every stretch of a recording, one after the other, up to the first difference. */
export async function play(options: Omit<PlaybackOptions, 'stretch'>): Promise<Played> {
  const { recording } = options
  const played = { same: 0, given: 0, requests: 0 }
  for (const stretch of recording.stretches) {
    const parting = await new Playback({ ...options, stretch }).run()
    for (const { seq, type } of recording.events.slice(stretch.from, parting?.seq ?? stretch.until)) {
      if (recording.isGiven(seq)) played.given++
      else played.same++
      if (type === 'request/sent' && !recording.isGiven(seq)) played.requests++
    }
    if (parting) return { parting, ...played }
  }
  return { parting: undefined, ...played }
}
