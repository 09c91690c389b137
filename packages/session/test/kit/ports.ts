import { createHash, type Hash } from 'node:crypto'
import type { Hasher, NewHasher, Ports } from '../../src/index.ts'

class NodeHasher implements Hasher {
  readonly #hash: Hash
  constructor(hash: Hash) {
    this.#hash = hash
  }
  update(data: string | Uint8Array): Hasher {
    this.#hash.update(data)
    return this
  }
  copy(): Hasher {
    return new NodeHasher(this.#hash.copy())
  }
  digest(): string {
    return this.#hash.digest('hex')
  }
}

export const hasher: NewHasher = () => new NodeHasher(createHash('sha256'))

export const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

/** A clock that goes on by one millisecond whenever it is read, and ids that count: every run writes the same log. */
export function countingPorts(start = 1_764_500_000_000): Ports {
  let time = start
  let number = 0
  return { now: () => time++, id: (prefix) => `${prefix}${++number}`, hasher }
}
