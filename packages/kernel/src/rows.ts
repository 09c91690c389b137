import type { Problem, RowInfo } from './diagnosis.ts'
import type { Entry } from './entry.ts'
import type { RowSpec } from './plugin.ts'
import type { Registry } from './registry.ts'
import { Generation, Scope, type ScopeOptions } from './scope.ts'
import { ServiceAbsent, slotOf, type Token } from './service.ts'

export interface Row {
  /** With the parsed configuration. */
  spec: RowSpec
  /** The one that serves. */
  run: Run | undefined
  failure: (Problem & { readonly kind: 'failed' }) | undefined
}

/** One setup of a row. */
interface Run {
  readonly row: Row
  readonly scope: Scope
  /** What each need was when the run started. */
  readonly used: Map<Token, Entry<unknown>>
  readonly offers: Map<Token, Entry<unknown>>
  readonly undone: Promise<void>
}

interface Surroundings {
  readonly services: Registry<unknown>
  readonly scope: Required<Pick<ScopeOptions, 'onProblem'>> & ScopeOptions
  /** Have the hosts inside settle. */
  readonly settleInside: () => Promise<void>
  /** Have this host settle, later. */
  readonly settleSoon: () => void
}

/** Starts, stops and swaps the rows of one host. Knows no queue: one method at a time. */
export class Rows {
  readonly all: Row[] = []
  /** In the order they went live, until they are undone: those that serve, and replaced ones that may still be in use. */
  readonly runs = new Set<Run>()
  readonly #around: Surroundings

  constructor(around: Surroundings) {
    this.#around = around
  }

