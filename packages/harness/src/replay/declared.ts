import type { DataOf, EventType, SessionEvent } from '@rein/session'

/**
 * Facts that no prompt, loop or pipeline makes: they are taken from the recording, each at its place, and why. What
 * follows from them is driven and compared.
 */
export const given: { readonly [type in EventType]?: string } = {
  'session/start': 'how the session began',
  'session/resume': 'who went on with it, and when',
  'session/fork': 'where it was taken from',
  'session/title': 'named by a person, or from what is compared anyway',
  'session/rewound': 'decided by a person or a plugin',
  'session/damage': 'what happened to a file',
  'session/migrated': 'what happened to a file',
  'assistant/chunks': 'batched by the clock; what they add up to is the reply',
  'plugin/note': 'written while a tool or a plugin ran, and those do not run',
  'permission/mode': 'decided by a person',
  'permission/grant': 'decided by a person',
  'sandbox/enforced': 'found out on the machine of that day',
  'sandbox/denied': 'found out on the machine of that day',
  'plan/mode': 'decided by a person or a model',
  'question/asked': 'asked while a tool ran, and tools do not run',
  'question/answered': 'said by a person',
  'compaction/start': 'a compaction is replayed as it was, as a whole',
  'compaction/summary': 'a compaction is replayed as it was, as a whole',
  'compaction/end': 'a compaction is replayed as it was, as a whole',
  'command/run': 'asked for by a person or a client',
  'command/done': 'asked for by a person or a client',
  'job/start': 'another process',
  'job/end': 'another process',
  'agent/spawned': 'another session',
  'agent/settled': 'another session',
  'files/snapshot': 'made of files, and no file is looked at',
  'files/restored': 'decided by a person',
}

/** Fields of driven events that are not compared, and why. The place and type of such an event are compared. */
export const uncompared: { readonly [type in EventType]?: { readonly [field: string]: string } } = {
  'request/settled': {
    timing: 'durations',
    usage: 'what the provider counted: given back as it was',
    finish: 'what the model said: given back as it was',
    error: 'what the provider said: given back as it was',
    cost: 'a price list of that day',
  },
  'approval/decided': { decision: 'a person’s answer', by: 'who answered', words: 'a person’s answer' },
  'tool/result': { durationMs: 'durations' },
}

/** Fields today's code is handed as they were, and why: they come out the same whatever the code does with them. */
export const handed: { readonly [type in EventType]?: { readonly [field: string]: string } } = {
  'request/header': { provider: 'the model is chosen by a person', model: 'the model is chosen by a person' },
  'request/sent': { id: 'ids are chance' },
  'request/settled': { id: 'ids are chance', dropped: 'what the model said' },
  'assistant/message': { content: 'what the model said; what is made of it is compared' },
  'approval/asked': { id: 'ids are chance' },
}

/** Fields of every event that are not compared, and why. */
export const uncomparedAlways = {
  time: 'the clock of that day; today’s code reads it as it was',
  hash: 'follows from the time; `rein verify` proves it',
} as const

/** What the harness itself says of what happens to input; every other change of the inbox came from outside. */
const ownReasons: ReadonlySet<DataOf<'inbox/spliced'>['reason']> = new Set(['dropped', 'refused'])

/** Which events of a log are given. Requests a plugin made aside, and all of a compaction, are. */
export function givenIn(events: readonly SessionEvent[]): readonly boolean[] {
  const aside = new Set<string>()
  let compacting = 0
  const marks = events.map((event) => {
    if (event.type === 'compaction/start') compacting++
    if (event.type === 'compaction/end') compacting = Math.max(0, compacting - 1)
    if (event.type === 'request/sent' && event.data.kind !== 'step') aside.add(event.data.id)
    return compacting > 0 || isGiven(event, aside)
  })
  // The header of a request that is given stands directly before it.
  return marks.map((mark, at) => {
    const next = events[at + 1]
    return mark || (events[at]?.type === 'request/header' && next?.type === 'request/sent' && marks[at + 1] === true)
  })
}

function isGiven(event: SessionEvent, aside: ReadonlySet<string>): boolean {
  if (given[event.type] !== undefined || typeof event.surface === 'object') return true
  switch (event.type) {
    case 'inbox/spliced':
      return !ownReasons.has(event.data.reason)
    case 'user/message':
      return event.data.item === undefined && event.data.source.kind !== 'context'
    case 'request/sent':
    case 'request/settled':
      return aside.has(event.data.id)
    case 'assistant/message':
      return aside.has(event.data.request)
    default:
      return false
  }
}
