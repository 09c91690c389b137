import type { StoreUnderTest } from './case.ts'
import { beside } from './store-beside.ts'
import { following } from './store-following.ts'
import { keeping } from './store-keeping.ts'
import { posting } from './store-posting.ts'
import { taking } from './store-taking.ts'
import { trash } from './store-trash.ts'
import { writing } from './store-writing.ts'

export type { StoreUnderTest } from './case.ts'

/**
 * What every `Store` promises, as tests for any runner:
 * `storeContract({ test, make: async () => ({ store, other, … }) })` with the `test` of `node:test`, vitest or your own.
 */
export function storeContract(ports: {
  readonly test: (title: string, run: () => Promise<void>) => unknown
  readonly make: () => Promise<StoreUnderTest>
}): void {
  for (const { title, run } of [...writing, ...taking, ...following, ...posting, ...keeping, ...beside, ...trash]) {
    ports.test(title, async () => {
      const of = await ports.make()
      try {
        await run(of)
      } finally {
        await of.dispose()
      }
    })
  }
}
