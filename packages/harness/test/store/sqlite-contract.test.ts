import test from 'node:test'
import { storeContract } from '@rein/session'
import { holder } from './scratch.ts'
import { SqliteScratch } from './sqlite-scratch.ts'

storeContract({
  test: (title, run) => test(`sqlite: ${title}`, run),
  make: async () => {
    const scratch = new SqliteScratch()
    return {
      store: scratch.store(),
      other: scratch.store(),
      holder,
      silence: async (id) => scratch.silence(id),
      cutLog: async (id, bytes) => scratch.cutLog(id, bytes),
      tamperBlob: async (_id, sha256) => void scratch.sql(`UPDATE blob SET bytes = x'00' WHERE sha256 = ?`, sha256),
      breakLog: async () => void scratch.sql('DELETE FROM line'),
      dispose: async () => scratch.dispose(),
    }
  },
})
