import { mkdtempSync, readdirSync, rmSync, statSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { mkdir, rename } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Holder, Result, Store, StoreUnderTest } from '@rein/session'
import { processHolder } from '../../src/store/jsonl/holder.ts'
import { jsonlStore } from '../../src/store/jsonl/store.ts'
import type { MovableStore } from '../../src/store/movable.ts'

/** A home of its own for one test, and what a test does to the files in it. */
export class Scratch {
  readonly home: string = mkdtempSync(join(tmpdir(), 'rein-store-'))
  readonly sessions: string = join(this.home, 'sessions')

  store(): MovableStore {
    return jsonlStore({ home: this.home, now: Date.now, pollMs: 20 })
  }

  /** Paths below `sessions/` whose last part matches. */
  paths(pattern: RegExp): readonly string[] {
    const all = readdirSync(this.sessions, { recursive: true, encoding: 'utf8' })
    return all.filter((path) => pattern.test(path.split('/').at(-1) ?? '')).map((path) => join(this.sessions, path))
  }

  path(pattern: RegExp): string {
    const [path] = this.paths(pattern)
    if (!path) throw new Error(`no ${pattern} under ${this.sessions}`)
    return path
  }

  names(pattern: RegExp): readonly string[] {
    return this.paths(pattern)
      .map((path) => path.split('/').at(-1) ?? '')
      .sort()
  }

  silence(id: string): void {
    for (const path of this.paths(new RegExp(`^${id}\\.lock\\.`))) utimesSync(path, 1000, 1000)
  }

  cutLog(id: string, bytes: number): void {
    const path = this.path(new RegExp(`^${id}(\\.\\d+)?\\.jsonl$`))
    truncateSync(path, statSync(path).size - bytes)
  }

  tamperBlob(sha256: string): void {
    writeFileSync(this.path(new RegExp(`^${sha256}$`)), 'something else')
  }

  async breakLog(id: string): Promise<void> {
    const path = this.path(new RegExp(`^${id}(\\.\\d+)?\\.jsonl$`))
    await rename(path, `${path}.away`)
    await mkdir(path)
  }

  /** What the suites of a store need of it, and of a store `as` that stands on it. */
  underTest(as: () => Store = () => this.store()): StoreUnderTest {
    return {
      store: as(),
      other: as(),
      holder,
      silence: async (id) => this.silence(id),
      cutLog: async (id, bytes) => this.cutLog(id, bytes),
      tamperBlob: async (_id, sha256) => this.tamperBlob(sha256),
      breakLog: (id) => this.breakLog(id),
      dispose: async () => this.dispose(),
    }
  }

  dispose(): void {
    rmSync(this.home, { recursive: true, force: true })
  }
}

/** This process on a machine of that number: alive for good, as far as the others can tell. */
export const holder = (number: number): Holder => ({ ...processHolder(), host: `machine-${number}` })

export function value<T>(result: Result<T>): T {
  if (result.ok) return result.value
  throw new Error(`${result.failure.code}: ${result.failure.message}`)
}

export async function bytesOf(blocks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = []
  // A block may be a view of a buffer that is filled again.
  for await (const block of blocks) parts.push(block.slice())
  return Buffer.concat(parts)
}

export const textOf = async (blocks: AsyncIterable<Uint8Array>): Promise<string> => (await bytesOf(blocks)).toString()
