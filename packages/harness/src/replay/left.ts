import { setTimeout as delay } from 'node:timers/promises'
import type { Agent } from '../agent/agent.ts'

/** Until the agent has ended. A loop or a plugin that never does is left behind. */
export async function left(agent: Agent): Promise<void> {
  const over = new AbortController()
  const late = delay(graceMs, undefined, { signal: over.signal }).catch(() => undefined)
  await Promise.race([agent.whenIdle().then(() => agent.close()), late])
  over.abort()
}

/** How long an agent whose replay is over may take to end, in milliseconds. */
const graceMs = 500
