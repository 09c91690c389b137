import { type Agent, StorePort, sessionIndex } from '@rein/harness'
import type { Cli } from '../cli.ts'
import type { Hosted } from '../start.ts'
import { sessionTable } from '../view/session-table.ts'
import type { Terminal } from './terminal.ts'

interface Surroundings {
  readonly cli: Cli
  readonly host: Hosted
  readonly agent: Agent
  readonly terminal: Terminal
}

/** The newest sessions but this one, at most so many. */
const most = 10

/** `/resume` without an id: which there are. */
export async function showOthers({ cli, host, agent, terminal }: Surroundings): Promise<void> {
  const store = host.host.get(StorePort)
  if (!store) return
  // Nobody waits for an index while a session is open: what it does not know is read from the ends of the logs.
  using index = await sessionIndex({ home: cli.home, store, clock: () => performance.now(), waitMs: 100 })
  const sessions = await index.list({ facts: false, withinMs: 200 })
  const others = sessions.filter(({ entry }) => entry.id !== agent.session.id).slice(0, most)
  terminal.line(others.length === 0 ? 'There is no other session.' : sessionTable(others, cli))
}
