import { join, resolve as normalise, relative, sep } from 'node:path'
import type { PermissionMode, Result } from '@rein/session'
import { inside } from '../files/path.ts'
import { type PrivatePath, privatePaths } from './private-paths.ts'
import { allow, type DenyCode, type Verdict } from './verdict.ts'

/** The path with every symbolic link followed, dangling ones too; fails for a circle. Absolute in, absolute out. */
export type ResolvePath = (path: string) => Promise<Result<string>>

export interface PathOptions {
  /** Absolute. Writable in workspace-write, but for what is protected in them. */
  readonly workspaces: readonly string[]
  /** Private temporary folders of this session, writable in workspace-write. */
  readonly temp: readonly string[]
  /** `$REIN_HOME` and the person's home. */
  readonly home: string
  readonly userHome: string
  /** What stays readable inside private paths: this session's own spill folder. */
  readonly readable: readonly string[]
  readonly resolve: ResolvePath
}

/** `PathOptions` with its paths resolved, once: an access below full-access cannot change them. */
export interface PathRules {
  readonly workspaces: readonly string[]
  readonly writable: readonly string[]
  readonly readable: readonly string[]
  /** Their paths are folded. */
  readonly privates: readonly PrivatePath[]
  /** The home, and where a workspace's `.git` and `.rein` lead to when they are links. Folded. */
  readonly protectedRoots: readonly string[]
  /** As given: what a path looks like before it is resolved. */
  readonly given: readonly string[]
  readonly resolve: ResolvePath
}

export async function pathRules(options: PathOptions): Promise<PathRules> {
  const { resolve, home } = options
  const real = async (paths: readonly string[]): Promise<readonly string[]> => {
    const results = await Promise.all(paths.map((path) => resolve(path)))
    return results.flatMap((result) => (result.ok ? [result.value] : []))
  }
  const workspaces = await real(options.workspaces)
  const places = privatePaths(home, options.userHome)
  const privates = await Promise.all(
    places.map(async ({ path, what }) => (await real([path])).map((resolved) => ({ path: resolved, what }))),
  )
  const protectedRoots = await real([
    home,
    ...workspaces.flatMap((folder) => protectedNames.map((name) => join(folder, name))),
  ])
  return {
    workspaces,
    writable: [...workspaces, ...(await real(options.temp))],
    readable: await real(options.readable),
    privates: [...places, ...privates.flat()].map(({ path, what }) => ({ path: fold(path), what })),
    protectedRoots: protectedRoots.map(fold),
    given: options.workspaces,
    resolve,
  }
}

export interface PathAccess {
  readonly kind: 'read' | 'write'
  /** Absolute. */
  readonly path: string
}

export interface PathSituation {
  readonly mode: PermissionMode
  /** Whether somebody can be asked. */
  readonly person: boolean
}

/** Whether a file tool may read or write a path. Judged by where the path really leads, never by its text alone. */
export async function decidePath(
  access: PathAccess,
  { mode, person }: PathSituation,
  rules: PathRules,
): Promise<Verdict> {
  const { kind, path } = access
  if (mode === 'full-access' && (kind === 'read' || !person)) return allow
  const resolved = await rules.resolve(path)
  if (!resolved.ok) return mode === 'full-access' ? allow : deny('UNRESOLVABLE', resolved.failure.message, mode)
  const real = resolved.value
  if (kind === 'read') return decideRead(path, real, { mode, rules })
  if (mode === 'read-only') return deny('READ_ONLY', `${path}: nothing is written in read-only mode.`, mode)
  const reason = protectedReason(path, real, rules)
  if (mode === 'full-access') {
    if (reason === undefined) return allow
    return { kind: 'ask', what: `Write ${path}: ${reason}?`, detail: { path, real } }
  }
  if (reason !== undefined) return deny('PROTECTED_PATH', `${path}: ${reason}.`, mode)
  const hidden = privateOf(real, rules)
  if (hidden) return deny('PROTECTED_PATH', `${path}: ${hidden.what} are kept there.`, mode)
  if (rules.writable.some((root) => inside(root, real))) return allow
  const leads = real === normalise(path) ? '' : ` It leads to ${real}.`
  return deny('OUTSIDE_WORKSPACE', `${path} is outside the workspace.${leads}`, mode)
}

function decideRead(
  path: string,
  real: string,
  { mode, rules }: { readonly mode: PermissionMode; readonly rules: PathRules },
): Verdict {
  const hidden = privateOf(real, rules)
  if (!hidden || rules.readable.some((root) => inside(root, real))) return allow
  return deny('PROTECTED_PATH', `${path}: ${hidden.what} are kept there, and no tool reads them.`, mode)
}

const deny = (code: DenyCode, reason: string, mode: PermissionMode): Verdict => ({
  kind: 'deny',
  code,
  by: `mode ${mode}`,
  reason,
})

function privateOf(real: string, { privates }: PathRules): PrivatePath | undefined {
  const folded = fold(real)
  return privates.find(({ path }) => inside(path, folded))
}

/** Whatever is in them is run, or believed, later and outside of every confinement. */
const protectedNames: readonly string[] = ['.git', '.rein']

/** Why a write there must not happen unseen; undefined when the path is an ordinary one. */
function protectedReason(path: string, real: string, rules: PathRules): string | undefined {
  const within = [...rules.workspaces, ...rules.given].flatMap((root) =>
    [real, normalise(path)]
      .filter((candidate) => inside(root, candidate))
      .map((candidate) => relative(root, candidate)),
  )
  const names = within.flatMap((inner) => inner.split(sep).map(fold))
  if (names.includes('.rein')) return 'settings and plugins of this program take effect from there'
  if (names.some((name) => name === '.git' || name === 'git~1')) return 'git runs hooks and commands named there'
  const folded = fold(real)
  const rooted = rules.protectedRoots.some((root) => inside(root, folded))
  return rooted ? 'what is there runs or counts outside of every confinement' : undefined
}

/** One spelling for all the names a file system may take for the same: case, invisible characters, ends Windows drops. */
const fold = (path: string): string =>
  path
    .normalize('NFKC')
    .replaceAll(/\p{Cf}/gu, '')
    .toLowerCase()
    .split(sep)
    .map((name) => (name === '.' || name === '..' ? name : name.replace(/(?::.*|[. ]+)$/, '')))
    .join(sep)
