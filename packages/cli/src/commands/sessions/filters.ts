import { resolve, sep } from 'node:path'
import type { ListedSession } from '@rein/harness'
import type { Result } from '@rein/session'
import type { Args } from '../../args.ts'
import type { Cli } from '../../cli.ts'
import { usage } from '../../usage.ts'
import { stateOf } from '../../view/session-table.ts'
import { when } from './when.ts'

export interface Filters {
  /** Whether logs have to be read whole to tell. */
  readonly deep: boolean
  keeps(session: ListedSession): boolean
}

/** What the flags leave of the list. Fails `USAGE` for a date or an amount that cannot be read. */
export function filters(cli: Cli, args: Args, now: number): Result<Filters> {
  const tests: ((session: ListedSession) => boolean)[] = []
  if (args.has('cwd')) tests.push(({ entry }) => entry.cwd === cli.cwd)
  const project = args.value('project')
  if (project !== undefined) tests.push(({ entry }) => isBelow(entry.cwd, resolve(cli.cwd, project)))
  for (const [flag, edge] of [
    ['since', 'start'],
    ['until', 'end'],
  ] as const) {
    const typed = args.value(flag)
    if (typed === undefined) continue
    const at = when(typed, edge, now)
    if (at === undefined)
      return usage(`--${flag} takes a day such as 2026-03-01, or 7d, 12h, today; not ${JSON.stringify(typed)}`)
    tests.push(({ entry }) => (flag === 'since' ? entry.changed >= at : entry.changed <= at))
  }
  const model = args.value('model')?.toLowerCase()
  if (model !== undefined)
    tests.push(({ facts }) => facts?.models.some((name) => name.toLowerCase().includes(model)) === true)
  const cost = args.value('min-cost')
  if (cost !== undefined) {
    if (!/^\d*\.?\d+$/.test(cost)) return usage(`--min-cost takes US dollars such as 0.50, not ${JSON.stringify(cost)}`)
    tests.push(({ facts }) => (facts?.cost ?? 0) >= Number(cost))
  }
  const outcome = args.value('outcome')
  if (outcome !== undefined) tests.push((session) => (session.outcome ?? 'empty') === outcome)
  const state = args.value('state')
  if (state !== undefined) tests.push((session) => stateOf(session) === state)
  const deep = model !== undefined || cost !== undefined || outcome !== undefined || state === 'damaged'
  return { ok: true, value: { deep, keeps: (session) => tests.every((test) => test(session)) } }
}

const isBelow = (cwd: string | null, folder: string): boolean =>
  cwd !== null && (cwd === folder || cwd.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`))
