import { setImmediate } from 'node:timers/promises'
import { type CheckedCall, plugin, type RowSpec, type ToolOutput, type ToolSet, Tools } from '@rein/harness'
import { owed } from '@rein/session'
import { fieldsOf } from '../view/json.ts'

/**
 * Takes chance out of a run, so that the log of one script is the same bytes every time: calls that run side by side
 * begin and end in the model's order, and no result says how long a command took.
 */
const lockstep = plugin({
  name: 'lockstep',
  needs: { tools: Tools },
  setup({ needs, scope }) {
    const { tools: set } = needs
    const begun = new Set<string>()
    set.guardCall.guard(scope, 'lockstep', async (call) => {
      await until(() => before(call).every(({ id }) => begun.has(id)))
      return undefined
    })
    set.aroundCall.wrap(scope, 'lockstep', async (call, next) => {
      begun.add(call.call.id)
      await until(() => beside(call, set).every(({ id }) => begun.has(id)))
      const output = await next(call)
      await until(() => before(call).length === 0)
      return timeless(output)
    })
  },
})

export const lockstepRow: RowSpec = { id: 'lockstep', plugin: lockstep }

const openCalls = ({ session }: CheckedCall) => session.state(owed).calls.map(({ call }) => call)

/** Open calls the model made before this one. */
function before(call: CheckedCall) {
  const open = openCalls(call)
  return open.slice(
    0,
    Math.max(
      0,
      open.findIndex(({ id }) => id === call.call.id),
    ),
  )
}

/** Calls right after this one that may run at the same time, as far as their tools ever do. */
function beside(call: CheckedCall, { tools }: ToolSet) {
  const open = openCalls(call)
  const after = open.slice(open.findIndex(({ id }) => id === call.call.id))
  const alone = after.findIndex(({ name }) => tools.get(name)?.parallel === undefined)
  return after.slice(0, alone === -1 ? after.length : alone)
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await setImmediate()
}

function timeless(output: ToolOutput): ToolOutput {
  if (!('view' in output) || fieldsOf(output.view)['durationMs'] === undefined) return output
  const view = typeof output.view === 'object' && output.view !== null && !Array.isArray(output.view) ? output.view : {}
  return { ...output, view: { ...view, durationMs: 0 } }
}
