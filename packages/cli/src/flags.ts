/** One flag of the command line; the table drives parsing, `--help` and the nearest-name hint. */
export interface Flag {
  readonly name: string
  readonly short?: string
  /** What stands for the value in `--help`; absent: the flag takes none. With a space in it the flag takes two words. */
  readonly value?: string
  /** The only values it takes; default by the word in `value`: N and SEQ whole numbers, SECONDS any above 0, else text. */
  readonly choices?: readonly string[]
  readonly many?: true
  readonly help: string
  /** Commands it makes sense for; '' is the session itself (`rein`, `rein -p`); none: all of them. */
  readonly on: readonly string[]
  /** On the session itself and `resume` it makes sense only with `--print`. */
  readonly headless?: true
}

const session = ['', 'resume'] as const

export const flags: readonly Flag[] = [
  { name: 'print', short: 'p', value: 'TEXT', help: 'one task, headless; - reads it from stdin', on: session },
  {
    name: 'model',
    value: 'PROVIDER/MODEL',
    help: 'which model answers; of sessions: a part of its name',
    on: [...session, 'sessions'],
  },
  { name: 'base-url', value: 'URL', help: 'an OpenAI-compatible endpoint, key in REIN_API_KEY', on: session },
  {
    name: 'dialect',
    value: 'NAME',
    choices: ['openai-chat'],
    help: 'wire protocol of --base-url: openai-chat',
    on: session,
  },
  { name: 'cwd', value: 'DIR', help: 'work in this directory', on: [...session, 'sessions', 'config', 'doctor'] },
  {
    name: 'mode',
    value: 'MODE',
    choices: ['read-only', 'workspace-write', 'full-access'],
    help: 'read-only, workspace-write or full-access',
    on: session,
  },
  {
    name: 'approve',
    value: 'HOW',
    choices: ['never', 'ask'],
    help: 'never or ask; headless default: never',
    on: session,
  },
  { name: 'resume', value: 'ID', help: 'continue a session; `last` is the newest here', on: [''] },
  {
    name: 'json',
    help: 'as JSON; of a task one event a line on stdout, a result line last',
    on: [...session, 'sessions', 'sessions trash', 'demo', 'doctor', 'export', 'replay'],
    headless: true,
  },
  { name: 'max-steps', value: 'N', help: 'steps a turn may take, at least 1', on: [...session, 'replay'] },
  { name: 'timeout', value: 'SECONDS', help: 'end the run after this long', on: session, headless: true },
  {
    name: 'trust-project',
    value: 'HASH',
    many: true,
    help: 'consent to this content, for this run',
    on: [...session, 'config', 'replay'],
  },
  { name: 'ignore-project', help: 'do not read settings of the project', on: [...session, 'config', 'replay'] },
  {
    name: 'preset',
    value: 'NAME',
    choices: ['standard', 'headless', 'minimal'],
    help: 'standard, headless or minimal',
    on: [...session, 'replay'],
  },
  {
    name: 'plugin',
    value: 'ID=…',
    many: true,
    help: 'patch a plugin row: ID=off, ID=PATH or ID={json}',
    on: [...session, 'replay', 'demo'],
  },
  { name: 'seed', value: 'N', help: 'fixed clock and ids, for reproducible logs', on: ['demo'] },
  { name: 'at', value: 'SEQ', help: 'last event of the fork', on: ['fork'] },
  { name: 'to', value: 'SEQ', help: 'last event the model still sees', on: ['rewind'] },
  { name: 'dry-run', help: 'only say what would leave', on: ['rewind'] },
  { name: 'files', help: 'take back what was changed in files since, too', on: ['rewind'] },
  { name: 'overwrite', help: 'with --files: also what somebody else changed since', on: ['rewind'] },
  {
    name: 'tree',
    help: 'the turns, undone ones marked, with the places to go back to; of sessions: forks under what they came from',
    on: ['show', 'sessions'],
  },
  { name: 'from', value: 'SEQ', help: 'the transcript from this event on', on: ['show'] },
  { name: 'events', help: 'the raw log', on: ['show'] },
  { name: 'request', value: 'N', help: 'the exact bytes of request N, counted from 1', on: ['show'] },
  { name: 'diff', value: 'N M', help: 'two requests, and the event that made the difference', on: ['show'] },
  { name: 'fix', help: 'repair session logs; what was there is kept beside', on: ['doctor'] },
  {
    name: 'tools',
    value: 'HOW',
    choices: ['recorded', 'live'],
    help: 'recorded results, or live: run in a copy of the workspace',
    on: ['replay'],
  },
  { name: 'all', help: 'every session', on: ['verify', 'sessions'] },
  { name: 'project', value: 'DIR', help: 'started in this directory or below it', on: ['sessions'] },
  { name: 'since', value: 'DATE', help: 'changed since: 2026-03-01, 7d, 12h, today', on: ['sessions'] },
  { name: 'until', value: 'DATE', help: 'changed up to then', on: ['sessions'] },
  {
    name: 'outcome',
    value: 'HOW',
    choices: ['completed', 'max-tokens', 'blocked', 'cancelled', 'interrupted', 'budget', 'error', 'open', 'empty'],
    help: 'how the last turn ended: completed, error, open …',
    on: ['sessions'],
  },
  {
    name: 'state',
    value: 'STATE',
    choices: ['free', 'held', 'broken', 'damaged', 'newer'],
    help: 'free, held, broken, damaged or newer',
    on: ['sessions'],
  },
  { name: 'min-cost', value: 'USD', help: 'cost at least so much', on: ['sessions'] },
  { name: 'restore', value: 'NAME', many: true, help: 'back to where it was', on: ['sessions trash'] },
  { name: 'empty', help: 'delete what was put away, or the names given, for good', on: ['sessions trash'] },
  { name: 'yes', help: 'do not ask', on: ['sessions trash'] },
  { name: 'limit', value: 'N', help: 'so many at most', on: ['sessions'] },
  { name: 'html', help: 'one page to read anywhere', on: ['export'] },
  { name: 'zip', help: 'log, pictures and whole outputs, to import elsewhere', on: ['export'] },
  { name: 'exact', help: 'nothing removed, so that it can be verified', on: ['export'] },
  { name: 'output', short: 'o', value: 'FILE', help: 'write there; - is stdout', on: ['export'] },
  {
    name: 'to',
    value: 'STORE',
    choices: ['jsonl', 'sqlite'],
    help: 'the store that keeps it from now on: jsonl or sqlite',
    on: ['sessions move'],
  },
  { name: 'as', value: 'ID', help: 'take it in under this id, as a fork', on: ['sessions import'] },
  { name: 'value', value: 'TEXT', many: true, help: 'what to remove; - or none: it is asked for', on: ['redact'] },
  { name: 'purge', help: 'keep no copy of the session in the trash', on: ['redact'] },
  { name: 'defaults', help: 'the settings nobody wrote', on: ['config'] },
  { name: 'quiet', help: 'nothing on stderr but errors', on: [...session, 'demo'], headless: true },
  { name: 'verbose', help: 'more on stderr', on: [...session, 'sessions'] },
  { name: 'no-color', help: 'no colours', on: [] },
  { name: 'version', help: 'print the version', on: [] },
  { name: 'help', short: 'h', help: 'print this help', on: [] },
]

