import type { PermissionMode } from '@rein/session'
import type { SpawnSpec } from '../process/spawn.ts'

/** What a process may do. Paths are absolute and resolved; a directory stands for everything below it. */
export interface SandboxPolicy {
  readonly write: 'everywhere' | readonly string[]
  readonly read: 'everywhere' | readonly string[]
  readonly network: 'open' | 'closed'
}

/** What is enforced, as found out, not as wished. */
export interface SandboxReport {
  readonly backend: string
  readonly level: 'full' | 'partial' | 'none'
  /** What a policy can ask for and is not enforced, in words. */
  readonly missing: readonly string[]
}

/** Confines processes the model starts. */
export interface Sandbox {
  readonly report: SandboxReport
  /** The same process, confined. Never throws; what cannot be enforced is in `report`. */
  wrap(spec: SpawnSpec, policy: SandboxPolicy): SpawnSpec
}

/** What a mode allows a command in `workspace`; undefined with full access, where nothing confines it. */
export const policyOf = (mode: PermissionMode, workspace: string): SandboxPolicy | undefined =>
  mode === 'full-access'
    ? undefined
    : { write: mode === 'workspace-write' ? [workspace] : [], read: 'everywhere', network: 'closed' }

/** No confinement at all, and it says so. */
export const noSandbox: Sandbox = {
  report: {
    backend: 'none',
    level: 'none',
    missing: ['writes are not confined', 'reads are not confined', 'the network is open'],
  },
  wrap: (spec) => spec,
}
