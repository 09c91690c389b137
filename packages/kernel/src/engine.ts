import type { Problem } from './diagnosis.ts'
import type { Entry } from './entry.ts'
import { Generation } from './generation.ts'
import type { Registry } from './registry.ts'
import {
  type Definition,
  dependentsFirst,
  failure,
  needsOf,
  offers,
  type Row,
  type Run,
  upstream,
  wants,
} from './row.ts'
import { Scope } from './scope.ts'
import { ServiceAbsent, slotOf, type Token } from './service.ts'

export interface EngineOptions {
  readonly services: Registry<unknown>
  readonly undoTimeoutMs: number
  readonly onProblem: (problem: Problem) => void
  /** Have the hosts inside settle. */
  readonly settleInside: () => Promise<void>
  /** Have this host settle, later. */
  readonly settleSoon: () => void
}

/** Starts, stops and swaps the rows of one host. Knows no queue: one method at a time, `retire` excepted. */
export class Engine {
  readonly rows: Row[] = []
  /** Replaced runs that may still be in use. */
  readonly retiring = new Set<Run>()
  readonly #options: EngineOptions

  constructor(options: EngineOptions) {
    this.#options = options
  }

  /** Stop what may not run, then start what may, until nothing changes. A failure to start stays with its row. */
  async settle(mounting: readonly Row[] = []): Promise<void> {
    for (;;) {
      await this.stopUnready()
      const row = this.rows.find((candidate) => candidate.state === 'waiting' && this.#mayRun(candidate))
      if (!row) return
      row.state = 'starting'
      try {
        row.run = await this.#setUp(row, row.definition)
        row.run.scope.generation.goLive()
        row.state = 'running'
      } catch (error) {
        Object.assign(row, { state: 'failed', error })
        if (!mounting.includes(row)) this.#options.onProblem(failure(row))
      }
    }
  }

  /** Withdraws all that has to stop before stopping any of it, so that nothing starts on it; then dependents go first. */
  async stopUnready(): Promise<void> {
    const stopping = new Set<Row>()
    for (let before = -1; before < stopping.size; ) {
      before = stopping.size
      for (const row of this.rows) {
        if (row.state === 'waiting' || this.#mayRun(row)) continue
        stopping.add(row)
        for (const { entry } of row.run?.offers ?? []) entry.withdrawn = true
      }
    }
    if (stopping.size > 0) await this.#options.settleInside()
    for (const run of this.retiring) if (rests(run)) await run.scope.close('a need went away')
    for (const row of dependentsFirst(stopping)) {
      row.state = 'stopping'
      await row.run?.scope.close(row.leaving ? 'unmounted' : 'a need went away')
      Object.assign(row, { state: 'waiting', run: undefined, error: undefined })
    }
  }

  /**
   * Replace the run of a row. Resolves as soon as the new one serves and dependents have settled.
   * @returns `undone`, which resolves when the old run has been undone.
   */
  async swap(row: Row, definition: Definition): Promise<{ undone?: Promise<void> }> {
    const old = row.run
    if (!old) return this.#redefine(row, definition)
    for (const { token } of old.offers) this.#refuseCycle(row, definition, token)
    const run = await this.#setUp(row, definition)
    for (const { token, entry } of old.offers) {
      entry.withdrawn = token.kind === 'service' || !offers(run, token.name)
    }
    if (old.offers.some(({ entry }) => entry.withdrawn)) await this.#options.settleInside()
    await this.stopUnready()
    // Also when the old run had to stop meanwhile, because the host around took something away.
    Object.assign(row, { definition, run, state: 'running' })
    run.scope.generation.goLive()
    const undone = this.#retire(old)
    await this.settle()
    return { undone }
  }

  /** What a need is met by: never by what the row provides itself, so a row may wrap what the host around provides. */
  isMet(row: Row, token: Token): boolean {
    const entry = this.#options.services.find(token.name, row)
    if (!entry || entry.withdrawn) return false
    return !row.run || token.kind === 'seam' || row.run.used.get(token.name) === entry
  }

  #mayRun(row: Row): boolean {
    return !row.leaving && needsOf(row.definition).every((token) => this.isMet(row, token))
  }

  /** @throws what `setup` threw, after everything it registered has been undone. */
  async #setUp(row: Row, definition: Definition): Promise<Run> {
    const { services, undoTimeoutMs, onProblem } = this.#options
    const generation = new Generation('staged', row, row.run?.scope.generation)
    const scope = new Scope(row.id, { generation, undoTimeoutMs, onProblem })
    const used = new Map<string, Entry<unknown>>()
    const run: Run = { scope, used, offers: [] }
    const needs: Record<string, unknown> = {}
    for (const [key, token] of Object.entries(definition.plugin.needs)) {
      const entry = services.find(token.name, row)
      if (!entry) throw new ServiceAbsent(token.name)
      used.set(token.name, entry)
      needs[key] = token.kind === 'seam' ? slotOf(token, (name) => services.find(name, row)) : entry.value
    }
    const provide = (token: Token, value: unknown) => {
      this.#refuseCycle(row, definition, token)
      run.offers.push({ token, entry: services.enter(scope, token.name, value) })
      if (scope.live) this.#options.settleSoon()
    }
    try {
      await definition.plugin.setup({ needs, scope, config: definition.config, provide })
    } catch (error) {
      await scope.close('setup failed')
      throw error
    }
    return run
  }

  #refuseCycle(row: Row, definition: Definition, { name }: Token): void {
    const others = this.rows.filter((other) => other !== row && other.run)
    const wanting = others.filter((other) => wants(other, name))
    if (wanting.length === 0) return
    const below = [...upstream(definition, others)].find((other) => wanting.includes(other))
    if (!below) return
    throw new Error(`row "${row.id}" cannot provide "${name}": it rests on row "${below.id}", which needs that`)
  }

  /** A row that does not run takes the new definition; when that fails to start, it gets the former one back. */
  async #redefine(row: Row, definition: Definition): Promise<{ undone?: Promise<void> }> {
    const former = { ...row }
    Object.assign(row, { definition, state: 'waiting', error: undefined })
    await this.settle([row])
    if (row.state !== 'failed') return {}
    const { error } = row
    Object.assign(row, former)
    throw error
  }

  /** Runs beside the queue. Closing the old scope, as the closing host does, cuts the wait short. */
  #retire(old: Run): Promise<void> {
    this.retiring.add(old)
    const { scope } = old
    const cut = new Promise<void>((resolve) => scope.signal.addEventListener('abort', () => resolve()))
    return Promise.race([scope.generation.holds.idle(), cut])
      .then(() => scope.close('replaced'))
      .finally(() => this.retiring.delete(old))
  }
}

/** Whether a run rests on something that is about to go. */
const rests = (run: Run): boolean => [...run.used.values()].some((entry) => entry.withdrawn)
