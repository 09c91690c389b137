import type { Result } from '@rein/session'
import type { Agent } from '../agent/agent.ts'
import type { SlashCommand } from '../agent/commands.ts'
import { type RestorePlan, restore, restorePlan } from './restore.ts'
import { type RestoreLine, restoreOutcome, restorePreview } from './restore-text.ts'
import type { Undo } from './undo-thread.ts'

/** `/restore @seq`: the files of the open session go back, its messages stay. */
export const restoreCommand = (around: { readonly undo: Undo; readonly userHome: string }): SlashCommand => ({
  takes: '@seq [--dry-run] [--overwrite]',
  help: 'files go back to where they were after event seq',
  async run(argument, agent) {
    const [place = '', ...words] = argument.split(/\s+/)
    const to = /^@?(\d{1,15})$/.exec(place)?.[1]
    if (to === undefined || words.some((word) => word !== '--dry-run' && word !== '--overwrite')) return usage
    const { session, settings } = agent
    const at = { session: session.id, cwd: settings.cwd, events: session.log.events, to: Number(to) }
    const plan = await restorePlan({ ...around, ...at })
    if (!plan.ok) return plan
    const overwrite = words.includes('--overwrite')
    if (words.includes('--dry-run')) return { ok: true, value: textOf(restorePreview(plan.value, overwrite)) }
    return restored(plan.value, { agent, undo: around.undo, overwrite })
  },
})

const usage: Result<never> = {
  ok: false,
  failure: {
    code: 'USAGE',
    message: '/restore takes the number of an event, as in /restore @120, --dry-run and --overwrite.',
    next: '/tree has the turns with their places.',
  },
}

async function restored(
  plan: RestorePlan,
  { agent, undo, overwrite }: { readonly agent: Agent; readonly undo: Undo; readonly overwrite: boolean },
): Promise<Result<string>> {
  const before = agent.session.log.events.length - 1
  const done = await restore(plan, { undo, log: agent.session.log, overwrite })
  if (!done.ok) return done
  const told = textOf([...restorePreview(plan, overwrite), ...restoreOutcome(done.value, plan, overwrite)])
  const back = done.value.paths.length === 0 ? '' : `\nTake it back with /restore @${before}`
  return { ok: true, value: told + back }
}

const textOf = (lines: readonly RestoreLine[]): string => lines.map(({ text }) => text).join('\n')
