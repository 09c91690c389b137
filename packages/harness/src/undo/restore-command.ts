import type { Result } from '@rein/session'
import type { Agent } from '../agent/agent.ts'
import type { SlashCommand } from '../agent/commands.ts'
import type { LeftFile } from './plan.ts'
import { type RestorePlan, restore, restorePlan, restoreWarnings } from './restore.ts'
import type { Undo } from './undo-thread.ts'

/** Paths named in an answer; the number of the others is said. */
const named = 20

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
    if (words.includes('--dry-run')) return { ok: true, value: previewOf(plan.value, overwrite) }
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
  const { paths, kept, left } = done.value
  const lines = [
    told('went back', paths),
    told('kept, changed by somebody else since; --overwrite takes them too', kept),
    told('cannot go back', left.map(reasoned)),
    ...restoreWarnings(plan),
    paths.length === 0 ? '' : `Take it back with /restore @${before}`,
  ]
  return { ok: true, value: lines.filter((line) => line !== '').join('\n') }
}

function previewOf(plan: RestorePlan, overwrite: boolean): string {
  const pathsOf = (own: boolean) =>
    plan.files
      .filter(({ by }) => (overwrite || by === 'session') === own)
      .map(({ path, action }) => `${action} ${path}`)
  const lines = [
    told('would go back', pathsOf(true)),
    told('changed by somebody else since', pathsOf(false)),
    told('cannot go back', plan.left.map(reasoned)),
    ...restoreWarnings(plan),
  ]
  return lines.filter((line) => line !== '').join('\n') || 'No file goes back.'
}

const reasoned = ({ path, why }: LeftFile): string => `${path} (${why})`

function told(what: string, paths: readonly string[]): string {
  if (paths.length === 0) return ''
  const more = paths.length > named ? [`and ${paths.length - named} more`] : []
  return `${what}: ${[...paths.slice(0, named), ...more].join(', ')}`
}
