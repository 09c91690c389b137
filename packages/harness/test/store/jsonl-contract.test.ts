import test from 'node:test'
import { storeContract } from '@rein/session'
import { holder, Scratch } from './scratch.ts'

storeContract({
  test: (title, run) => test(`jsonl: ${title}`, run),
  make: async () => {
    const scratch = new Scratch()
    return {
      store: scratch.store(),
      other: scratch.store(),
      holder,
      silence: async (id) => scratch.silence(id),
      cutLog: async (id, bytes) => scratch.cutLog(id, bytes),
      tamperBlob: async (_id, sha256) => scratch.tamperBlob(sha256),
      breakLog: (id) => scratch.breakLog(id),
      dispose: async () => scratch.dispose(),
    }
  },
})