/** What `rein` is called with first. */
export interface CommandRow {
  /** One word, or two: `sessions title` is what `rein sessions title` calls, with flags of its own. */
  readonly name: string
  /** What follows it in `--help`. */
  readonly takes: string
  readonly help: string
  /** Least and most words after it; absent: any number. */
  readonly words?: readonly [least: number, most: number]
}

export const commands: readonly CommandRow[] = [
  { name: 'resume', takes: '[id]', help: 'continue a session; with -p, headless' },
  { name: 'sessions', takes: '[query]', help: 'list the sessions of all projects, or search in them' },
  { name: 'sessions title', takes: '<id> TITLE', help: 'give a session another title', words: [2, 2] },
  { name: 'sessions trash', takes: '[id…]', help: 'put sessions away, take them back, delete what was put away' },
  { name: 'show', takes: '<id>', help: 'the transcript, the raw log, or the exact bytes of a request', words: [1, 1] },
  { name: 'verify', takes: '<id>|--all', help: 'rebuild every request from the log and compare', words: [0, 1] },
  { name: 'fork', takes: '<id>', help: 'a new session from the beginning of one', words: [1, 1] },
  { name: 'rewind', takes: '<id>', help: 'take later messages off what the model sees', words: [1, 1] },
  { name: 'doctor', takes: '', help: 'what sessions stand on, and every session log; --fix repairs', words: [0, 0] },
  {
    name: 'export',
    takes: '<id>',
    help: 'a copy to share: a page, JSON or a ZIP; --exact removes nothing',
    words: [1, 1],
  },
  { name: 'sessions move', takes: '<id> --to STORE', help: 'keep a session in another store', words: [1, 1] },
  { name: 'sessions import', takes: 'FILE', help: 'take in a session that was exported as a ZIP', words: [1, 1] },
  { name: 'redact', takes: '<id>', help: 'take a value out of a session for good', words: [1, 1] },
  { name: 'replay', takes: '<id>', help: 'drive today’s code over a session, and say what differs', words: [1, 1] },
  { name: 'config', takes: '[explain KEY]', help: 'the settings in force and where each is written', words: [0, 2] },
  { name: 'demo', takes: '', help: 'offline: a scripted model fixes a failing test', words: [0, 0] },
]