  /** Stop what may not run, then start what may, until nothing changes. A failure to start stays with its row. */
  async settle(mounting: readonly Row[] = []): Promise<void> {
    for (;;) {
      await this.stop()
      for (const row of this.all) if (row.failure && !this.#mayStart(row)) row.failure = undefined
      const row = this.all.find((candidate) => !candidate.run && !candidate.failure && this.#mayStart(candidate))
      if (!row) return
      try {
        await this.#start(row, row.spec)
      } catch (error) {
        const { id, plugin } = row.spec
        const message = `row "${id}" (${plugin.name}) did not start: ${error}`
        row.failure = { kind: 'failed', row: id, error, message }
        if (!mounting.includes(row)) this.#around.scope.onProblem(row.failure)
      }
    }
  }

  /** A row that neither runs nor could merely gets the new definition. @throws as `#start` does. */
  async replace(row: Row, spec: RowSpec): Promise<void> {
    if (row.run || this.#mayStart(row, spec)) await this.#start(row, spec)
    else Object.assign(row, { spec, failure: undefined })
  }

  /**
   * Stop the runs that leave, and those that cannot do without them or without the entries that end; dependents first.
   * All that has to stop is withdrawn before any of it is stopped, so that nothing starts on it.
   */
  async stop(leaving: Iterable<Run> = [], ending: readonly Entry<unknown>[] = []): Promise<void> {
    const stopping = new Set(leaving)
    const withdraw = (entries: Iterable<Entry<unknown>>) => {
      for (const entry of entries) entry.withdrawn = true
      for (const run of this.runs) if (!this.#mayStay(run)) stopping.add(run)
    }
    withdraw(ending)
    for (const run of stopping) withdraw(run.offers.values())
    if (stopping.size + ending.length === 0) return
    await this.#around.settleInside()
    const end = async (run: Run): Promise<void> => {
      if (!stopping.delete(run)) return
      for (const other of lastFirst) if (restsOn(other, run)) await end(other)
      await run.scope.close('stopped')
      this.runs.delete(run)
      if (run.row.run === run) run.row.run = undefined
    }
    const lastFirst = [...this.runs].reverse()
    for (const run of lastFirst) await end(run)
  }

  info(row: Row): RowInfo {
    const { id, plugin } = row.spec
    const tokens = [...(row.run?.offers.keys() ?? plugin.provides ?? [])]
    const needs = needsOf(row.spec)
    return {
      id,
      name: plugin.name,
      state: row.run ? 'running' : row.failure ? 'failed' : 'waiting',
      swappable: tokens.every(({ kind }) => kind === 'seam'),
      provides: tokens.map(({ name }) => name),
      needs: needs.map(({ name }) => name),
      missing: needs.filter((token) => !this.#isMet(row, token)).map(({ name }) => name),
    }
  }

  /**
   * Set up a run and have it take over from the one that serves, if any, which is undone when its last lease ends.
   * @throws what `setup` threw, or Error when it closes a cycle; the row is as it was then.
   */
  async #start(row: Row, spec: RowSpec): Promise<void> {
    const old = row.run
    for (const token of old?.offers.keys() ?? []) this.#refuseCycle(row, spec, token)
    const run = await this.#setUp(row, spec)
    if (old) {
      const isGoing = ({ kind, name }: Token) => kind === 'service' || !has(run.offers, name)
      const ending = [...old.offers].flatMap(([token, entry]) => (isGoing(token) ? entry : []))
      await this.stop([], ending)
    }
    // The swap. Synchronous: nobody ever sees both runs, or neither.
    Object.assign(row, { spec, run, failure: undefined })
    if (old) old.scope.generation.phase = 'retired'
    run.scope.generation.phase = 'live'
    this.runs.add(run)
    if (old) void this.#retire(old)
  }

  /** Runs beside everything else. */
  async #retire(run: Run): Promise<void> {
    await run.scope.generation.idle()
    await run.scope.close('replaced')
    this.runs.delete(run)
  }

  /** @throws what `setup` threw, after everything it registered has been undone. */
  async #setUp(row: Row, spec: RowSpec): Promise<Run> {
    const { services, scope: options, settleSoon } = this.#around
    const scope = new Scope(spec.id, { ...options, generation: new Generation('staged', row) })
    const undone = new Promise<void>((resolve) => {
      scope.signal.addEventListener('abort', () => resolve(scope.close()))
    })
    const run: Run = { row, scope, used: new Map(), offers: new Map(), undone }
    const needs: Record<string, unknown> = {}
    for (const [key, token] of Object.entries(spec.plugin.needs)) {
      const entry = services.find(token.name, row)
      if (!entry) throw new ServiceAbsent(token.name)
      run.used.set(token, entry)
      needs[key] = token.kind === 'seam' ? slotOf(token, (name) => services.find(name, row)) : entry.value
    }
    const provide = (token: Token, value: unknown) => {
      this.#refuseCycle(row, spec, token)
      run.offers.set(token, services.enter(scope, token.name, value))
      if (scope.live) settleSoon()
    }
    try {
      await spec.plugin.setup({ needs, scope, config: spec.config, provide })
      return run
    } catch (error) {
      await scope.close('setup failed')
      throw error
    }
  }

  /** Follows from what is provided to what rests on it, directly or through others. */
  #refuseCycle(row: Row, spec: RowSpec, { name }: Token): void {
    const below = new Set([name])
    for (const provided of below) {
      for (const { spec: other, run } of this.all) {
        if (!run || run.row === row || !has(run.used, provided)) continue
        if (needsOf(spec).some((need) => has(run.offers, need.name)))
          throw new Error(`row "${spec.id}" cannot provide "${name}": it rests on row "${other.id}", which needs that`)
        for (const offer of run.offers.keys()) below.add(offer.name)
      }
    }
  }

  /**
   * Never by what the row provides itself, so a row may wrap what the host around provides.
   * @param since what met the need when the run started: of a service, it must still be that.
   */
  #isMet(row: Row, { kind, name }: Token, since?: Entry<unknown>): boolean {
    const entry = this.#around.services.find(name, row)
    return entry?.withdrawn === false && (kind === 'seam' || !since || since === entry)
  }

  #mayStart(row: Row, spec = row.spec): boolean {
    return needsOf(spec).every((token) => this.#isMet(row, token))
  }

  #mayStay({ row, used }: Run): boolean {
    return [...used].every(([token, since]) => this.#isMet(row, token, since))
  }
}

const needsOf = ({ plugin }: RowSpec): readonly Token[] => Object.values(plugin.needs)

function has(tokens: ReadonlyMap<Token, unknown>, name: string): boolean {
  for (const token of tokens.keys()) if (token.name === name) return true
  return false
}

const restsOn = ({ used }: Run, { offers }: Run): boolean => [...offers.keys()].some(({ name }) => has(used, name))
