// Posts items shared with other posters and some of its own: `poster.ts <home> <session> <name> <how many>`.
import { jsonlStore } from '../../src/store/jsonl/store.ts'

const [home = '', id = '', name = '', count = '0'] = process.argv.slice(2)
const store = jsonlStore({ home, now: Date.now })
for (let number = 0; number < Number(count); number++) {
  for (const item of [`shared-${number}`, `${name}-${number}`]) {
    const posted = await store.post(id, { kind: 'cancel', id: item })
    if (!posted.ok) throw new Error(posted.failure.message)
  }
}
