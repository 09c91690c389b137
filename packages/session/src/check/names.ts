import type { SessionEvent } from '../events/index.ts'
import { SurfaceChain } from '../surface-chain.ts'
import type { Rule } from './rule.ts'

/** Rule 9: what an event names is in the log before it. What a log names and does not hold is a phantom. */
export const namesAreThere: Rule = {
  rule: 9,
  watch() {
    const surfaces = new SurfaceChain()
    const calls = new Set<string>()
    const requests = new Set<string>()
    const must = (known: ReadonlySet<string>, id: string, say: (what: string) => void) => {
      if (!known.has(id)) say(`${id} is named and is not in the log`)
    }
    return {
      see(event, violated) {
        switch (event.type) {
          case 'request/sent':
            if (event.data.at >= event.seq) violated(`request ${event.data.id} is made of events that come after it`)
            requests.add(event.data.id)
            break
          case 'assistant/message':
            must(requests, event.data.request, violated)
            for (const block of event.data.content) if (block.type === 'call') calls.add(block.id)
            break
          case 'compaction/summary':
            must(requests, event.data.request, violated)
            break
          case 'approval/asked':
          case 'question/asked':
          case 'sandbox/denied':
            must(calls, event.data.call, violated)
            break
          default:
            break
        }
        const fault = faultOfMove(surfaces, event)
        if (fault !== undefined) violated(fault)
        surfaces.feed(event)
      },
    }
  },
}

function faultOfMove(surfaces: SurfaceChain, { surface, sources }: SessionEvent): string | undefined {
  if (typeof surface !== 'object') return undefined
  const gone = surfaces.range(surface.replace)
  if (!gone) return `events ${surface.replace.join(' to ')} are replaced and are no range on the surface`
  const named = new Set(sources)
  const unnamed = gone.find(({ seq }) => !named.has(seq))
  return unnamed && `event ${unnamed.seq} is replaced and not named in sources`
}
