import type { MessageEvent, SessionEvent } from './events/index.ts'
import { States } from './states.ts'

/** A surface by the message that came to it last. */
export interface SurfaceEnd {
  readonly event: MessageEvent
  /** The surface it came to. */
  readonly earlier: SurfaceEnd | undefined
}

/** A message in the list. What is taken out keeps its neighbours, and so goes back between them. */
interface Place extends SurfaceEnd {
  readonly earlier: Place | undefined
  /** How many surfaces there were before this one. */
  readonly depth: number
  before: Place | undefined
  after: Place | undefined
  on: boolean
  /** What it stands for, first and last. */
  gone: { readonly first: Place; readonly last: Place } | undefined
}

/**
 * The surface after every event of a log, kept as one linked list that goes from one surface to another by taking moves
 * back and making them again. A move costs the same however long the surface is; a rewind costs what it takes back. The
 * fold that the writer uses gives the same messages.
 */
export class SurfaceChain {
  readonly #ends = new States<Place | undefined>(undefined)
  #first: Place | undefined
  #last: Place | undefined
  /** Which surface the list is. */
  #now: Place | undefined

  feed(event: SessionEvent): void {
    if (event.type === 'session/rewound') this.#ends.add(event.seq, this.#ends.at(event.data.to))
    else if (isMessage(event)) this.#ends.add(event.seq, this.#moved(event))
  }

  /** The surface after event `seq`. */
  at(seq: number): SurfaceEnd | undefined {
    return this.#ends.at(seq)
  }

  /** All messages of the surface after event `seq`, first to last. */
  messagesAt(seq: number): MessageEvent[] {
    this.#goTo(this.#ends.at(seq))
    const messages: MessageEvent[] = []
    for (let place = this.#first; place; place = place.after) messages.push(place.event)
    return messages
  }

  /** Whether one of these events stands on the surface after event `seq`. */
  holdsAt(seq: number, events: Iterable<number>): boolean {
    this.#goTo(this.#ends.at(seq))
    for (const each of events) if (this.#placeOf(each)?.on) return true
    return false
  }

  /** The messages of a range of the newest surface by the seqs of its first and last; undefined when it is none. */
  range(seqs: readonly [number, number]): MessageEvent[] | undefined {
    return this.#placesIn(seqs)?.map(({ event }) => event)
  }

  #placesIn([first, last]: readonly [number, number]): Place[] | undefined {
    this.#goTo(this.#ends.last)
    const places: Place[] = []
    let place = this.#placeOf(first)
    if (!place?.on || !this.#placeOf(last)?.on) return undefined
    for (; place; place = place.after) {
      places.push(place)
      if (place.event.seq === last) return places
    }
    return undefined
  }

  #moved(event: MessageEvent): Place {
    const earlier = this.#ends.last
    const range = typeof event.surface === 'object' ? this.#placesIn(event.surface.replace) : undefined
    const [first, last] = [range?.at(0), range?.at(-1)]
    const gone = first && last && { first, last }
    const depth = (earlier?.depth ?? 0) + 1
    return { event, earlier, depth, before: undefined, after: undefined, on: false, gone }
  }

  #placeOf(seq: number): Place | undefined {
    const end = this.#ends.at(seq)
    return end?.event.seq === seq ? end : undefined
  }

  #goTo(end: Place | undefined): void {
    const ahead: Place[] = []
    let to = end
    while (this.#now !== to) {
      if (to && (this.#now?.depth ?? 0) <= to.depth) {
        ahead.push(to)
        to = to.earlier
      } else if (this.#now) this.#takeBack(this.#now)
    }
    for (const place of ahead.reverse()) this.#make(place)
  }

  #make(place: Place): void {
    place.before = place.gone ? place.gone.first.before : this.#last
    place.after = place.gone?.last.after
    this.#link(place.before, place)
    this.#link(place, place.after)
    this.#turn(place, true)
    this.#now = place
  }

  #takeBack(place: Place): void {
    if (place.gone) {
      this.#link(place.before, place.gone.first)
      this.#link(place.gone.last, place.after)
    } else this.#link(place.before, undefined)
    this.#turn(place, false)
    this.#now = place.earlier
  }

  #link(before: Place | undefined, after: Place | undefined): void {
    if (before) before.after = after
    else this.#first = after
    if (after) after.before = before
    else this.#last = before
  }

  #turn(place: Place, on: boolean): void {
    place.on = on
    for (let gone = place.gone?.first; gone; gone = gone === place.gone?.last ? undefined : gone.after) gone.on = !on
  }
}

const isMessage = (event: SessionEvent): event is MessageEvent => event.surface !== undefined

/** The messages that were added to `from`, first to last; undefined when this surface is something else. */
export function addedTo(
  from: SurfaceEnd | undefined,
  end: SurfaceEnd | undefined,
): readonly MessageEvent[] | undefined {
  const added: MessageEvent[] = []
  let at = end
  for (; at && at !== from && at.event.surface === 'append'; at = at.earlier) added.push(at.event)
  return at === from ? added.reverse() : undefined
}
