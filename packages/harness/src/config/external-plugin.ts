import { isAbsolute } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Plugin } from '@rein/kernel'
import type { Result } from '@rein/session'

/**
 * Load a plugin that stands outside of rein. Its module exports `plugin`: a plain object that `plugin(…)` of
 * `@rein/kernel` makes, or one of the same shape. Capabilities are known by name, so it needs no import of ours.
 * @param use an absolute path, or the name of a package that the working directory can resolve.
 */
export async function externalPlugin(use: string, cwd: string): Promise<Result<Plugin>> {
  try {
    const module: unknown = await import(isAbsolute(use) ? pathToFileURL(use).href : resolvedFrom(use, cwd))
    const found: unknown = typeof module === 'object' && module !== null ? Reflect.get(module, 'plugin') : undefined
    return isPlugin(found) ? { ok: true, value: found } : failed(`${use} does not export a plugin`)
  } catch (error) {
    return failed(`the plugin ${use} could not be loaded: ${String(error)}`)
  }
}

const resolvedFrom = (name: string, cwd: string): string => import.meta.resolve(name, pathToFileURL(`${cwd}/`).href)

function isPlugin(value: unknown): value is Plugin {
  if (typeof value !== 'object' || value === null) return false
  const { name, needs, setup } = value as Partial<Plugin>
  return typeof name === 'string' && typeof needs === 'object' && typeof setup === 'function'
}

const failed = (message: string): Result<never> => ({
  ok: false,
  failure: {
    code: 'PLUGIN_FAILED',
    message,
    next: 'A plugin module exports `plugin` with name, needs and setup; docs/adding.md shows one.',
  },
})
