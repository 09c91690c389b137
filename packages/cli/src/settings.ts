import {
  findProject,
  harmlessRows,
  type Loaded,
  loadSettings,
  type ModelChoice,
  presetRows,
  type Settings,
} from '@rein/harness'
import type { PermissionMode, Result } from '@rein/session'
import type { Args } from './args.ts'
import type { Cli } from './cli.ts'
import { flagSettings } from './flag-settings.ts'
import { modelNamed } from './model.ts'

/** The settings in force for a session, and what was said on the command line itself: that also holds on resume. */
export interface SessionSettings {
  readonly settings: Settings
  readonly model: ModelChoice | undefined
  readonly mode: PermissionMode | undefined
}

/**
 * Read every layer, the flags last.
 * @param consent what happens to content of the project nobody agreed to: `require` gives `unconsented`.
 */
export async function loadFor(
  cli: Cli,
  args: Args,
  consent: 'require' | 'withhold' = 'require',
): Promise<Result<Loaded>> {
  const flags = flagSettings(cli, args)
  if (!flags.ok) return flags
  const { home, env, cwd } = cli
  const loaded = await loadSettings({
    home,
    env,
    cwd,
    flags: flags.value,
    project: await findProject(cwd, home),
    ignoreProject: args.has('ignore-project'),
    trust: args.values('trust-project'),
    consent,
    harmlessRow: (id) => harmlessRows.has(id),
    rowIds: presetRows('standard').map(({ id }) => id),
  })
  return { ok: true, value: loaded }
}

/** With nobody to ask, whatever is not settled is a failure: `BAD_SETTINGS` or `CONSENT_MISSING`. */
export async function settledFor(cli: Cli, args: Args): Promise<Result<SessionSettings>> {
  const loaded = await loadFor(cli, args)
  if (!loaded.ok) return loaded
  if (loaded.value.kind !== 'ready') return { ok: false, failure: loaded.value.failure }
  return { ok: true, value: sessionSettings(args, loaded.value.effective.settings) }
}

export function sessionSettings(args: Args, settings: Settings): SessionSettings {
  const flagged = (args.has('model') || args.has('base-url')) && settings.model !== undefined
  const model = flagged ? modelNamed(settings.model ?? '') : undefined
  const mode = args.has('mode') ? settings.permissions.mode : undefined
  return { settings, model: model?.ok ? model.value : undefined, mode }
}
