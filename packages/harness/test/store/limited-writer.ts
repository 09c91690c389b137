// Appends to a session of the home `argv[2]`, which the store `argv[3]` keeps (default `jsonl`), until the system refuses
// (run under a limit of file size), then says what it was told and what is left.
import { FailureError } from '@rein/session'
import { processHolder } from '../../src/store/jsonl/holder.ts'
import { jsonlStore } from '../../src/store/jsonl/store.ts'
import { sqliteStore } from '../../src/store/sqlite/store.ts'

process.on('SIGXFSZ', () => {})
const [, , home = '', kind] = process.argv
const store = (kind === 'sqlite' ? sqliteStore : jsonlStore)({ home, now: Date.now })
const created = await store.create('ses_full', { cwd: '/full', holder: processHolder() })
if (!created.ok) throw new Error(created.failure.message)
let acknowledged = 0
const codes: string[] = []
let next = ''
for (let seq = 0; codes.length < 2; seq++) {
  try {
    await created.value.append(acknowledged, [JSON.stringify({ seq, text: 'x'.repeat(700) })])
    acknowledged++
  } catch (cause) {
    if (!(cause instanceof FailureError)) throw cause
    codes.push(cause.failure.code)
    next = cause.failure.next ?? ''
  }
}
process.stdout.write(JSON.stringify({ acknowledged, codes, next }))
