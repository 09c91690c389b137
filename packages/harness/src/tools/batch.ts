import type { CallBlock, Result } from '@rein/session'
import { type CallResult, failed, notStarted } from './outcome.ts'
import { type CallScope, prepareCall, runCall } from './pipeline.ts'
import type { Prepared } from './prepare.ts'

/** Most parallel calls at once. */
export const poolSize = 10

/**
 * Run the calls of one reply. A call runs alone unless its tool declares these arguments parallel; results are
 * appended in the model's order, each as soon as it and all before it are there. When the turn is cancelled what
 * runs is told to stop and waited for, and what never began gets a result that says so.
 */
export async function runBatch(calls: readonly CallBlock[], scope: CallScope): Promise<void> {
  const batch = new Batch(calls, scope)
  for (const [index, block] of calls.entries()) {
    const prepared = await turnOf(block, batch)
    if (batch.broken) break
    if (!prepared.ok) batch.settle(index, scope.signal.aborted ? notStarted : failed(prepared.failure))
    else if (prepared.value.parallel) batch.start(index, prepared.value)
    else await batch.start(index, prepared.value)
  }
  // Nothing may go on running behind the turn's back, a broken batch's calls included.
  await Promise.all(batch.running)
  if (batch.broken) throw batch.broken.error
}

class Batch {
  readonly scope: CallScope
  readonly running = new Set<Promise<void>>()
  /** A lost log or a bug: no further call starts. */
  broken: { readonly error: unknown } | undefined
  readonly #calls: readonly CallBlock[]
  readonly #results = new Map<number, CallResult>()
  #committed = 0

  constructor(calls: readonly CallBlock[], scope: CallScope) {
    this.#calls = calls
    this.scope = scope
  }

  /** Never rejects; what went wrong is in `broken`. */
  start(index: number, prepared: Prepared): Promise<void> {
    const run = runCall(prepared, this.scope)
      .then((result) => this.settle(index, result))
      .catch((error: unknown) => {
        this.broken ??= { error }
      })
      .finally(() => {
        prepared.lease[Symbol.dispose]()
        this.running.delete(run)
      })
    this.running.add(run)
    return run
  }

  /** Append what can be appended in the model's order. */
  settle(index: number, result: CallResult): void {
    this.#results.set(index, result)
    for (let block = this.#calls[this.#committed]; block; block = this.#calls[this.#committed]) {
      const ready = this.#results.get(this.#committed)
      if (!ready) return
      this.#results.delete(this.#committed)
      this.scope.log.append('tool/result', { call: block.id, name: block.name, ...ready })
      this.#committed++
    }
  }
}

/** Wait until the call may start, and check it right then: what it may do can have changed while others ran. */
async function turnOf(block: CallBlock, { scope, running }: Batch): Promise<Result<Prepared>> {
  for (;;) {
    if (scope.signal.aborted) return { ok: false, failure: { code: 'TOOL_FAILED', message: 'the turn was cancelled' } }
    const prepared = prepareCall(block, scope)
    if (!prepared.ok) return prepared
    const { parallel, lease } = prepared.value
    if (running.size === 0 || (parallel && running.size < poolSize)) return prepared
    lease[Symbol.dispose]()
    await (parallel ? Promise.race(running) : Promise.all(running))
  }
}
