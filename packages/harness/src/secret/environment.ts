/** What decides whether an environment variable is kept from a process the model starts. */
export type Withhold = (name: string, value: string) => boolean

/** A part of a name, between underscores or other marks, that says the value is a secret. */
const SECRET_PART =
  /^(?:keys?|pass|pwd|pat|.*(?:token|secret|password|passwd|passphrase|credential|api-?key|accesskey|privatekey)s?)$/i
/** `PWD` here is the working directory. */
const NEVER_SECRET = new Set(['PWD', 'OLDPWD'])
/** Someone's password in an address, or a private key. */
const SECRET_VALUE = /^[a-z][a-z0-9+.-]*:\/\/[^/@\s:]*:[^/@\s]+@|-----BEGIN [A-Z ]*PRIVATE KEY-----/i
/** A registered value shorter than this is only withheld when it is the whole value: it would be found everywhere. */
const SHORTEST_PART = 8

/**
 * Withholds what authenticates somebody: names that look secret, values that carry a password or private key, and
 * every registered secret whatever its variable is called.
 * @param values the secrets known now; asked again for each variable.
 * @param allowed names a person hands to processes on purpose. A registered secret is withheld all the same.
 */
export function withholdSecrets(values: () => Iterable<string>, allowed: ReadonlySet<string> = new Set()): Withhold {
  return (name, value) => {
    for (const secret of values())
      if (secret !== '' && (value === secret || (secret.length >= SHORTEST_PART && value.includes(secret)))) return true
    if (NEVER_SECRET.has(name) || allowed.has(name)) return false
    return name.split(/[^a-z0-9-]+/i).some((part) => SECRET_PART.test(part)) || SECRET_VALUE.test(value)
  }
}

/** Of our own process, and wrong for any other. */
const OURS = new Set(['NODE_CHANNEL_FD', 'NODE_CHANNEL_SERIALIZATION_MODE', 'NODE_TEST_CONTEXT', 'NODE_V8_COVERAGE'])

/** Nobody sits at these processes: no pager, no prompt, no cursor movement. */
const UNATTENDED = {
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  MANPAGER: 'cat',
  GIT_TERMINAL_PROMPT: '0',
  GIT_EDITOR: 'true',
  DEBIAN_FRONTEND: 'noninteractive',
  TERM: 'dumb',
  REIN: '1',
}

/**
 * The environment of a process the model starts.
 * @param parent usually `process.env`.
 */
export function childEnvironment(parent: NodeJS.ProcessEnv, withhold: Withhold): { [name: string]: string } {
  const given: { [name: string]: string } = {}
  for (const [name, value] of Object.entries(parent))
    if (value !== undefined && !OURS.has(name) && !withhold(name, value)) given[name] = value
  return { ...given, ...UNATTENDED }
}
