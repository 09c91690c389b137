import type { Entry, Lease } from './entry.ts'

interface Capability<K, T> {
  readonly kind: K
  readonly name: string
  /** Never set; carries `T` for inference. */
  readonly type?: T
}

/** A capability handed to dependents as the plain value: replacing its provider restarts them. */
export type Service<T> = Capability<'service', T>
/** A capability whose provider can be swapped: dependents receive a `Slot` and stay up. */
export type Seam<T> = Capability<'seam', T>
export type Token<T = unknown> = Service<T> | Seam<T>

/** Two tokens mean the same capability exactly when their names are equal. */
export const service = <T>(name: string): Service<T> => ({ kind: 'service', name })
export const seam = <T>(name: string): Seam<T> => ({ kind: 'seam', name })

export type Needs = Readonly<Record<string, Token>>

/** What `setup` receives for what it declared. */
export type Given<N extends Needs> = {
  readonly [K in keyof N]: N[K] extends Seam<infer T> ? Slot<T> : N[K] extends Service<infer T> ? T : never
}

/** The provider of a seam, whoever that is at the time. */
export interface Slot<T> {
  readonly name: string
  /**
   * Pin today's provider: it is not undone before the lease is disposed of.
   * @throws ServiceAbsent when nobody provides the seam.
   */
  lease(): Lease<T>
  /** A look without a lease, good until the next await. */
  current(): T | undefined
  /** Run `work` under a lease. Rejects with `ServiceAbsent` when nobody provides the seam. */
  use<R>(work: (value: T) => R | Promise<R>): Promise<R>
}

export class ServiceAbsent extends Error {
  readonly code = 'SERVICE_ABSENT'
  readonly service: string
  constructor(service: string) {
    super(`no running row provides "${service}"`)
    this.name = 'ServiceAbsent'
    this.service = service
  }
}

/** The values behind a token's name are of the token's type because `provide` took them together. */
export function slotOf<T>({ name }: Seam<T>, find: (name: string) => Entry<unknown> | undefined): Slot<T> {
  const lease = (): Lease<T> => {
    const entry = find(name)
    if (!entry) throw new ServiceAbsent(name)
    return entry.lease() as Lease<T>
  }
  return {
    name,
    lease,
    current: () => find(name)?.value as T | undefined,
    use: async (work) => {
      using held = lease()
      return await work(held.value)
    },
  }
}
