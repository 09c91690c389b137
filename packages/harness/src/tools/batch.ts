import type { CallBlock, Result } from '@rein/session'
import { FailureError } from '@rein/session'
import { type CallResult, failed, notStarted } from './outcome.ts'
import { type CallScope, prepareCall, runCall } from './pipeline.ts'
import type { Prepared } from './prepare.ts'

/** Most parallel calls at once. */
export const poolSize = 10

/**
 * Run the calls of one reply. A call runs alone unless its tool declares these arguments parallel; results are
 * appended in the model's order, each as soon as it and all before it are there. When the turn is cancelled what
 * runs is told to stop and waited for, and what never began gets a result that says so.
 * @throws FailureError when the log was lost; what ran has ended by then.
 */
export async function runBatch(calls: readonly CallBlock[], scope: CallScope): Promise<void> {
  const batch = new Batch(calls, scope)
  for (const [index, block] of calls.entries()) {
    const prepared = await preparedWhenFree(block, batch)
    if (batch.lost) break
    if (!prepared) batch.settle(index, notStarted)
    else if (!prepared.ok) batch.settle(index, failed(prepared.failure))
    else if (prepared.value.parallel) void batch.start(index, prepared.value)
    else await batch.start(index, prepared.value)
  }
  // Nothing may go on running behind the turn's back, calls of a batch whose log was lost included.
  await Promise.all(batch.running)
  if (batch.lost) throw batch.lost
}

class Batch {
  readonly scope: CallScope
  readonly running = new Set<Promise<void>>()
  /** No further call starts. */
  lost: FailureError | undefined
  readonly #calls: readonly CallBlock[]
  readonly #results = new Map<number, CallResult>()
  #committed = 0

  constructor(calls: readonly CallBlock[], scope: CallScope) {
    this.#calls = calls
    this.scope = scope
  }

  /** Never rejects: a lost log is in `lost`, and any other trouble is the call's own result. */
  start(index: number, prepared: Prepared): Promise<void> {
    const run = runCall(prepared, this.scope)
      .catch((error: unknown) => this.#troubleOf(error))
      .then((result) => result && this.settle(index, result))
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
      if (!ready || this.lost) return
      this.#results.delete(this.#committed)
      this.#append(block, ready)
      this.#committed++
    }
  }

  /** A tool may have returned what no log can hold; the model is told that instead. */
  #append(block: CallBlock, result: CallResult): void {
    const { log } = this.scope
    const named = { call: block.id, name: block.name }
    try {
      log.append('tool/result', { ...named, ...result })
    } catch (error) {
      const trouble = this.#troubleOf(error)
      if (trouble) log.append('tool/result', { ...named, ...trouble })
    }
  }

  #troubleOf(error: unknown): CallResult | undefined {
    if (!(error instanceof FailureError)) return failed({ code: 'TOOL_FAILED', message: String(error) })
    this.lost ??= error
    return undefined
  }
}

/**
 * Wait until the call may start, and check it right then: what it may do can have changed while others ran.
 * @returns undefined when the turn was cancelled first.
 */
async function preparedWhenFree(block: CallBlock, { scope, running }: Batch): Promise<Result<Prepared> | undefined> {
  while (!scope.signal.aborted) {
    const prepared = prepareCall(block, scope)
    if (!prepared.ok) return prepared
    const { parallel, lease } = prepared.value
    if (running.size === 0 || (parallel && running.size < poolSize)) return prepared
    lease[Symbol.dispose]()
    await (parallel ? Promise.race(running) : Promise.all(running))
  }
  return undefined
}
