import { Host, plugin, type RowSpec } from '@rein/kernel'
import type { Failure, Result } from '@rein/session'
import { FailureError } from '@rein/session'
import { externalPlugin } from './external-plugin.ts'
import { nearest } from './nearest.ts'
import { type PresetName, presetRows, presets } from './presets.ts'
import { settingsProviderRow } from './rows/provider.ts'
import type { PluginRow, Settings } from './settings.ts'
import { type World, WorldPort } from './world.ts'

export interface ComposeOptions {
  readonly preset: PresetName
  readonly world: World
  /** Rows besides those of preset and settings, by id; one of the same id takes the place of the preset's. */
  readonly rows?: readonly RowSpec[]
}

/** The composition root: a host with every row of a preset, patched by the settings. Nothing is registered any other way. */
export async function compose({ preset, world, rows = [] }: ComposeOptions): Promise<Result<Host>> {
  const listed = await patched([...presetRows(preset), ...providerRows(world.settings)], world)
  if (!listed.ok) return listed
  const own = new Map([...listed.value, ...rows].map((row) => [row.id, row]))
  const host = new Host({ name: 'rein' })
  const worldRow = plugin({ name: 'world', needs: {}, setup: ({ provide }) => provide(WorldPort, world) })
  try {
    await host.mountAll([{ id: 'world', plugin: worldRow }, ...own.values()])
  } catch (error) {
    await host[Symbol.asyncDispose]()
    return { ok: false, failure: startFailure(error) }
  }
  const waiting = host.diagnose()
  if (waiting.length === 0) return { ok: true, value: host }
  await host[Symbol.asyncDispose]()
  const message = waiting.map((problem) => problem.message).join('\n')
  return { ok: false, failure: { code: 'PLUGIN_FAILED', message, next: 'Look at the plugins of your settings.' } }
}

const providerRows = (settings: Settings): readonly RowSpec[] =>
  Object.entries(settings.providers).map(([name, provider]) => ({
    id: `provider:${name}`,
    plugin: settingsProviderRow(name, provider),
  }))

async function patched(rows: readonly RowSpec[], world: World): Promise<Result<readonly RowSpec[]>> {
  const list = new Map(rows.map((row) => [row.id, row]))
  for (const [id, change] of Object.entries<PluginRow>(world.settings.plugins)) {
    // Settings hold for every preset: a change of a row this one leaves out changes nothing.
    if (!list.has(id) && change.use === undefined && Object.hasOwn(presets.standard, id)) continue
    const row = await patchedRow(list.get(id), { id, change, cwd: world.cwd, known: list.keys() })
    if (!row.ok) return row
    const ignored = change.config !== undefined && row.value.plugin !== absent && !row.value.plugin.config
    if (ignored) return { ok: false, failure: takesNoConfig(id) }
    if (change.enabled === false) list.delete(id)
    else list.set(id, row.value)
  }
  return { ok: true, value: [...list.values()] }
}

async function patchedRow(
  row: RowSpec | undefined,
  { id, change, cwd, known }: { id: string; change: PluginRow; cwd: string; known: Iterable<string> },
): Promise<Result<RowSpec>> {
  const config = change.config ?? row?.config
  const set = config === undefined ? {} : { config }
  if (change.use !== undefined) {
    const loaded = change.enabled === false ? undefined : await externalPlugin(change.use, cwd)
    if (loaded && !loaded.ok) return loaded
    if (loaded) return { ok: true, value: { id, plugin: loaded.value, ...set } }
  }
  if (row) return { ok: true, value: { ...row, ...set } }
  if (change.enabled === false && change.use !== undefined) return { ok: true, value: { id, plugin: absent, ...set } }
  const close = nearest(id, known)
  const hint = close === undefined ? 'Give it a `use`.' : `Did you mean ${close}? A new row needs a \`use\`.`
  return { ok: false, failure: { code: 'BAD_SETTINGS', message: `plugins.${id}: there is no such row.`, next: hint } }
}

const takesNoConfig = (id: string): Failure => ({
  code: 'BAD_SETTINGS',
  message: `plugins.${id}.config: this row takes no configuration.`,
  next: 'Remove it.',
})

/** Stands in for a row that is turned off and so never loaded. */
const absent = plugin({ name: 'absent', needs: {}, setup: () => undefined })

function startFailure(error: unknown): Failure {
  if (error instanceof FailureError) return error.failure
  const message = error instanceof AggregateError ? error.errors.map(String).join('\n') : String(error)
  return { code: 'PLUGIN_FAILED', message, next: 'Look at the plugins of your settings.' }
}
