import type { EventNamed, SessionEvent } from '../events/index.ts'
import { seen } from '../folds/seen.ts'
import { States } from '../states.ts'
import type { Rule } from './rule.ts'

type Result = EventNamed<'tool/result'>

/** Rule 1: `tool/call` comes directly before the run, so what certainly ran, or may have, has one. */
export const callsBeforeResults: Rule = {
  rule: 1,
  watch() {
    const asked = new Set<string>()
    const started = new Set<string>()
    return {
      see(event, violated) {
        if (event.type === 'assistant/message')
          for (const block of event.data.content) if (block.type === 'call') asked.add(block.id)
        if (event.type === 'tool/call') {
          if (!asked.has(event.data.call)) violated(`tool/call names ${event.data.call}, which no message asked for`)
          if (started.has(event.data.call)) violated(`${event.data.call} was started twice`)
          started.add(event.data.call)
        }
        if (event.type === 'tool/result' && event.surface === 'append') resultFits(event, started, violated)
      },
    }
  },
}

function resultFits({ data }: Result, started: ReadonlySet<string>, violated: (what: string) => void): void {
  const kind = data.outcome.kind
  const ran = started.has(data.call)
  const mustHaveRun = kind === 'done' || kind === 'timed-out' || kind === 'unknown'
  if (mustHaveRun && !ran) violated(`the result of ${data.call} is ${kind}, but it has no tool/call`)
  if (kind === 'not-started' && ran) violated(`${data.call} is not-started, but it has a tool/call`)
}

/** Rule 2: exactly one appended result a call; a replace carries the same call and names the result. */
export const oneResultEach: Rule = {
  rule: 2,
  watch() {
    const open = new Set<string>()
    const known = new Set<string>()
    const resultOf = new Map<number, string>()
    return {
      see(event, violated) {
        if (event.type === 'assistant/message') {
          for (const block of event.data.content) {
            if (block.type !== 'call') continue
            if (known.has(block.id)) violated(`call id ${block.id} is used twice`)
            known.add(block.id)
            open.add(block.id)
          }
        }
        if (event.type === 'tool/result') {
          const { call } = event.data
          if (event.surface !== 'append') {
            if (!event.sources?.some((source) => resultOf.get(source) === call))
              violated(`a replacing result of ${call} does not name the result it replaces`)
          } else if (!open.delete(call)) {
            violated(known.has(call) ? `${call} has two results` : `a result names ${call}, which nobody asked for`)
          }
          resultOf.set(event.seq, call)
        }
        if (event.type === 'turn/end') {
          for (const call of open) violated(`the turn ended and ${call} has no result`)
          open.clear()
        }
      },
    }
  },
}

/** Rule 3: appended results stand in the model's order. */
export const modelOrder: Rule = {
  rule: 3,
  watch() {
    let expected: string[] = []
    return {
      see(event, violated) {
        if (event.type === 'assistant/message')
          expected = event.data.content.flatMap((block) => (block.type === 'call' ? [block.id] : []))
        if (event.type !== 'tool/result' || event.surface !== 'append') return
        const next = expected.shift()
        if (next !== undefined && next !== event.data.call)
          violated(`the result of ${event.data.call} stands where that of ${next} belongs`)
      },
    }
  },
}

/** Rule 4: a call is alone unless it and all that run beside it are declared parallel. */
export const exclusiveUnlessParallel: Rule = {
  rule: 4,
  watch() {
    const running = new Map<string, boolean>()
    return {
      see(event, violated) {
        if (event.type === 'tool/call') {
          const exclusive = [...running].find(([, parallel]) => !parallel)
          if (exclusive) violated(`${event.data.call} started while ${exclusive[0]} ran alone`)
          if (!event.data.parallel && running.size > 0) violated(`${event.data.call} must run alone and did not`)
          running.set(event.data.call, event.data.parallel)
        }
        if (event.type === 'tool/result') running.delete(event.data.call)
      },
    }
  },
}

/** Rule 11: only `allowed-once` allows. */
export const onlyAllowedOnceAllows: Rule = {
  rule: 11,
  watch() {
    const callOf = new Map<string, string>()
    const allowed = new Map<string, boolean>()
    return {
      see(event, violated) {
        if (event.type === 'approval/asked') {
          callOf.set(event.data.id, event.data.call)
          allowed.set(event.data.call, false)
        }
        if (event.type === 'approval/decided') {
          const call = callOf.get(event.data.id)
          if (call === undefined) violated(`a decision about ${event.data.id}, which nobody asked`)
          else allowed.set(call, event.data.decision === 'allowed-once')
        }
        if (event.type === 'tool/call' && allowed.get(event.data.call) === false)
          violated(`${event.data.call} started without being allowed`)
      },
    }
  },
}

/**
 * Rule 12: a change of a file needs its current version seen, and what was rewound was never seen. A change is told by
 * `view.path` and `view.before`, the version it replaced; null when there was none.
 */
export const seenBeforeChange: Rule = {
  rule: 12,
  watch() {
    const states = new States(seen.initial)
    return {
      see(event, violated) {
        const change = changeOf(event)
        if (change?.before && states.last.get(change.path)?.hash !== change.before)
          violated(`${change.path} was changed at a version the session had not seen`)
        if (event.type === 'session/rewound') states.add(event.seq, states.at(event.data.to))
        else if (event.type === 'tool/result' && event.data.seen) states.add(event.seq, seen.step(states.last, event))
      },
    }
  },
}

function changeOf(event: SessionEvent): { path: string; before: string | null } | undefined {
  if (event.type !== 'tool/result' || event.surface !== 'append') return undefined
  if (event.data.outcome.kind !== 'done') return undefined
  const view = event.data.view
  if (typeof view !== 'object' || view === null || !('path' in view) || !('before' in view)) return undefined
  const { path, before } = view
  if (typeof path !== 'string' || (typeof before !== 'string' && before !== null)) return undefined
  return { path, before }
}
