import { type ContractCase, ID, line, started } from './case.ts'
import { equal, fails, logOf, rejects, textOf, value } from './expect.ts'

export const taking: readonly ContractCase[] = [
  {
    title: 'a session whose holder is alive is busy, and the refusal names the holder',
    async run(of) {
      const lease = await started(of, 1)
      const refused = await of.other.acquire(ID, { holder: of.holder(2) })
      fails(refused, 'SESSION_BUSY')
      if (refused.ok) return
      const { host, pid } = of.holder(1)
      const named = refused.failure.message.includes(host) && refused.failure.message.includes(String(pid))
      equal(named, true, `names ${host} and ${pid}: ${refused.failure.message}`)
      await lease.append(1, [line(1)])
      await lease.release()
    },
  },
  {
    title: 'after a release the next epoch appends where the last one ended',
    async run(of) {
      const first = await started(of, 1)
      await first.release()
      await first.release()
      const second = value(await of.other.acquire(ID, { holder: of.holder(2) }))
      equal(second.epoch, 2, 'the epoch')
      await second.append(1, [line(1)])
      await second.sync()
      equal(await logOf(of.store, ID), `${line(0)}\n${line(1)}\n`, 'the log')
      await second.release()
      const third = value(await of.store.acquire(ID, { holder: of.holder(1) }))
      equal([third.epoch, await textOf(third.bytes())], [3, `${line(0)}\n${line(1)}\n`], 'the third lease')
      await third.release()
    },
  },
  {
    title: 'a lease that was given back writes nothing',
    async run(of) {
      const lease = await started(of, 1)
      await lease.release()
      await rejects(lease.append(1, [line(1)]), 'SESSION_TAKEN')
      await rejects(lease.sync(), 'SESSION_TAKEN')
      equal(await logOf(of.store, ID), `${line(0)}\n`, 'the log')
    },
  },
  {
    title: 'a silent holder is overtaken with all it had written, and can never write again',
    async run(of) {
      const old = await started(of, 2)
      await of.silence(ID)
      const taker = value(await of.other.acquire(ID, { holder: of.holder(2) }))
      equal(await textOf(taker.bytes()), `${line(0)}\n${line(1)}\n`, 'what the taker finds')
      await rejects(old.append(2, [line(2, 'late')]), 'SESSION_TAKEN')
      await rejects(old.append(2, [line(2, 'later')]), 'SESSION_TAKEN')
      await taker.append(2, [line(2, 'taker')])
      equal(await logOf(of.store, ID), `${line(0)}\n${line(1)}\n${line(2, 'taker')}\n`, 'the log')
      await old.release()
      await taker.check()
      await taker.release()
    },
  },
  ...(['sync', 'check', 'renew', 'publish', 'posted', 'settle'] as const).map(
    (method): ContractCase => ({
      title: `an overtaken holder is told by ${method}`,
      async run(of) {
        const old = await started(of, 1)
        await of.store.post(ID, { kind: 'cancel', id: 'c1' })
        await of.silence(ID)
        const taker = value(await of.other.acquire(ID, { holder: of.holder(2) }))
        await rejects(
          method === 'publish' || method === 'settle' ? old[method](['c1']) : old[method](),
          'SESSION_TAKEN',
        )
        equal(await logOf(of.other, ID), `${line(0)}\n`, 'the log')
        equal((await taker.posted()).length, 1, 'items of the inbox')
        await taker.release()
        await old.release()
      },
    }),
  ),
  {
    title: 'a holder that renews is not taken over',
    async run(of) {
      const lease = await started(of, 1)
      await of.silence(ID)
      await lease.renew()
      fails(await of.other.acquire(ID, { holder: of.holder(2) }), 'SESSION_BUSY')
      await lease.check()
      await lease.release()
    },
  },
  {
    title: 'of several who take a silent session over at once, exactly one may write',
    async run(of) {
      const old = await started(of, 1)
      await of.silence(ID)
      const tries = await Promise.all(
        [2, 3, 4, 5].map((n) => (n % 2 === 0 ? of.store : of.other).acquire(ID, { holder: of.holder(n) })),
      )
      const won = tries.flatMap((result) => (result.ok ? [result.value] : []))
      const written = await Promise.allSettled(won.map((lease) => lease.append(1, [line(1, `epoch ${lease.epoch}`)])))
      equal(written.filter((outcome) => outcome.status === 'fulfilled').length, 1, 'writers that were acknowledged')
      const writer = won[written.findIndex((outcome) => outcome.status === 'fulfilled')]
      equal(await logOf(of.store, ID), `${line(0)}\n${line(1, `epoch ${writer?.epoch}`)}\n`, 'the log')
      await rejects(old.check(), 'SESSION_TAKEN')
      for (const lease of [old, ...won]) await lease.release()
    },
  },
]
