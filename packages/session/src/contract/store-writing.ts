import { type ContractCase, CWD, ID, line, started } from './case.ts'
import { equal, fails, logOf, rejects, textOf, value } from './expect.ts'

export const writing: readonly ContractCase[] = [
  {
    title: 'a new session is empty, in epoch 1, and can be created once',
    async run(of) {
      const lease = await started(of)
      equal([lease.id, lease.epoch], [ID, 1], 'the lease')
      equal(await logOf(of.store, ID), '', 'the log')
      fails(await of.store.create(ID, { cwd: CWD, holder: of.holder(1) }), 'SESSION_EXISTS')
      fails(await of.other.create(ID, { cwd: '/elsewhere', holder: of.holder(2) }), 'SESSION_EXISTS')
      await lease.release()
    },
  },
  {
    title: 'a session that does not exist is missing for every reader and writer',
    async run(of) {
      fails(await of.store.read('nobody'), 'SESSION_MISSING')
      fails(await of.store.ends('nobody', { head: 1, tail: 1 }), 'SESSION_MISSING')
      fails(await of.store.acquire('nobody', { holder: of.holder(1) }), 'SESSION_MISSING')
      fails(await of.store.post('nobody', { kind: 'cancel', id: 'c1' }), 'SESSION_MISSING')
      fails(await of.store.trash('nobody'), 'SESSION_MISSING')
      equal(await of.store.blobs('nobody').get('0'.repeat(64)), undefined, 'a blob of nobody')
      await rejects(of.store.blobs('nobody').put(new Uint8Array([1])), 'SESSION_MISSING')
      const watching = of.store.watch('nobody', 0, new AbortController().signal)
      await rejects(watching[Symbol.asyncIterator]().next(), 'SESSION_MISSING')
    },
  },
  {
    title: 'an id that is a path reaches no other file',
    async run(of) {
      for (const id of ['../x', 'a/b', '..', '']) fails(await of.store.read(id), 'SESSION_MISSING')
    },
  },
  {
    title: 'appended lines are there, in order, for every reader, before and after a sync',
    async run(of) {
      const lease = await started(of)
      await lease.append(0, [line(0), line(1, 'ünï')])
      equal(await logOf(of.other, ID), `${line(0)}\n${line(1, 'ünï')}\n`, 'the log')
      await lease.append(2, [line(2)])
      await lease.sync()
      equal(await logOf(of.store, ID), `${line(0)}\n${line(1, 'ünï')}\n${line(2)}\n`, 'the log')
      await lease.append(3, [])
      await lease.release()
    },
  },
  {
    title: 'appends that are not awaited one by one keep their order',
    async run(of) {
      const lease = await started(of)
      const lines = Array.from({ length: 50 }, (_, seq) => line(seq))
      await Promise.all(lines.map((text, seq) => lease.append(seq, [text])))
      equal(await logOf(of.store, ID), lines.map((text) => `${text}\n`).join(''), 'the log')
      await lease.release()
    },
  },
  {
    title: 'a wrong expected position writes nothing and leaves the lease usable',
    async run(of) {
      const lease = await started(of, 2)
      await rejects(lease.append(1, [line(1, 'again')]))
      await rejects(lease.append(3, [line(3)]))
      await rejects(lease.append(2, ['two\nlines']))
      equal(await logOf(of.store, ID), `${line(0)}\n${line(1)}\n`, 'the log')
      await lease.append(2, [line(2)])
      equal(await logOf(of.store, ID), `${line(0)}\n${line(1)}\n${line(2)}\n`, 'the log')
      await lease.release()
    },
  },
  {
    title: 'the bytes of a lease are the log as it was acquired, as often as they are read',
    async run(of) {
      await (await started(of, 2)).release()
      const lease = value(await of.other.acquire(ID, { holder: of.holder(2) }))
      await lease.append(2, [line(2)])
      equal(await textOf(lease.bytes()), `${line(0)}\n${line(1)}\n`, 'the bytes')
      await lease.publish([line(9)])
      equal(await textOf(lease.bytes()), `${line(0)}\n${line(1)}\n`, 'the bytes after a publish')
      await lease.release()
    },
  },
  {
    title: 'publish replaces the log by whole lines, and appending goes on after them',
    async run(of) {
      const lease = await started(of, 3)
      await lease.publish([line(0), line(1, 'mended')], { name: 'cut-1', bytes: new Uint8Array([0, 1]) })
      equal(await logOf(of.other, ID), `${line(0)}\n${line(1, 'mended')}\n`, 'the log')
      await rejects(lease.append(3, [line(3)]))
      await lease.append(2, [line(2)])
      await lease.release()
      const next = value(await of.other.acquire(ID, { holder: of.holder(2) }))
      equal(await textOf(next.bytes()), `${line(0)}\n${line(1, 'mended')}\n${line(2)}\n`, 'the log')
      await next.publish([line(0)])
      await next.append(1, [line(1, 'b')])
      equal(await logOf(of.store, ID), `${line(0)}\n${line(1, 'b')}\n`, 'the log published twice')
      await next.release()
    },
  },
  {
    title: 'a last record that only lacks its newline is kept, and the next line stands on its own',
    async run(of) {
      await (await started(of, 2)).release()
      await of.cutLog(ID, 1)
      const lease = value(await of.store.acquire(ID, { holder: of.holder(1) }))
      await lease.append(2, [line(2)])
      equal(await logOf(of.store, ID), `${line(0)}\n${line(1)}\n${line(2)}\n`, 'the log')
      await lease.release()
    },
  },
  {
    title: 'after a torn last line nothing is appended until the repaired lines are published',
    async run(of) {
      await (await started(of, 2)).release()
      await of.cutLog(ID, 5)
      const lease = value(await of.store.acquire(ID, { holder: of.holder(1) }))
      const torn = line(1).slice(0, -4)
      equal(await textOf(lease.bytes()), `${line(0)}\n${torn}`, 'the bytes, damage included')
      await rejects(lease.append(1, [line(1)]), 'SESSION_DAMAGED')
      await rejects(lease.append(2, [line(2)]), 'SESSION_DAMAGED')
      await lease.publish([line(0)], { name: 'torn-1', bytes: new TextEncoder().encode(torn) })
      await lease.append(1, [line(1)])
      equal(await logOf(of.store, ID), `${line(0)}\n${line(1)}\n`, 'the log')
      await lease.release()
    },
  },
]
