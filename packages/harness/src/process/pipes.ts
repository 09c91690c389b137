import type { ChildProcess } from 'node:child_process'
import type { Readable } from 'node:stream'
import type { Capture } from './capture.ts'

/** Once the root is gone, output counts as finished after this much silence, in milliseconds. */
const QUIET_MS = 50
/** And at the latest after this, however much a child still writes. */
const DRAIN_MS = 1000
const SHOW_MS = 100
const POLL_MS = 10
/** Characters shown while a process runs. */
const SHOWN = 4000

export interface PipeOptions {
  /** Milliseconds, monotonic. */
  readonly now: () => number
  readonly onOutput?: (recent: string) => void
}

/** Feeds what a process writes to a capture, and holds the process back while the disk is behind. */
export class Pipes {
  readonly #pipes: readonly Readable[]
  readonly #capture: Capture
  readonly #options: PipeOptions
  readonly #closed: Promise<unknown>
  #open = true
  #done = false
  #held = 0
  #last = 0
  #show: NodeJS.Timeout | undefined

  constructor(child: ChildProcess, capture: Capture, options: PipeOptions) {
    this.#pipes = [child.stdout, child.stderr].filter((pipe) => pipe !== null)
    this.#capture = capture
    this.#options = options
    const closings = this.#pipes.map((pipe) => new Promise((resolve) => pipe.once('close', resolve)))
    this.#closed = Promise.all(closings).then(() => {
      this.#open = false
    })
    for (const pipe of this.#pipes)
      pipe.on('data', (bytes: Buffer) => this.#take(bytes)).on('error', () => pipe.destroy())
  }

  /** Takes what is still on its way after the root exited. A child that keeps a pipe open is not waited for. */
  async drain(): Promise<void> {
    const { now } = this.#options
    const began = now()
    this.#last = began
    const over = () => now() - began >= DRAIN_MS || (this.#held === 0 && now() - this.#last >= QUIET_MS)
    while (this.#open && !over()) await Promise.race([this.#closed, pause()])
    this.#done = true
    clearTimeout(this.#show)
    for (const pipe of this.#pipes) letGo(pipe)
  }

  #take(bytes: Buffer): void {
    if (this.#done) return
    this.#last = this.#options.now()
    const wait = this.#capture.push(bytes)
    this.#showSoon()
    if (wait === undefined) return
    this.#held++
    for (const pipe of this.#pipes) pipe.pause()
    void wait.then(() => {
      if (--this.#held === 0) for (const pipe of this.#pipes) pipe.resume()
    })
  }

  #showSoon(): void {
    const { onOutput } = this.#options
    if (onOutput === undefined) return
    this.#show ??= setTimeout(() => {
      this.#show = undefined
      onOutput(this.#capture.recent(SHOWN))
    }, SHOW_MS)
  }
}

/** Read on and forget, without keeping our process alive: a closed pipe would kill a server that logs to it. */
function letGo(pipe: Readable): void {
  pipe.resume()
  if ('unref' in pipe && typeof pipe.unref === 'function') pipe.unref()
}

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, POLL_MS))
