import { isLookDue } from '@rein/harness/store'
import { FailureError } from '@rein/session'
import type { Args } from './args.ts'
import type { Cli } from './cli.ts'
import { failureText } from './exit.ts'
import { counted } from './view/amount.ts'

/**
 * Sessions nobody touched for as long as `sessions.keep.days` says go to the trash, at most once a day, and that is said
 * in a line. Off unless it is set. What is wrong with the settings is for others to tell.
 */
export async function keepClean(cli: Cli, args: Args): Promise<void> {
  const now = Date.now()
  if (!isLookDue({ home: cli.home, cwd: cli.cwd, now })) return
  const [{ loadFor }, { storeOf }, { putOldAway }] = await Promise.all([
    import('./settings.ts'),
    import('./commands/stored-log.ts'),
    import('@rein/harness/store'),
  ])
  const loaded = await loadFor(cli, aboutProject(args), 'withhold')
  if (!loaded.ok || loaded.value.kind !== 'ready') return
  const days = loaded.value.effective.settings.sessions?.keepDays
  try {
    const moved = await putOldAway(storeOf(cli), { home: cli.home, days, now })
    if (moved.length > 0 && days !== undefined && !args.has('quiet')) cli.err(movedText(moved.length, days))
  } catch (error) {
    // The work of the command is done, and its exit code stands.
    if (!(error instanceof FailureError)) throw error
    cli.err(failureText(error.failure))
  }
}

/** Of the flags only what is said of the project's settings: the others are about the command. */
const aboutProject = (args: Args): Args => ({
  command: '',
  words: [],
  has: (flag) => flag === 'ignore-project' && args.has(flag),
  value: () => undefined,
  values: (flag) => (flag === 'trust-project' ? args.values(flag) : []),
})

function movedText(count: number, days: number): string {
  const what = `Put ${counted(count, 'session')} into the trash, unchanged for ${counted(days, 'day')}`
  return `${what} (sessions.keep.days); rein sessions trash lists them.\n`
}
