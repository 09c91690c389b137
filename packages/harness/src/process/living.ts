import { isAlive, signalTrees, type Tree } from './tree.ts'

/** Between asking a tree to end and ending it, in milliseconds. */
export const GRACE_MS = 3000
const POLL_MS = 20
/** A tree that starts processes faster than they are killed is given up after so many rounds. */
const ROUNDS = 50

/**
 * Every tree this process started that may still have members: none of them outlives it. A tree stays until it is
 * ended, because what a command left in the background is found again only by its tree.
 */
export class LivingTrees {
  readonly #trees = new Set<Tree>()
  readonly #atExit = () => signalTrees([...this.#trees], 'SIGKILL')

  add(tree: Tree): void {
    // The id of a tree that died out may be given to a stranger, so none is kept longer than needed.
    for (const old of this.#trees) if (!isAlive(old)) this.drop(old)
    if (this.#trees.size === 0) process.on('exit', this.#atExit)
    this.#trees.add(tree)
  }

  /** Forget a tree of which nothing is alive. */
  drop(tree: Tree): void {
    if (this.#trees.delete(tree) && this.#trees.size === 0) process.off('exit', this.#atExit)
  }

  /** SIGTERM, then SIGKILL for what is left after `graceMs`. Resolves when nothing of the tree is alive, or nothing helps. */
  async end(tree: Tree, graceMs = GRACE_MS): Promise<void> {
    signalTrees([tree], 'SIGTERM')
    // A stopped process takes no SIGTERM before it goes on.
    signalTrees([tree], 'SIGCONT')
    for (let waited = 0; waited < graceMs && isAlive(tree); waited += POLL_MS) await pause(POLL_MS)
    for (let round = 0; round < ROUNDS && isAlive(tree); round++) {
      signalTrees([tree], 'SIGKILL')
      await pause(POLL_MS)
    }
    if (!isAlive(tree)) this.drop(tree)
  }

  /** End everything: the undo of whatever plugin started these. */
  async endAll(graceMs = GRACE_MS): Promise<void> {
    await Promise.all([...this.#trees].map((tree) => this.end(tree, graceMs)))
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
