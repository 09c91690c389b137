import { type Agent, StorePort } from '@rein/harness'
import type { EventType } from '@rein/session'
import type { Hosted } from '../start.ts'

/** What makes a session worth keeping. */
const kept: ReadonlySet<EventType> = new Set<EventType>([
  'turn/start',
  'inbox/spliced',
  'command/run',
  'session/resume',
  'session/fork',
])

/**
 * Close a session. One that was made here and in which nothing happened is put away, so that `last` is a session
 * somebody said something in; what cannot be put away stays.
 */
export async function leave({ host }: Hosted, agent: Agent): Promise<void> {
  const { id, log } = agent.session
  const empty = !log.events.some(({ type }) => kept.has(type))
  await agent.close()
  if (empty) await host.get(StorePort)?.trash(id)
}
