import { type Withhold, withholdSecrets } from './environment.ts'
import type { RegisteredSecrets } from './registered.ts'

export interface EnvironmentRules {
  /** False: a process gets only what nearly every program needs (paths, home, language, terminal), and `keep`. */
  readonly inherit: boolean
  /** Names a process gets although they look like a secret. */
  readonly keep: readonly string[]
}

const needed =
  /^(?:PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_\w+|TERM|COLORTERM|NO_COLOR|TZ|TMPDIR|TMP|TEMP|PWD|SYSTEMROOT|SYSTEMDRIVE|COMSPEC|PATHEXT|USERPROFILE|APPDATA|LOCALAPPDATA|WINDIR)$/i

/**
 * What `permissions.env` keeps from a process. A registered value, in any spelling, is never handed on, whatever its
 * variable is called and whoever asked to keep it: what authenticates this program is for this program alone.
 * @param keys variables that hold keys of this program; one that was not used yet is not registered.
 */
export function withholdBy(
  { inherit, keep }: EnvironmentRules,
  registered: RegisteredSecrets,
  keys: ReadonlySet<string>,
): Withhold {
  const kept = new Set(keep)
  const secret = withholdSecrets(() => registered.values(), kept)
  return (name, value) =>
    keys.has(name) ||
    registered.within(value) ||
    (!inherit && !kept.has(name) && !needed.test(name)) ||
    secret(name, value)
}
