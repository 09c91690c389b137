import type { DataOf, EventNamed, SessionEvent } from '@rein/session'
import type { ModelChoice } from '../agent/header.ts'
import type { TurnEnd } from '../agent/loop.ts'
import { CallPlaces } from './call-places.ts'
import { givenIn } from './declared.ts'
import { stopsIn } from './stops.ts'

/** A stretch of a recording one process wrote, from what opened the session to the next opening, damage or the end. */
export interface Stretch {
  /** Seq of its first event; everything before is given. */
  readonly from: number
  /** Seq after its last event. */
  readonly until: number
}

/** A log as something to be driven again: what was said from outside, and where. */
export class Recording {
  readonly events: readonly SessionEvent[]
  readonly stretches: readonly Stretch[]
  /** Seqs of events that stand for lost ones. */
  readonly damage: readonly number[]
  /** How the requests of this session ended, by request id. */
  readonly settled = new Map<string, EventNamed<'request/settled'>>()
  readonly messages = new Map<string, EventNamed<'assistant/message'>>()
  readonly calls: CallPlaces
  readonly #headers = new Map<number, DataOf<'request/header'>>()
  readonly #given: readonly boolean[]
  readonly #ahead: readonly (DataOf<'request/header'> | undefined)[]
  readonly #stops: ReadonlyMap<number, TurnEnd>

  constructor(events: readonly SessionEvent[]) {
    this.events = events
    this.#given = givenIn(events)
    this.calls = new CallPlaces(events)
    this.damage = events.flatMap((e) => (e.type === 'session/damage' && e.data.events > 0 ? [e.seq] : []))
    this.stretches = stretchesOf(events, this.damage)
    for (const event of events) this.#index(event)
    this.#ahead = this.#headersAhead()
    this.#stops = stopsIn(events, { stretches: this.stretches, isGiven: (seq) => this.isGiven(seq) })
  }

  isGiven(seq: number): boolean {
    return this.#given[seq] === true
  }

  /** The header that is made, or that a step's request is made with, next at or after `seq`. */
  nextHeader(seq: number): DataOf<'request/header'> | undefined {
    return this.#ahead[seq]
  }

  /** The header in force for a model, the first that was recorded for it. */
  headerFor({ provider, model }: ModelChoice): DataOf<'request/header'> | undefined {
    return [...this.#headers.values()].find((header) => header.provider === provider && header.model === model)
  }

  /** How the turn was told to end directly before this event, when it was. */
  stopAt(seq: number): TurnEnd | undefined {
    return this.#stops.get(seq)
  }

  #headersAhead(): readonly (DataOf<'request/header'> | undefined)[] {
    const ahead: (DataOf<'request/header'> | undefined)[] = []
    let next: DataOf<'request/header'> | undefined
    for (const event of this.events.toReversed()) {
      if (!this.isGiven(event.seq)) {
        if (event.type === 'request/sent') next = this.#headers.get(event.data.header)
        if (event.type === 'request/header') next = event.data
      }
      ahead.push(next)
    }
    return ahead.toReversed()
  }

  #index(event: SessionEvent): void {
    if (event.type === 'request/settled') this.settled.set(event.data.id, event)
    else if (event.type === 'assistant/message') this.messages.set(event.data.request, event)
    else if (event.type === 'request/header') this.#headers.set(event.seq, event.data)
  }
}

/** A fork's own part begins with its mark; every opening afterwards is a stretch of its own. */
function stretchesOf(events: readonly SessionEvent[], damage: readonly number[]): readonly Stretch[] {
  const first = Math.max(
    events.findLastIndex(({ type }) => type === 'session/fork'),
    0,
  )
  const opens = events.flatMap(({ type, seq }) => (seq > first && type === 'session/resume' ? [seq] : []))
  const starts = events.length === 0 ? [] : [first, ...opens]
  return starts.map((from, at) => {
    const until = starts[at + 1] ?? events.length
    return { from, until: damage.find((seq) => seq >= from && seq < until) ?? until }
  })
}
