import fc from 'fast-check'

/** Rows a, b, c live in the outer host, d and e in the one inside. Each row may provide tokens named after itself. */
export const ids = ['a', 'b', 'c', 'd', 'e'] as const
export type Id = (typeof ids)[number]
export const isInner = (id: Id) => id === 'd' || id === 'e'

export const undoKinds = ['plain', 'async', 'throws', 'rejects', 'hangs'] as const
export interface Spec {
  readonly needs: readonly { readonly kind: 'service' | 'seam'; readonly of: Id }[]
  readonly provides: readonly ('service' | 'seam')[]
  readonly undos: readonly (typeof undoKinds)[number][]
  readonly fails: boolean
}
export type Step =
  | { readonly do: 'mount' | 'replace'; readonly id: Id; readonly spec: Spec }
  | { readonly do: 'unmount' | 'hold'; readonly id: Id }
  | { readonly do: 'release' }

const anId = fc.constantFrom(...ids)
type Need = Spec['needs'][number]

/** Needs mostly point to rows before, so that most rows can run; some point anywhere, so that cycles come up too. */
const specOf = (id: Id): fc.Arbitrary<Spec> => {
  const before = ids.slice(0, Math.max(1, ids.indexOf(id)))
  const of = fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...before) }, { weight: 1, arbitrary: anId })
  return fc.record({
    needs: fc.array(fc.record<Need>({ kind: fc.constantFrom('service', 'seam'), of }), {
      maxLength: id === 'a' ? 0 : 2,
    }),
    provides: fc.constantFrom<Spec['provides'][]>(['service', 'seam'], ['service', 'seam'], ['seam'], ['service'], []),
    undos: fc.array(fc.constantFrom(...undoKinds), { maxLength: 3 }),
    fails: fc.integer({ min: 0, max: 7 }).map((n) => n === 7),
  })
}
const mountOf = (id: Id): fc.Arbitrary<Step> =>
  fc.record({ do: fc.constant('mount'), id: fc.constant(id), spec: specOf(id) })
const aStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: anId.chain(mountOf) },
  {
    weight: 5,
    arbitrary: anId.chain((id) => fc.record({ do: fc.constant('replace'), id: fc.constant(id), spec: specOf(id) })),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constantFrom('unmount', 'hold', 'hold'), id: anId }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('release') }) },
)
/** Begins with a mount of every row, in some order. */
export const story: fc.Arbitrary<Step[]> = fc
  .tuple(
    fc.shuffledSubarray([...ids], { minLength: ids.length }).chain((order) => fc.tuple(...order.map(mountOf))),
    fc.array(aStep, { maxLength: 12 }),
  )
  .map(([mounts, steps]) => [...mounts, ...steps])

type State = 'running' | 'failed' | 'waiting'

/** What must be: the least set of rows that run because all they need is provided by rows that run. */
export class Model {
  readonly rows = new Map<Id, Spec>()

  states(): Map<Id, State> {
    const states = new Map<Id, State>([...this.rows.keys()].map((id) => [id, 'waiting']))
    for (let changed = true; changed; ) {
      changed = false
      for (const [id, spec] of this.rows) {
        if (states.get(id) !== 'waiting' || !spec.needs.every((need) => this.provides(states, id, need))) continue
        states.set(id, spec.fails ? 'failed' : 'running')
        changed = true
      }
    }
    return states
  }

  provides(states: Map<Id, State>, id: Id, need: Spec['needs'][number]): boolean {
    const isSeen = need.of !== id && (!isInner(need.of) || isInner(id))
    return (
      isSeen && states.get(need.of) === 'running' && (this.rows.get(need.of)?.provides.includes(need.kind) ?? false)
    )
  }

  /** Whether a running row may become `spec`: it starts, and closes no cycle. */
  accepts(id: Id, spec: Spec): boolean {
    const states = this.states()
    if (spec.fails || !spec.needs.every((need) => this.provides(states, id, need))) return false
    const below = new Set(spec.needs.map((need) => need.of))
    for (const row of below) for (const { of } of this.rows.get(row)?.needs ?? []) below.add(of)
    below.delete(id)
    const offered = [...spec.provides, ...(this.rows.get(id)?.provides ?? [])]
    return ![...below].some((row) =>
      this.rows.get(row)?.needs.some(({ of, kind }) => of === id && offered.includes(kind)),
    )
  }

  /** @returns whether the host takes the step too. */
  mount(id: Id, spec: Spec): boolean {
    const former = this.rows.get(id)
    if (former) return false
    this.rows.set(id, spec)
    if (this.states().get(id) !== 'failed') return true
    this.rows.delete(id)
    return false
  }

  replace(id: Id, spec: Spec): boolean {
    const former = this.rows.get(id)
    if (!former || (this.states().get(id) === 'running' && !this.accepts(id, spec))) return false
    this.rows.set(id, spec)
    if (this.states().get(id) !== 'failed') return true
    this.rows.set(id, former)
    return false
  }
}
