import type { Worker } from 'node:worker_threads'
import type { Failure } from '@rein/session'
import type { Job, JobResult, UndoThread } from './job.ts'

/** A thread that is started with its first job. Jobs are done one after the other. */
export class Undo implements AsyncDisposable {
  readonly #thread: UndoThread
  readonly #waiting: ((result: JobResult) => void)[] = []
  #worker: Promise<Worker> | undefined
  #last: Promise<unknown> = Promise.resolve()
  #closed = false

  constructor(thread: Omit<UndoThread, 'stop'>) {
    this.#thread = { ...thread, stop: new SharedArrayBuffer(4) }
  }

  get started(): boolean {
    return this.#worker !== undefined
  }

  /** Never rejects. When `signal` aborts the job stops where it can and gives `stopped`. */
  run(job: Job, signal?: AbortSignal): Promise<JobResult> {
    const done = this.#last.then(() => this.#run(job, signal))
    this.#last = done
    return done
  }

  /** Let go of the thread; what it does is broken off, which hurts nothing that is kept. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true
    Atomics.store(this.#flag, 0, 1)
    await (await this.#worker)?.terminate()
  }

  get #flag(): Int32Array {
    return new Int32Array(this.#thread.stop)
  }

  async #run(job: Job, signal: AbortSignal | undefined): Promise<JobResult> {
    if (this.#closed || signal?.aborted) return { kind: 'stopped' }
    Atomics.store(this.#flag, 0, 0)
    const stop = () => void Atomics.store(this.#flag, 0, 1)
    signal?.addEventListener('abort', stop, { once: true })
    try {
      this.#worker ??= this.#start()
      const worker = await this.#worker
      worker.ref()
      const result = await new Promise<JobResult>((resolve) => {
        this.#waiting.push(resolve)
        worker.postMessage(job)
      })
      worker.unref()
      return result
    } catch (error) {
      this.#worker = undefined
      return { kind: 'failed', failure: broken(error) }
    } finally {
      signal?.removeEventListener('abort', stop)
    }
  }

  async #start(): Promise<Worker> {
    const { Worker } = await import('node:worker_threads')
    // Beside this file, as source and as built.
    const file = new URL(`./undo-worker${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url)
    // Of the environment it is given only where Node keeps what it has compiled.
    const { NODE_COMPILE_CACHE } = process.env
    const env = { ...(NODE_COMPILE_CACHE !== undefined && { NODE_COMPILE_CACHE }) }
    const worker = new Worker(file, { workerData: this.#thread, execArgv: [], env })
    worker.on('message', (result: JobResult) => this.#waiting.shift()?.(result))
    worker.on('error', (error) => this.#lost(broken(error)))
    worker.on('exit', () => this.#lost(broken('it ended')))
    return worker
  }

  /** The next job starts another one. */
  #lost(failure: Failure): void {
    this.#worker = undefined
    for (const resolve of this.#waiting.splice(0)) resolve({ kind: 'failed', failure })
  }
}

const broken = (cause: unknown): Failure => ({
  code: 'PLUGIN_FAILED',
  message: `The thread that looks at workspaces broke off: ${String(cause)}`,
  next: 'rein itself has a bug; please report it.',
})
