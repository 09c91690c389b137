import type { Posted, Trashed } from '../store.ts'
import { type ContractCase, CWD, ID, line, type StoreUnderTest, started } from './case.ts'
import { equal, fails, logOf, rejects, value } from './expect.ts'

const item: Posted = { kind: 'cancel', id: 'c1' }

/** A session that was written, given a blob and a post, and put away. @returns its name in the trash. */
async function putAway(of: StoreUnderTest, lines = 2): Promise<Trashed> {
  const before = new Set((await of.store.trashed()).map(({ name }) => name))
  const lease = await started(of, lines)
  await of.store.blobs(ID).put(new Uint8Array([1, 2, 3]))
  value(await of.store.post(ID, item))
  await lease.release()
  value(await of.other.trash(ID))
  const [found] = (await of.store.trashed()).filter(({ name }) => !before.has(name))
  if (!found) throw new Error('what was put away is not in the trash')
  return found
}

export const trash: readonly ContractCase[] = [
  {
    title: 'what was put away is in the trash with its id, its time and its size',
    async run(of) {
      equal(await of.store.trashed(), [], 'the trash')
      const found = await putAway(of)
      equal(await of.other.trashed(), [found], 'the trash')
      equal([found.id, found.at > 0, found.bytes >= line(0).length * 2 + 3], [ID, true, true], 'the entry')
    },
  },
  {
    title: 'a session comes back from the trash with its log, its blobs and what was posted, and its epochs go on',
    async run(of) {
      const { name } = await putAway(of)
      const blob = '039058c6f2c0cb492c533b0a4d14ef77cc0f78abccced5287d84a1a2011cfb81'
      equal(value(await of.other.restore(name)), ID, 'the id')
      equal(await of.store.trashed(), [], 'the trash')
      equal(await logOf(of.store, ID), `${line(0)}\n${line(1)}\n`, 'the log')
      equal([...((await of.store.blobs(ID).get(blob)) ?? [])], [1, 2, 3], 'the blob')
      const lease = value(await of.store.acquire(ID, { holder: of.holder(2) }))
      equal(lease.epoch > 1, true, `a higher epoch: ${lease.epoch}`)
      equal(await lease.posted(), [item], 'the inbox')
      await lease.append(2, [line(2)])
      await lease.release()
      equal(
        (await of.other.list()).map(({ id, state, cwd }) => [id, state, cwd]),
        [[ID, 'free', CWD]],
        'the list',
      )
      fails(await of.store.restore(name), 'SESSION_MISSING')
    },
  },
  {
    title: 'a silent holder whose session was put away and came back stays overtaken',
    async run(of) {
      const old = await started(of, 1)
      await of.silence(ID)
      value(await of.other.trash(ID))
      const [found] = await of.other.trashed()
      value(await of.other.restore(found?.name ?? ''))
      await rejects(old.check(), 'SESSION_TAKEN')
      const next = value(await of.other.acquire(ID, { holder: of.holder(2) }))
      await rejects(old.append(1, [line(1, 'late')]), 'SESSION_TAKEN')
      await next.append(1, [line(1)])
      equal(await logOf(of.store, ID), `${line(0)}\n${line(1)}\n`, 'the log')
      await next.release()
      await old.release()
    },
  },
  {
    title:
      'an id that is in use again is not overwritten from the trash, and one id is there as often as it was put away',
    async run(of) {
      const first = await putAway(of, 1)
      const second = await putAway(of, 3)
      equal(first.name === second.name, false, 'one name for two')
      const lease = await started(of, 2)
      fails(await of.store.restore(first.name), 'SESSION_EXISTS')
      equal(await logOf(of.store, ID), `${line(0)}\n${line(1)}\n`, 'the log')
      equal((await of.other.trashed()).length, 2, 'sessions in the trash')
      await lease.release()
      value(await of.store.trash(ID))
      const elsewhere = value(await of.store.create(ID, { cwd: '/elsewhere', holder: of.holder(1) }))
      await elsewhere.append(0, [line(0)])
      await elsewhere.release()
      fails(await of.other.restore(first.name), 'SESSION_EXISTS')
      value(await of.store.trash(ID))
      value(await of.store.restore(second.name))
      equal(await logOf(of.other, ID), `${line(0)}\n${line(1)}\n${line(2)}\n`, 'the log')
    },
  },
  {
    title: 'what is not in the trash is not restored, whatever its name',
    async run(of) {
      await (await started(of, 1)).release()
      for (const name of ['nothing', '', '.', '..', '../sessions', `../sessions/${ID}`, 'a/../b', ID])
        fails(await of.store.restore(name), 'SESSION_MISSING')
      equal(
        await of.store.emptyTrash(['nothing', '', '.', '..', '../sessions', ID]),
        { removed: 0, bytes: 0 },
        'deleted',
      )
      equal(await logOf(of.store, ID), `${line(0)}\n`, 'the log')
    },
  },
  {
    title: 'only emptying the trash deletes: what is named, or everything, and nothing outside',
    async run(of) {
      const first = await putAway(of, 1)
      const second = await putAway(of, 2)
      await putAway(of, 3)
      await (await started(of, 4)).release()
      equal(await of.store.emptyTrash([second.name, 'x']), { removed: 1, bytes: second.bytes }, 'the first time')
      fails(await of.other.restore(second.name), 'SESSION_MISSING')
      equal((await of.other.trashed()).length, 2, 'sessions left in the trash')
      equal((await of.other.emptyTrash()).removed, 2, 'the second time')
      equal(await of.store.trashed(), [], 'the trash')
      fails(await of.store.restore(first.name), 'SESSION_MISSING')
      equal((await logOf(of.store, ID)).split('\n').length, 5, 'lines and the end')
      equal(await of.store.emptyTrash(), { removed: 0, bytes: 0 }, 'the third time')
    },
  },
]
