import { type ContractCase, ID, line, started } from './case.ts'
import { believed, equal, followed, logOf, value } from './expect.ts'

export const following: readonly ContractCase[] = [
  {
    title: 'a watcher gets the lines from its position on, then each new one, once',
    async run(of) {
      const lease = await started(of, 3)
      const stop = new AbortController()
      const seen = followed(of.other.watch(ID, 1, stop.signal), stop, (news) =>
        news.some((each) => each.kind === 'lines' && each.from + each.lines.length === 6),
      )
      await lease.append(3, [line(3)])
      await lease.append(4, [line(4), line(5)])
      const lines = (await seen).flatMap((each) => (each.kind === 'lines' ? each.lines : ['reset']))
      equal(
        lines,
        [1, 2, 3, 4, 5].map((seq) => line(seq)),
        'the lines',
      )
      await lease.release()
    },
  },
  {
    title: 'a watcher ahead of the log waits for its position',
    async run(of) {
      const lease = await started(of, 1)
      const stop = new AbortController()
      const seen = followed(of.other.watch(ID, 2, stop.signal), stop, () => true)
      await lease.append(1, [line(1)])
      await lease.append(2, [line(2)])
      equal(await seen, [{ kind: 'lines', from: 2, lines: [line(2)] }], 'the news')
      await lease.release()
    },
  },
  {
    title: 'a watcher goes on without a word when the session changes hands and nothing is lost',
    async run(of) {
      const first = await started(of, 2)
      const stop = new AbortController()
      const seen = followed(of.other.watch(ID, 0, stop.signal), stop, (news) => believed(news).length === 3)
      await of.silence(ID)
      const second = value(await of.store.acquire(ID, { holder: of.holder(2) }))
      await second.append(2, [line(2)])
      const news = await seen
      equal(news.filter((each) => each.kind === 'reset').length, 0, 'resets')
      equal(believed(news), [line(0), line(1), line(2)], 'the lines')
      await second.release()
      await first.release()
    },
  },
  {
    title: 'a watcher is reset to the first position where a published log differs',
    async run(of) {
      const lease = await started(of, 4)
      const stop = new AbortController()
      const mended = [line(0), line(1), line(2, 'mended'), line(3)]
      let published: Promise<void> | undefined
      const news = await followed(of.other.watch(ID, 0, stop.signal), stop, (soFar) => {
        if (!published && believed(soFar).length === 4) published = lease.publish(mended)
        return believed(soFar).includes(line(2, 'mended')) && believed(soFar).length === 4
      })
      await published
      equal(
        news.find((each) => each.kind === 'reset'),
        { kind: 'reset', from: 2 },
        'the reset',
      )
      equal(believed(news), mended, 'the lines')
      await lease.release()
    },
  },
  {
    title: 'a watcher is told when a published log is shorter',
    async run(of) {
      const lease = await started(of, 3)
      const stop = new AbortController()
      let published: Promise<void> | undefined
      const news = await followed(of.other.watch(ID, 0, stop.signal), stop, (soFar) => {
        if (!published && believed(soFar).length === 3) published = lease.publish([line(0)])
        return soFar.some((each) => each.kind === 'reset')
      })
      await published
      equal(believed(news), [line(0)], 'the lines')
      equal(await logOf(of.other, ID), `${line(0)}\n`, 'the log')
      await lease.release()
    },
  },
  {
    title: 'a watcher that is stopped while it waits ends at once',
    async run(of) {
      const lease = await started(of)
      const stop = new AbortController()
      const seen = followed(of.store.watch(ID, 0, stop.signal), stop, () => false)
      stop.abort()
      equal(await seen, [], 'the news')
      await lease.release()
    },
  },
]
