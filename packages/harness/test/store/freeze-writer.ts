// Writes session after session in `argv[2]`, telling each acknowledged line, until it is killed. On losing a session it
// says so and goes on with the next.
import { FailureError } from '@rein/session'
import { processHolder } from '../../src/store/jsonl/holder.ts'
import { jsonlStore } from '../../src/store/jsonl/store.ts'

const store = jsonlStore({ home: process.argv[2] ?? '', now: Date.now })
for (let number = 0; ; number++) {
  const id = `ses_${number}`
  const created = await store.create(id, { cwd: '/frozen', holder: processHolder() })
  if (!created.ok) throw new Error(created.failure.message)
  try {
    for (let seq = 0; ; seq++) {
      await created.value.append(seq, [`{"seq":${seq},"by":"writer"}`])
      process.stdout.write(`${id} ${seq}\n`)
    }
  } catch (cause) {
    if (!(cause instanceof FailureError)) throw cause
    process.stdout.write(`${id} ${cause.failure.code}\n`)
    await created.value.release()
  }
}
