import assert from 'node:assert/strict'
import test from 'node:test'
import type { Lease, Result } from '@rein/session'
import fc from 'fast-check'
import { holder, Scratch } from './scratch.ts'

type Step = 'create' | 'append' | 'release' | 'acquire' | 'trash' | 'restore' | 'empty'

/** One session, by whoever writes it. */
class Life {
  readonly of = new Scratch()
  readonly #store = this.of.store()
  #lease: Lease | undefined
  #lines = 0
  #holders = 0

  async step(step: Step): Promise<void> {
    const next = { holder: holder(++this.#holders) }
    if (step === 'create' && !this.#lease) this.#took(await this.#store.create('ses_a', { cwd: '/a', ...next }), 0)
    if (step === 'acquire' && !this.#lease) this.#took(await this.#store.acquire('ses_a', next), this.#lines)
    if (step === 'append') await this.#lease?.append(this.#lines++, ['{"n":0}'])
    if (step === 'release' || step === 'trash') {
      await this.#lease?.release()
      this.#lease = undefined
    }
    if (step === 'trash') await this.#store.trash('ses_a')
    if (step === 'empty') await this.#store.emptyTrash()
    if (step === 'restore' && !this.#lease)
      for (const { name } of await this.#store.trashed()) await this.#store.restore(name)
  }

  #took(taken: Result<Lease>, lines: number): void {
    if (!taken.ok) return
    this.#lease = taken.value
    this.#lines = lines
  }
}

test('whatever a list knew before, and whoever wrote since, it says what a list that knows nothing says', async () => {
  const step = fc.constantFrom<Step>('create', 'append', 'release', 'acquire', 'trash', 'restore', 'empty')
  const steps = fc.array(step, { minLength: 4, maxLength: 16 })
  await fc.assert(
    fc.asyncProperty(steps, async (taken) => {
      const life = new Life()
      try {
        const before = life.of.store()
        let known = new Map((await before.list()).map((entry) => [entry.id, entry]))
        for (const each of ['create', 'append', ...taken] as const) {
          await life.step(each)
          const fresh = await life.of.store().list()
          assert.deepEqual(await before.list(known), fresh, each)
          known = new Map(fresh.map((entry) => [entry.id, entry]))
        }
      } finally {
        life.of.dispose()
      }
    }),
    { numRuns: 25 },
  )
})

test('of a session that was let go nothing but its log is looked at again, until somebody takes it', async (t) => {
  const of = new Scratch()
  t.after(() => of.dispose())
  const store = of.store()
  const created = await store.create('ses_a', { cwd: '/a', holder: holder(1) })
  assert.ok(created.ok)
  await created.value.append(0, ['{"n":0}'])
  const [held] = await store.list()
  assert.deepEqual([held?.state, held?.gone], ['held', undefined])
  of.silence('ses_a')
  const [silent] = await store.list()
  assert.deepEqual([silent?.state, silent?.gone], ['free', undefined], 'it may wake up')
  await created.value.release()
  const [free] = await store.list(silent && new Map([[silent.id, silent]]))
  assert.deepEqual([free?.state, free?.gone], ['free', 1])
  const known = new Map(free && [[free.id, free]])
  assert.equal((await store.list(known))[0], free, 'the same entry, and not another of the same content')
  assert.ok((await store.acquire('ses_a', { holder: holder(2) })).ok)
  assert.equal((await store.list(known))[0]?.state, 'held')
})
