import type { Posted } from '../store.ts'
import { type ContractCase, ID, started } from './case.ts'
import { equal, rejects, value } from './expect.ts'

const input = (id: string, text = id): Posted => ({
  kind: 'input',
  id,
  delivery: 'followup',
  content: [{ type: 'text', text }],
  source: { kind: 'person' },
})

export const posting: readonly ContractCase[] = [
  {
    title: 'anybody posts without the lease, and the holder gets the items whole and in order',
    async run(of) {
      const lease = await started(of)
      const items: readonly Posted[] = [
        input('z', 'first'),
        { kind: 'answer', id: 'a1', to: 'approval-1', answer: 'allowed-once', by: 'person' },
        { kind: 'cancel', id: 'c1', item: 'z' },
        { kind: 'cancel', id: 'c2' },
        input('a', 'last'),
      ]
      for (const item of items) value(await of.other.post(ID, item))
      equal(await lease.posted(), items, 'the inbox')
      await lease.release()
    },
  },
  {
    title: 'what no session could take in is not posted: that is a bug of whoever posts',
    async run(of) {
      const lease = await started(of)
      for (const content of ['text', [{ type: 'text' }], [{ type: 'sound' }]]) {
        const item = { ...input('bad'), content } as unknown as Posted
        await rejects(of.other.post(ID, item))
      }
      equal(await lease.posted(), [], 'the inbox')
      await lease.release()
    },
  },
  {
    title: 'an id posted twice is there once, also after it was settled',
    async run(of) {
      const lease = await started(of)
      value(await of.store.post(ID, input('i1', 'one')))
      value(await of.other.post(ID, input('i1', 'two')))
      equal(await lease.posted(), [input('i1', 'one')], 'the inbox')
      await lease.settle(['i1'])
      equal(await lease.posted(), [], 'the inbox after settling')
      value(await of.other.post(ID, input('i1', 'three')))
      equal(await lease.posted(), [], 'the inbox after another post')
      await lease.settle(['never-posted'])
      value(await of.other.post(ID, input('never-posted')))
      equal(await lease.posted(), [], 'an id that was settled before it was posted')
      await lease.release()
      const next = value(await of.other.acquire(ID, { holder: of.holder(2) }))
      equal(await next.posted(), [], 'the inbox of the next holder')
      await next.release()
    },
  },
  {
    title: 'ids that differ only in case, or are paths, are different items',
    async run(of) {
      const lease = await started(of)
      const items = ['item', 'ITEM', '../../item', 'item/../x', '.item', 'ité m', 'x'.repeat(300)].map((id) =>
        input(id),
      )
      for (const item of items) value(await of.store.post(ID, item))
      equal(await lease.posted(), items, 'the inbox')
      await lease.settle(['ITEM', '../../item'])
      equal((await lease.posted()).length, items.length - 2, 'items left')
      await lease.release()
    },
  },
  {
    title: 'what nobody settled is there for the next holder, what was settled is not',
    async run(of) {
      const first = await started(of)
      value(await of.other.post(ID, input('i1')))
      value(await of.other.post(ID, input('i2')))
      await first.settle(['i1'])
      await of.silence(ID)
      const second = value(await of.other.acquire(ID, { holder: of.holder(2) }))
      equal(await second.posted(), [input('i2')], 'the inbox')
      await second.release()
      value(await of.store.post(ID, input('i3')))
      const third = value(await of.store.acquire(ID, { holder: of.holder(1) }))
      equal(await third.posted(), [input('i2'), input('i3')], 'the inbox')
      await third.release()
      await first.release()
    },
  },
  {
    title: 'the holder hears of a post, and no more once it stopped listening',
    async run(of) {
      const lease = await started(of)
      let heard = 0
      let told: () => void = () => {}
      const soon = new Promise<void>((resolve) => {
        told = resolve
      })
      const listening = lease.onPosted(() => {
        heard++
        told()
      })
      value(await of.other.post(ID, input('i1')))
      await soon
      listening[Symbol.dispose]()
      const before = heard
      value(await of.other.post(ID, input('i2')))
      equal([heard, (await lease.posted()).length], [before, 2], 'calls and items')
      await lease.release()
    },
  },
]
