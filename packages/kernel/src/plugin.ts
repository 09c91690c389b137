import type { Scope } from './scope.ts'
import type { Given, Needs, Token } from './service.ts'

export interface Setup<G = unknown, C = unknown> {
  /** One entry a declared need: the value of a service, the slot of a seam. */
  readonly needs: G
  /** Undone when the row stops, for whatever reason it stops. */
  readonly scope: Scope
  readonly config: C
  /**
   * Offer a capability for as long as the row runs.
   * @throws Error naming both rows when it is already provided, by this row or another, or when it closes a cycle.
   */
  provide<T>(token: Token<T>, value: NoInfer<T>): void
}

/** What an author writes; `plugin` makes it a `Plugin`. */
export interface Authored<N extends Needs, C> {
  readonly name: string
  readonly needs: N
  /** What `setup` is going to provide. Optional: it lets a diagnosis see cycles between rows that never ran. */
  readonly provides?: readonly Token[]
  /** Parse the row's configuration; throw to refuse it. */
  config?(raw: unknown): C
  /**
   * Runs when every need is provided, and again after one of them went away and came back. What it registers takes
   * effect when it returns; when it throws, all of it is undone. It must not await `mount`, `unmount` or `replace` of
   * its own host or one around it: those wait for it.
   */
  setup(given: Setup<Given<N>, C>): void | Promise<void>
}

/** A definition as the host sees it, its types erased. */
export interface Plugin {
  readonly name: string
  readonly needs: Needs
  readonly provides?: readonly Token[]
  config?(raw: unknown): unknown
  setup(given: Setup): void | Promise<void>
}

/** One line of configuration: an id and what is to run under it. */
export interface RowSpec {
  readonly id: string
  readonly plugin: Plugin
  readonly config?: unknown
}

/**
 * Checks a definition and erases its types. The erasure holds because the host builds `needs` from `definition.needs`
 * and `config` with `definition.config`: what `setup` is given is what its types say.
 */
export const plugin = <N extends Needs, C = undefined>(definition: Authored<N, C>): Plugin => definition
