import { rmSync } from 'node:fs'
import { hideValues } from '../../../src/store/export/value.ts'
import { homeStore } from '../../../src/store/home.ts'
import { done, filesIn, holder, Scratch } from './kept.ts'

const key = () => Buffer.alloc(32, 7)
export const secret = 'hunter-2-"x"\\é'
/** Of the sessions that a database keeps. */
export const database = (scratch: Scratch) => homeStore({ home: scratch.home, now: Date.now, keep: 'sqlite' })

export const redacting = (scratch: Scratch, value = secret, purge = true) => {
  const values = done(hideValues([value], key))
  return { store: scratch.store(), holder, now: () => 1, values, purge }
}

export function at<T>(work: (scratch: Scratch) => Promise<T>): () => Promise<void> {
  return async () => {
    const scratch = new Scratch()
    try {
      await work(scratch)
    } finally {
      rmSync(scratch.home, { recursive: true })
    }
  }
}

/** Files that hold the value, as it is or as JSON spells it. */
export function holding(scratch: Scratch, value = secret): readonly string[] {
  const spelled = [value, JSON.stringify(value).slice(1, -1), Buffer.from(value).toString('base64').slice(0, -4)]
  return [...filesIn(scratch.home)]
    .filter(([, bytes]) => spelled.some((each) => bytes.includes(each)))
    .map(([path]) => path)
}

/** Input that waits. */
export const waiting = (id: string, text: string) =>
  ({
    kind: 'input',
    id,
    delivery: 'followup',
    content: [{ type: 'text', text }],
    source: { kind: 'person' },
  }) as const
