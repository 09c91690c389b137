import type * as Sqlite from 'node:sqlite'

let loaded: typeof Sqlite | undefined

/**
 * SQLite as Node has it, loaded when it is first asked for. Node 22 calls it experimental in a warning, which says
 * nothing to whoever uses rein: this one warning, of this one load, is not shown.
 * @returns undefined where Node was built without it.
 */
export function sqliteModule(): typeof Sqlite | undefined {
  if (loaded) return loaded
  const warn = process.emitWarning
  const without = (...told: readonly unknown[]): void => {
    const [text, kind] = told
    if (kind === 'ExperimentalWarning' && String(text).includes('SQLite')) return
    Reflect.apply(warn, process, told)
  }
  process.emitWarning = without
  try {
    loaded = process.getBuiltinModule('node:sqlite')
  } finally {
    process.emitWarning = warn
  }
  return loaded
}
