import type { SessionEvent } from '@rein/session'

/** What somebody who shares a session expects to be gone from it. */
export interface SharingOptions {
  /** Hides registered secrets and known key formats. */
  readonly secrets: (text: string) => string
  /** Absolute home directories: of whoever exports, and of whoever the session ran as. */
  readonly homes: readonly string[]
  /** Names of machines. */
  readonly hosts: readonly string[]
}

/** How many values of each kind were removed. Kinds are those of placeholders, and `home`, `user`, `host`, `process`. */
export type Removed = Readonly<Record<string, number>>

/** Removes from one session what others need not see, and counts it. Keeps state: one a session. */
export interface Sharing {
  /** The text with placeholders in it; the same text where there is nothing to hide. */
  readonly hide: (text: string) => string
  /** So far, by kind. */
  removed(): Removed
}

/** In words, for people and in every export: what an export that is not exact does not hold, and what it still may. */
export const sharingNotes: readonly string[] = [
  'Secrets known on this machine and values in known key formats are replaced by placeholders.',
  'Home directories, the user of user@host, and names of machines and processes are replaced by ⟦home⟧ and the like.',
  'Names, addresses and other personal data in texts and pictures are not looked for: read it before you share it.',
]

/** Names that say nothing of anybody, and stand in ordinary text. */
const nobody: ReadonlySet<string> = new Set(['localhost', 'local', 'host', 'linux', 'server', 'root', 'user', 'home'])

/** Hides what is nobody else's business. Doing it twice changes nothing. */
export function sharing(options: SharingOptions, events: readonly SessionEvent[]): Sharing {
  const said = machinesIn(events)
  const { secrets } = options
  const { holders } = said
  const homes = [...options.homes, ...said.homes]
  const hosts = [...options.hosts, ...said.hosts]
  const counts = new Map<string, number>()
  const count = (kind: string, by = 1): void => void counts.set(kind, (counts.get(kind) ?? 0) + by)
  const rules = [
    ...literal(holders, 'process', 'process'),
    ...homeRules(homes),
    ...userRules(homes),
    ...literal(named(hosts), 'host', 'host'),
  ]
  const hide = (text: string): string => {
    let safe = secrets(text)
    if (safe !== text) for (const [kind, added] of newPlaceholders(text, safe)) count(kind, added)
    for (const { kind, pattern, by } of rules) {
      safe = safe.replace(pattern, () => {
        count(kind)
        return by
      })
    }
    return safe
  }
  return { hide, removed: () => Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1))) }
}

interface SharingRule {
  readonly kind: string
  readonly pattern: RegExp
  readonly by: string
}

/** Whole names only: `box` is not hidden in `inbox`. */
function literal(names: readonly string[], kind: string, shown: string): SharingRule[] {
  if (names.length === 0) return []
  const longest = [...new Set(names)].sort((a, b) => b.length - a.length).map(quoted)
  return [{ kind, pattern: new RegExp(`(?<![\\w-])(?:${longest.join('|')})(?![\\w-])`, 'g'), by: `⟦${shown}⟧` }]
}

const named = (hosts: readonly string[]): readonly string[] =>
  hosts.filter((host) => host.length >= 3 && !nobody.has(host.toLowerCase()))

/** A home is one however its separators are escaped; what only begins like it is another directory. */
function homeRules(homes: readonly string[]): SharingRule[] {
  const spelled = homes.filter((home) => home.length > 3).map((home) => quoted(home).replaceAll('\\\\', '\\\\{1,8}'))
  if (spelled.length === 0) return []
  return [{ kind: 'home', pattern: new RegExp(`(?<![\\w.-])(?:${spelled.join('|')})(?![\\w.-])`, 'g'), by: '⟦home⟧' }]
}

function userRules(homes: readonly string[]): SharingRule[] {
  const users = homes
    .map((home) => home.split(/[\\/]/).at(-1) ?? '')
    .filter((user) => user.length >= 2 && !nobody.has(user.toLowerCase()))
  if (users.length === 0) return []
  const pattern = new RegExp(`(?<![\\w.+-])(?:${[...new Set(users)].map(quoted).join('|')})(?=@[\\w-])`, 'g')
  return [{ kind: 'user', pattern, by: '⟦user⟧' }]
}

const quoted = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')

const anyPlaceholder = /⟦secret:([a-z-]+):[0-9a-f]{6}⟧/g

function newPlaceholders(before: string, after: string): Map<string, number> {
  const found = new Map<string, number>()
  for (const [, kind = ''] of after.matchAll(anyPlaceholder)) found.set(kind, (found.get(kind) ?? 0) + 1)
  for (const [, kind = ''] of before.matchAll(anyPlaceholder)) found.set(kind, (found.get(kind) ?? 0) - 1)
  return new Map([...found].filter(([, count]) => count > 0))
}

/** What a log says of the machines it was written on. */
function machinesIn(events: readonly SessionEvent[]): {
  readonly homes: readonly string[]
  readonly hosts: readonly string[]
  readonly holders: readonly string[]
} {
  const homes = new Set<string>()
  const hosts = new Set<string>()
  const holders = new Set<string>()
  for (const event of events) {
    if (event.type === 'session/start') for (const home of homeOf(event.data.cwd)) homes.add(home)
    if (event.type !== 'session/resume') continue
    holders.add(event.data.holder)
    hosts.add(event.data.holder.split(/[/:]/, 1)[0] ?? '')
  }
  hosts.delete('')
  holders.delete('')
  return { homes: [...homes], hosts: [...hosts], holders: [...holders] }
}

/** The home a directory lies in, by where systems keep them. */
function homeOf(cwd: string): readonly string[] {
  const [home] = /^(?:\/home\/[^/]+|\/Users\/[^/]+|[A-Za-z]:\\Users\\[^\\]+)/.exec(cwd) ?? []
  return home === undefined ? [] : [home]
}
