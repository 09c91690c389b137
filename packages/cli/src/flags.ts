/** One flag of the command line; the table drives parsing, `--help` and the nearest-name hint. */
export interface Flag {
  readonly name: string
  readonly short?: string
  /** What stands for the value in `--help`; absent: the flag takes none. */
  readonly value?: string
  readonly many?: true
  readonly help: string
  /** Commands it makes sense for; '' is the session itself (`rein`, `rein -p`). */
  readonly on: readonly string[]
}

const session = ['', 'resume'] as const

export const flags: readonly Flag[] = [
  { name: 'print', short: 'p', value: 'TEXT', help: 'one task, headless; - reads it from stdin', on: session },
  { name: 'model', value: 'PROVIDER/MODEL', help: 'which model answers', on: session },
  { name: 'base-url', value: 'URL', help: 'an OpenAI-compatible endpoint, key in REIN_API_KEY', on: session },
  { name: 'dialect', value: 'NAME', help: 'wire protocol of --base-url (openai-chat)', on: session },
  { name: 'cwd', value: 'DIR', help: 'work in this directory', on: [...session, 'sessions', 'config'] },
  { name: 'mode', value: 'MODE', help: 'read-only, workspace-write or full-access', on: session },
  { name: 'approve', value: 'HOW', help: 'never or ask; headless default: never', on: session },
  { name: 'resume', value: 'ID', help: 'continue a session; `last` is the newest here', on: [''] },
  { name: 'json', help: 'one event a line on stdout, a result line last', on: [...session, 'sessions', 'demo'] },
  { name: 'max-steps', value: 'N', help: 'steps a turn may take', on: session },
  { name: 'timeout', value: 'SECONDS', help: 'end the run after this long', on: session },
  {
    name: 'trust-project',
    value: 'HASH',
    many: true,
    help: 'consent to this content, for this run',
    on: [...session, 'config'],
  },
  { name: 'ignore-project', help: 'do not read settings of the project', on: [...session, 'config'] },
  { name: 'preset', value: 'NAME', help: 'standard, headless or minimal', on: session },
  { name: 'plugin', value: 'ID=…', many: true, help: 'patch a plugin row: ID=off, ID=PATH or ID={json}', on: session },
  { name: 'seed', value: 'N', help: 'fixed clock and ids, for reproducible logs', on: ['demo'] },
  { name: 'at', value: 'SEQ', help: 'last event of the fork', on: ['fork'] },
  { name: 'events', help: 'the raw log', on: ['show'] },
  { name: 'request', value: 'N', help: 'the exact bytes of request N, counted from 1', on: ['show'] },
  { name: 'diff', value: 'N M', help: 'two requests, and the event that made the difference', on: ['show'] },
  { name: 'all', help: 'every session', on: ['verify'] },
  { name: 'defaults', help: 'the settings nobody wrote', on: ['config'] },
  { name: 'quiet', help: 'nothing on stderr but errors', on: [...session, 'demo'] },
  { name: 'verbose', help: 'more on stderr', on: session },
  { name: 'no-color', help: 'no colours', on: [] },
  { name: 'version', help: 'print the version', on: [] },
  { name: 'help', short: 'h', help: 'print this help', on: [] },
]
