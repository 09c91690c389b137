import { type ContractCase, CWD, ID, line, started } from './case.ts'
import { equal, fails, logOf, rejects, value } from './expect.ts'

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

export const keeping: readonly ContractCase[] = [
  {
    title: 'a blob is named by its hash, kept once, and given back whole',
    async run(of) {
      const lease = await started(of)
      const bytes = Uint8Array.from({ length: 1000 }, (_, index) => index % 256)
      const name = await of.store.blobs(ID).put(bytes)
      equal(name, await of.other.blobs(ID).put(bytes), 'the name')
      equal(/^[0-9a-f]{64}$/.test(name), true, `a hash: ${name}`)
      equal([...((await of.other.blobs(ID).get(name)) ?? [])], [...bytes], 'the bytes')
      const empty = await of.store.blobs(ID).put(new Uint8Array(0))
      equal(empty, 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855', 'the name of nothing')
      equal((await of.store.blobs(ID).get(empty))?.length, 0, 'nothing')
      await lease.release()
    },
  },
  {
    title: 'a blob that is unknown or was altered is not there, and putting it again mends it',
    async run(of) {
      const lease = await started(of)
      const blobs = of.store.blobs(ID)
      equal(await blobs.get('f'.repeat(64)), undefined, 'an unknown blob')
      equal(await blobs.get('../../etc/passwd'), undefined, 'a name that is a path')
      const bytes = new TextEncoder().encode('a picture')
      const name = await blobs.put(bytes)
      await of.tamperBlob(ID, name)
      equal(await blobs.get(name), undefined, 'an altered blob')
      equal(await blobs.put(bytes), name, 'the name')
      equal([...((await blobs.get(name)) ?? [])], [...bytes], 'the mended blob')
      await lease.release()
    },
  },
  {
    title: 'a blob is taken over from another session, and stays when that one is put away',
    async run(of) {
      const lease = await started(of)
      const fork = value(await of.store.create('ses_fork', { cwd: CWD, holder: of.holder(1) }))
      const blobs = of.store.blobs('ses_fork')
      const bytes = new TextEncoder().encode('a picture')
      const name = await of.other.blobs(ID).put(bytes)
      for (const time of ['first', 'second']) equal(await blobs.link(name, ID), true, `taken over, ${time} time`)
      const altered = await of.store.blobs(ID).put(new Uint8Array(9))
      await of.tamperBlob(ID, altered)
      equal(await blobs.link(altered, ID), false, 'an altered blob')
      equal(await blobs.link('f'.repeat(64), ID), false, 'an unknown blob')
      equal(await blobs.link('../../etc/passwd', ID), false, 'a name that is a path')
      equal(await blobs.link(name, 'ses_nobody'), false, 'from a session that is not there')
      await rejects(of.store.blobs('ses_nobody').link(name, ID), 'SESSION_MISSING')
      await lease.release()
      value(await of.store.trash(ID))
      equal([...((await of.other.blobs('ses_fork').get(name)) ?? [])], [...bytes], 'the bytes')
      await of.tamperBlob('ses_fork', name)
      equal(await blobs.put(bytes), name, 'put again')
      equal([...((await blobs.get(name)) ?? [])], [...bytes], 'the mended blob')
      await fork.release()
    },
  },
  {
    title: 'the list has every session with its directory and who may write it',
    async run(of) {
      const lease = await started(of, 2)
      const free = value(await of.other.create('ses_free', { cwd: CWD, holder: of.holder(2) }))
      await free.append(0, [line(0)])
      await free.release()
      const entries = (await of.store.list()).map(({ id, bytes, cwd, state }) => ({ id, bytes, cwd, state }))
      entries.sort((a, b) => (a.id < b.id ? -1 : 1))
      equal(
        entries,
        [
          { id: ID, bytes: line(0).length + line(1).length + 2, cwd: CWD, state: 'held' },
          { id: 'ses_free', bytes: line(0).length + 1, cwd: CWD, state: 'free' },
        ],
        'the list',
      )
      await lease.release()
      equal(
        (await of.other.list()).map((entry) => entry.state),
        ['free', 'free'],
        'the states',
      )
    },
  },
  {
    title: 'a list that is told of an earlier one says the same as one that is not, also after changes',
    async run(of) {
      const lease = await started(of, 1)
      const known = new Map((await of.store.list()).map((entry) => [entry.id, entry]))
      await value(await of.store.create('ses_new', { cwd: CWD, holder: of.holder(1) })).release()
      await lease.append(1, [line(1)])
      await lease.release()
      equal(await of.other.list(known), await of.other.list(), 'the list')
      known.set('ses_gone', { id: 'ses_gone', bytes: 0, changed: 0, cwd: CWD, state: 'free' })
      equal(await of.store.list(known), await of.other.list(), 'the list')
    },
  },
  {
    title: 'the ends of a log are its first and last bytes, never one of them twice',
    async run(of) {
      const lease = await started(of, 3)
      const whole = await logOf(of.store, ID)
      for (const [head, tail] of [
        [10, 10],
        [0, 20],
        [20, 0],
        [whole.length, 5],
        [whole.length - 5, 50],
        [1000, 1000],
      ] as const) {
        const ends = value(await of.other.ends(ID, { head, tail }))
        const first = whole.slice(0, head)
        const expected = [first, whole.slice(Math.max(first.length, whole.length - tail)), whole.length]
        equal([text(ends.head), text(ends.tail), ends.bytes], expected, `the ends ${head} and ${tail}`)
      }
      await lease.append(3, [line(3, 'more')])
      const last = value(await of.store.ends(ID, { head: 0, tail: line(3, 'more').length + 1 }))
      equal(text(last.tail), `${line(3, 'more')}\n`, 'the end of a log that grew')
      await lease.release()
      await of.silence(ID)
      await of.store.list()
      const next = value(await of.other.acquire(ID, { holder: of.holder(2) }))
      await next.publish([line(7)])
      equal(text(value(await of.store.ends(ID, { head: 99, tail: 0 })).head), `${line(7)}\n`, 'a published log')
      await next.release()
    },
  },
  {
    title: 'a session that cannot be read is listed as broken, and the others are listed beside it',
    async run(of) {
      await (await started(of, 1)).release()
      await value(await of.store.create('ses_whole', { cwd: CWD, holder: of.holder(1) })).release()
      await of.breakLog(ID)
      const states = (await of.store.list()).map((entry) => [entry.id, entry.state].join(' ')).sort()
      equal(states, [`${ID} broken`, 'ses_whole free'], 'the list')
      fails(await of.store.read(ID), 'FILE_ERROR')
      fails(await of.store.ends(ID, { head: 10, tail: 10 }), 'FILE_ERROR')
      fails(await of.store.acquire(ID, { holder: of.holder(1) }), 'FILE_ERROR')
      value(await of.store.trash(ID))
      equal(
        (await of.store.list()).map((entry) => entry.id),
        ['ses_whole'],
        'the list',
      )
    },
  },
  {
    title: 'a held session is not put away; a free one is, and its id is free again',
    async run(of) {
      const lease = await started(of, 1)
      fails(await of.other.trash(ID), 'SESSION_BUSY')
      await lease.append(1, [line(1)])
      await lease.release()
      value(await of.other.trash(ID))
      equal(await of.store.list(), [], 'the list')
      fails(await of.store.read(ID), 'SESSION_MISSING')
      const again = await started(of, 1)
      equal([again.epoch, await logOf(of.store, ID)], [1, `${line(0)}\n`], 'the new session')
      await again.release()
      value(await of.store.trash(ID))
    },
  },
  {
    title: 'a silent holder whose session was put away is told so',
    async run(of) {
      const lease = await started(of, 1)
      await of.silence(ID)
      value(await of.other.trash(ID))
      await rejects(lease.append(1, [line(1)]), 'SESSION_TAKEN')
      await lease.release()
      fails(await of.store.read(ID), 'SESSION_MISSING')
    },
  },
]
