import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encodeLine, MemoryStore, type SessionEvent } from '@rein/session'
import { nodeHasher } from '../../../src/store/hasher.ts'
import type { ListedSession } from '../../../src/store/index/listing.ts'
import { type IndexOptions, type SessionIndex, sessionIndex } from '../../../src/store/index/session-index.ts'

export type Draft = Pick<SessionEvent, 'type' | 'data'> & Partial<Pick<SessionEvent, 'surface'>>

/** The lines of a log that holds these events, each with its line end. */
export function logOf(drafts: readonly Draft[]): readonly string[] {
  let previous = ''
  return drafts.map((draft, seq) => {
    const { line, hash } = encodeLine({ seq, time: 1_764_500_000_000 + seq, previous }, draft, nodeHasher)
    previous = hash
    return `${line}\n`
  })
}

export const start = (cwd = '/work/app', format = 1): Draft => ({
  type: 'session/start',
  data: { format, id: 's', cwd, rein: '0' },
})

export const said = (text: string): Draft => ({
  type: 'user/message',
  data: { content: [{ type: 'text', text }], source: { kind: 'person' } },
  surface: 'append',
})

export const result = (text: string, name = 'bash'): Draft => ({
  type: 'tool/result',
  data: { call: 'c', name, outcome: { kind: 'done' }, content: [{ type: 'text', text }] },
  surface: 'append',
})

/** A home with an index, over sessions in memory; how much of them was read is counted. */
export class Bench implements Disposable {
  readonly home = mkdtempSync(join(tmpdir(), 'rein-index-'))
  readonly path = join(this.home, 'index.sqlite')
  readonly said: string[] = []
  now = 1_764_500_000_000
  readonly store = new MemoryStore({ hasher: nodeHasher, now: () => this.now })
  read = 0
  wholes = 0

  put(id: string, lines: readonly string[], cwd = '/work/app'): void {
    this.now += 1000
    this.store.load(id, new TextEncoder().encode(lines.join('')), cwd)
  }

  index(change: Partial<IndexOptions> = {}): Promise<SessionIndex> {
    const { store } = this
    const counted: IndexOptions['store'] = {
      name: 'memory',
      list: () => store.list(),
      read: async (id) => {
        this.wholes++
        return store.read(id)
      },
      ends: async (id, most) => {
        const got = await store.ends(id, most)
        if (got.ok) this.read += got.value.head.length + got.value.tail.length
        return got
      },
    }
    const said = (sentence: string): void => void this.said.push(sentence)
    return sessionIndex({ home: this.home, store: counted, clock: () => 0, said, ...change })
  }

  async listed(): Promise<readonly ListedSession[]> {
    using index = await this.index()
    return await index.list({ facts: true })
  }

  /** Ids of what is found, the best first, and where. */
  async find(typed: string, change: Partial<IndexOptions> = {}): Promise<readonly string[]> {
    using index = await this.index(change)
    const sessions = await index.list({ facts: false })
    const { found } = await index.search(typed, sessions, { now: this.now, sessions: 1000, places: 5 })
    return found.map(
      ({ session, places }) =>
        `${session.entry.id}:${places
          .map(({ seq }) => seq)
          .sort()
          .join(',')}`,
    )
  }

  [Symbol.dispose](): void {
    rmSync(this.home, { recursive: true, force: true })
  }
}

/** A home that cannot hold an index: everything is read from the logs. */
export const noHome = { home: '/dev/null' }
