// Keeps one session of its own, `argv[3]`, in the home `argv[2]`, whose database nobody has made yet.
import { processHolder } from '../../src/store/jsonl/holder.ts'
import { sqliteStore } from '../../src/store/sqlite/store.ts'

const [, , home = '', id = ''] = process.argv
const created = await sqliteStore({ home, now: Date.now }).create(id, { cwd: '/start', holder: processHolder() })
if (!created.ok) throw new Error(created.failure.message)
for (let seq = 0; seq < 30; seq++) await created.value.append(seq, [`{"seq":${seq},"of":"${id}"}`])
await created.value.release()
