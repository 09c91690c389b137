import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  Around,
  Guard,
  Host,
  Observe,
  type Problem,
  plugin,
  Registry,
  type Scope,
  seam,
  service,
} from '../src/index.ts'
import { type Id, ids, isInner, Model, type Spec, type Step, story, type undoKinds } from './story.ts'

/** What one call of `setup` did. It is also the value of what the call provided. */
interface Run {
  readonly id: Id
  readonly serial: number
  readonly signal: AbortSignal
  readonly entered: string[]
  readonly undone: string[]
  readonly usedServices: Run[]
}

class World {
  readonly problems: Problem[] = []
  readonly outer = new Host({ undoTimeoutMs: 2, onProblem: (problem) => this.problems.push(problem) })
  readonly inner = this.outer.child('inner')
  readonly tools = new Registry<Run>('tool')
  readonly heard = new Observe<string[]>()
  readonly guard = new Guard<string[]>()
  readonly around = new Around<string[], string[]>()
  readonly runs: Run[] = []
  readonly complaints: string[] = []

  host(id: Id): Host {
    return isInner(id) ? this.inner : this.outer
  }

  plugin(id: Id, spec: Spec) {
    const tokens = spec.needs.map(({ kind, of }) =>
      kind === 'seam' ? seam<Run>(`${of}.seam`) : service<Run>(`${of}.service`),
    )
    return plugin({
      name: `plugin of ${id}`,
      needs: Object.fromEntries(tokens.map((token) => [token.name, token])),
      setup: async ({ needs, scope, provide }) => {
        const given: unknown[] = Object.values(needs)
        const usedServices = this.runs.filter((run) => given.includes(run))
        const run: Run = { id, serial: this.runs.length, signal: scope.signal, entered: [], undone: [], usedServices }
        this.runs.push(run)
        this.enter(run, { scope, key: 'outer' }, spec.undos)
        for (const kind of spec.provides)
          provide(kind === 'seam' ? seam<Run>(`${id}.seam`) : service<Run>(`${id}.service`), run)
        await null
        this.enter(run, { scope: scope.child('inner'), key: 'inner' }, ['plain', ...spec.undos])
        if (spec.fails) throw new Error(`setup of ${id} fails`)
      },
    })
  }

  enter(run: Run, { scope, key }: { scope: Scope; key: string }, undos: Spec['undos']): void {
    const label = `${run.id}#${run.serial}`
    this.tools.add(scope, `${run.id}/${key}`, run)
    this.heard.on(scope, (log) => log.push(label))
    this.guard.guard(scope, label, (log) => void log.push(label))
    this.around.wrap(scope, label, (log, next) => next([...log, label]))
    for (const kind of undos) {
      const entry = `${kind} ${run.entered.length}`
      run.entered.push(entry)
      scope.defer(() => this.undo(run, entry, kind), entry)
    }
  }

  undo(run: Run, entry: string, kind: (typeof undoKinds)[number]): void | Promise<void> {
    for (const dependent of this.runs) {
      if (dependent.usedServices.includes(run) && dependent.undone.length < dependent.entered.length) {
        this.complaints.push(`${run.id}#${run.serial} was undone before ${dependent.id}#${dependent.serial}`)
      }
    }
    run.undone.push(entry)
    if (kind === 'throws') throw new Error('undo throws')
    if (kind === 'rejects') return Promise.reject(new Error('undo rejects'))
    if (kind === 'hangs') return new Promise(() => {})
    if (kind === 'async') return Promise.resolve()
  }

  /** Labels of the runs that registries and hooks consult, each found in all four of them or the check fails. */
  async consulted(): Promise<string[]> {
    const heard: string[] = []
    const asked: string[] = []
    this.heard.emit(heard)
    await this.guard.ask(asked)
    const wrapped = await this.around.run([], async (log) => log)
    const added = this.tools.entries().map(([, run]) => `${run.id}#${run.serial}`)
    const labels = [heard, asked, wrapped, added].map((list) => list.sort())
    for (const list of labels) assert.deepEqual(list, heard)
    return [...new Set(heard)]
  }
}

const went = (operation: Promise<void>): Promise<boolean> =>
  operation.then(
    () => true,
    () => false,
  )

interface Play {
  readonly world: World
  readonly model: Model
  /** Leases that a step took and none has released. */
  readonly held: Disposable[]
}

async function take(step: Step, { world, model, held }: Play): Promise<void> {
  if (step.do === 'release') for (const lease of held.splice(0)) lease[Symbol.dispose]()
  else if (step.do === 'mount') {
    const done = world.host(step.id).mount(step.id, world.plugin(step.id, step.spec))
    assert.equal(await went(done), model.mount(step.id, step.spec))
  } else if (step.do === 'unmount') {
    model.rows.delete(step.id)
    await world.host(step.id).unmount(step.id)
  } else if (step.do === 'hold') {
    const slot = world.host(step.id).slot(seam<Run>(`${step.id}.seam`))
    if (slot.current()) held.push(slot.lease())
  } else if (step.do === 'replace') {
    const before = world.runs.filter((run) => run.id !== step.id && !run.signal.aborted)
    const former = model.rows.get(step.id)
    const wasRunning = model.states().get(step.id) === 'running'
    const done = went(world.host(step.id).replace(step.id, world.plugin(step.id, step.spec)))
    // A held lease keeps `replace` from resolving; the next operation comes after the swap in any case.
    await world.host(step.id).unmount('nobody')
    const accepted = model.replace(step.id, step.spec)
    if (held.length === 0 || !accepted) assert.equal(await done, accepted)
    if (!accepted || !wasRunning || former?.provides.includes('service')) return
    const keeps = former?.provides.every((kind) => step.spec.provides.includes(kind))
    if (keeps) for (const run of before) assert.ok(!run.signal.aborted, `${run.id} was stopped by a swap of seams`)
  }
}

async function check(world: World, model: Model): Promise<void> {
  const states = model.states()
  const rows = [...world.outer.rows(), ...world.inner.rows()]
  assert.deepEqual(Object.fromEntries(rows.map((row) => [row.id, row.state])), Object.fromEntries(states))
  const latest = [...states]
    .filter(([, state]) => state === 'running')
    .map(([id]) => {
      const run = world.runs.findLast((candidate) => candidate.id === id && !candidate.signal.aborted)
      return `${id}#${run?.serial}`
    })
  assert.deepEqual((await world.consulted()).sort(), latest.sort())
  for (const id of ids) {
    const spec = states.get(id) === 'running' ? model.rows.get(id) : undefined
    assert.equal(
      world
        .host(id)
        .slot(seam<Run>(`${id}.seam`))
        .current() !== undefined,
      spec?.provides.includes('seam') ?? false,
    )
    assert.equal(
      world.host(id).get(service<Run>(`${id}.service`)) !== undefined,
      spec?.provides.includes('service') ?? false,
    )
  }
}

test('random mounts, unmounts, replacements and failures leave nothing behind', async () => {
  await fc.assert(
    fc.asyncProperty(story, async (steps) => {
      const world = new World()
      const model = new Model()
      const held: Disposable[] = []
      for (const step of steps) {
        await take(step, { world, model, held })
        await check(world, model)
      }
      await world.outer[Symbol.asyncDispose]()
      for (const lease of held) lease[Symbol.dispose]()
      model.rows.clear()
      await check(world, model)
      assert.deepEqual(await world.consulted(), [])
      for (const { entered, undone, signal } of world.runs) {
        assert.deepEqual(undone, [...entered].reverse())
        assert.ok(signal.aborted)
      }
      assert.deepEqual(world.complaints, [])
    }),
    { numRuns: 200 },
  )
})
