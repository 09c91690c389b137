import test from 'node:test'
import { type StoreUnderTest, storeContract } from '@rein/session'
import { homeStore } from '../../src/store/home.ts'
import { Scratch } from './scratch.ts'
import { SqliteScratch } from './sqlite-scratch.ts'

const stores: Readonly<Record<string, () => StoreUnderTest>> = {
  jsonl: () => new Scratch().underTest(),
  sqlite: () => new SqliteScratch().underTest(),
  home() {
    const scratch = new Scratch()
    return scratch.underTest(() => homeStore({ home: scratch.home, now: Date.now, pollMs: 20 }))
  },
}

for (const [name, make] of Object.entries(stores))
  storeContract({ test: (title, run) => test(`${name}: ${title}`, run), make: async () => make() })
