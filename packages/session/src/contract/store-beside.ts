import type { Beside, BesidePart, Posted, Store } from '../store.ts'
import { type ContractCase, ID, line, started } from './case.ts'
import { equal, rejects, value } from './expect.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const text = (of: Uint8Array): string => new TextDecoder().decode(of)

const input = (id: string, said: string): Posted => ({
  kind: 'input',
  id,
  delivery: 'followup',
  content: [{ type: 'text', text: said }],
  source: { kind: 'person' },
})

async function pieces(store: Store, part: BesidePart, id = ID): Promise<readonly Beside[]> {
  const found: Beside[] = []
  for await (const piece of store.beside(id, part)) found.push(piece)
  return found
}

const shown = (found: readonly Beside[]) => found.map((piece) => [piece.part, piece.name, text(piece.bytes)])

export const beside: readonly ContractCase[] = [
  {
    title: 'what belongs to a session beside its log is given piece by piece, and is as it was put there',
    async run(of) {
      const lease = await started(of, 1)
      await lease.publish([line(0)], { name: 'damaged-2', bytes: bytes('second') })
      await lease.publish([line(0)], { name: 'damaged-1', bytes: bytes('first \u00ff') })
      const blob = await of.store.blobs(ID).put(bytes('a picture'))
      for (const item of [input('b', 'later'), input('a', 'settled')]) value(await of.other.post(ID, item))
      await lease.settle(['a', 'unknown'])
      const asides = [
        ['aside', 'damaged-1', 'first \u00ff'],
        ['aside', 'damaged-2', 'second'],
      ]
      equal(shown(await pieces(of.other, 'aside')), asides, 'the side files')
      equal(shown(await pieces(of.other, 'blob')), [['blob', blob, 'a picture']], 'the pictures')
      const [post, ...more] = await pieces(of.other, 'post')
      equal([post?.part, more.length], ['post', 0], 'one post that waits')
      equal(text(post?.bytes ?? bytes('')).includes('"later"'), true, 'its text')
      equal(await pieces(of.store, 'aside', 'ses_nobody'), [], 'of nobody')
      await lease.release()
    },
  },
  {
    title: 'a damaged picture is beside the log too',
    async run(of) {
      const lease = await started(of)
      const name = await of.store.blobs(ID).put(bytes('a picture'))
      await of.tamperBlob(ID, name)
      const found = await pieces(of.other, 'blob')
      equal(
        [found.map((piece) => piece.name), text(found[0]?.bytes ?? bytes('')) !== 'a picture'],
        [[name], true],
        'it',
      )
      await lease.release()
    },
  },
  {
    title: 'the holder rewrites and removes what lies beside the log, and the rest stays',
    async run(of) {
      const lease = await started(of, 1)
      for (const name of ['one', 'two', 'three'])
        await lease.publish([line(0)], { name, bytes: bytes(`${name}: secret`) })
      const [gone, stays] = [await of.store.blobs(ID).put(bytes('secret')), await of.store.blobs(ID).put(bytes('kept'))]
      for (const item of [input('a', 'a secret'), input('b', 'harmless')]) value(await of.other.post(ID, item))
      const posts = await pieces(of.store, 'post')
      await lease.amend([
        { part: 'aside', name: 'one', bytes: bytes('one: ***') },
        { part: 'aside', name: 'two', bytes: null },
        { part: 'aside', name: 'unknown', bytes: bytes('new') },
        { part: 'aside', name: '../../escaped', bytes: bytes('new') },
        { part: 'blob', name: gone, bytes: null },
        ...posts.map(({ name, bytes: before }) => {
          return { part: 'post', name, bytes: bytes(text(before).replace('secret', '***')) } as const
        }),
      ])
      const asides = [
        ['aside', 'one', 'one: ***'],
        ['aside', 'three', 'three: secret'],
      ]
      equal(shown(await pieces(of.other, 'aside')), asides, 'the side files')
      equal(await of.other.blobs(ID).get(gone), undefined, 'the removed picture')
      equal(text((await of.other.blobs(ID).get(stays)) ?? bytes('')), 'kept', 'the other picture')
      equal(await lease.posted(), [input('a', 'a ***'), input('b', 'harmless')], 'what waits, in order')
      await lease.append(1, [line(1)])
      await lease.settle(['a', 'b'])
      equal([await pieces(of.store, 'post'), await lease.posted()], [[], []], 'settled ones')
      value(await of.other.post(ID, input('a', 'again')))
      equal(await lease.posted(), [], 'ids stay taken')
      await lease.release()
    },
  },
  {
    title: 'whoever was overtaken, or gave the session back, rewrites nothing beside its log',
    async run(of) {
      const lease = await started(of, 1)
      await lease.publish([line(0)], { name: 'one', bytes: bytes('first') })
      await of.silence(ID)
      const next = value(await of.other.acquire(ID, { holder: of.holder(2) }))
      const change = { part: 'aside', name: 'one', bytes: null } as const
      await rejects(lease.amend([change]), 'SESSION_TAKEN')
      await lease.release()
      equal(shown(await pieces(of.store, 'aside')), [['aside', 'one', 'first']], 'the side file')
      await next.release()
      await rejects(next.amend([change]), 'SESSION_TAKEN')
      equal(shown(await pieces(of.store, 'aside')), [['aside', 'one', 'first']], 'the side file')
    },
  },
]
