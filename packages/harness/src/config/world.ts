import { service } from '@rein/kernel'
import type { Ports } from '@rein/session'
import type { Approvals } from '../ask/approval.ts'
import type { Settings } from './settings.ts'

/** What the program found around it when it was started. Provided by the composition root, the same for all rows. */
export interface World {
  /** `$REIN_HOME`, absolute. */
  readonly home: string
  readonly userHome: string
  /** Absolute. */
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly ports: Ports
  readonly settings: Settings
  /** Whether somebody is there to be asked, and how. */
  readonly person: boolean
  readonly approvals: Approvals
}

export const WorldPort = service<World>('world')
