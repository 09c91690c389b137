import { homedir } from 'node:os'
import { type RestorePlan, restorePlan, type Undo, undoIn } from '@rein/harness'
import { cwdOf, type Result, type SessionEvent } from '@rein/session'
import type { Args } from './args.ts'
import type { Cli } from './cli.ts'
import { loadFor } from './settings.ts'

/** The way back of the files of a session that no agent here has open, and what goes it. */
export interface FilesBack extends AsyncDisposable {
  readonly undo: Undo
  readonly plan: RestorePlan
}

/** Look what going back to an event would do to the files. The limits are those of the session's project. */
export async function filesBack(
  { cli, args }: { readonly cli: Cli; readonly args: Args },
  at: { readonly id: string; readonly events: readonly SessionEvent[]; readonly to: number },
): Promise<Result<FilesBack>> {
  const cwd = cwdOf(at.events)
  const loaded = await loadFor({ ...cli, cwd }, args, 'withhold')
  if (!loaded.ok) return loaded
  if (loaded.value.kind !== 'ready') return { ok: false, failure: loaded.value.failure }
  const userHome = homedir()
  const undo = undoIn(cli.home, userHome, loaded.value.effective.settings.plugins['snapshots']?.config)
  const plan = await restorePlan({ undo, userHome, cwd, session: at.id, events: at.events, to: at.to })
  const dispose = () => undo[Symbol.asyncDispose]()
  if (plan.ok) return { ok: true, value: { undo, plan: plan.value, [Symbol.asyncDispose]: dispose } }
  await dispose()
  return plan
}
