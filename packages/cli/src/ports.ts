import { nodeHasher } from '@rein/harness'
import type { Ports } from '@rein/session'

/** The clock of this machine, and ids nobody made before. */
export const realPorts: Ports = {
  now: Date.now,
  id: (prefix) => `${prefix}-${crypto.randomUUID().replaceAll('-', '').slice(0, 12)}`,
  hasher: nodeHasher,
}

/** The first moment of a fixed clock, in milliseconds since 1970. */
const epoch = 1_764_500_000_000

/**
 * A clock that counts readings and ids that count up, so that two runs of one script write the same bytes.
 * @param seed two seeds give two sets of ids.
 */
export function seededPorts(seed: number): Ports {
  let readings = 0
  let ids = 0
  return {
    now: () => epoch + readings++,
    id: (prefix) => `${prefix}-${seed}-${++ids}`,
    hasher: nodeHasher,
  }
}
