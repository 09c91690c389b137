// Writes session after session in the home `argv[2]`, which the store `argv[3]` keeps (default `jsonl`), telling each
// acknowledged line, until it is killed. On losing a session it says so and goes on with the next.
import { setTimeout } from 'node:timers/promises'
import { FailureError } from '@rein/session'
import { processHolder } from '../../src/store/jsonl/holder.ts'
import { jsonlStore } from '../../src/store/jsonl/store.ts'
import { sqliteStore } from '../../src/store/sqlite/store.ts'

const [, , home = '', kind] = process.argv
const store = (kind === 'sqlite' ? sqliteStore : jsonlStore)({ home, now: Date.now })
for (let number = 0; ; number++) {
  const id = `ses_${number}`
  const created = await store.create(id, { cwd: '/frozen', holder: processHolder() })
  if (!created.ok) throw new Error(created.failure.message)
  try {
    for (let seq = 0; ; seq++) {
      await created.value.append(seq, [`{"seq":${seq},"by":"writer"}`])
      process.stdout.write(`${id} ${seq}\n`)
      // A database is shared by all its sessions: a writer that never paused would leave room for nobody.
      if (kind === 'sqlite') await setTimeout(1)
    }
  } catch (cause) {
    if (!(cause instanceof FailureError)) throw cause
    process.stdout.write(`${id} ${cause.failure.code}\n`)
    await created.value.release()
  }
}
