import { stat } from 'node:fs/promises'
import { isAbsolute, relative, sep } from 'node:path'
import type { Failure, Result } from '@rein/session'
import { notFound, resolvePath } from '../files/path.ts'
import { kindOf } from '../files/version.ts'
import { eachLine, type LinesEnd } from '../process/lines.ts'

/** Where a search looks. */
export interface Place {
  /** Resolved. */
  readonly path: string
  readonly isDirectory: boolean
  readonly cwd: string
}

/**
 * What every search has in common: nobody's own settings, hidden files but not `.git`, ignore files also outside a
 * repository, paths in order, and paths ended by NUL because they may hold anything else.
 */
const COMMON = ['--no-config', '--hidden', '--no-require-git', '--color=never', '--null']
/** After every other glob: the last one that matches decides. */
const NOT_GIT = ['--glob=!.git']

export interface SearchOptions {
  /** What no tool reads below full access, absolute: searches pass over it. */
  readonly hidden?: readonly string[]
}

/** Fails `NOT_FOUND` with near names, or `NOT_A_FILE` for what is neither file nor directory. */
export async function searchPlace(path: string | undefined, cwd: string): Promise<Result<Place>> {
  const real = await resolvePath(path ?? '.', cwd)
  if (!real.ok) return real
  if (!real.value.exists) return notFound(real.value.path, path ?? cwd)
  const facts = await stat(real.value.path)
  if (!facts.isDirectory() && !facts.isFile())
    return {
      ok: false,
      failure: { code: 'NOT_A_FILE', message: `${path} is ${kindOf(facts)}; it cannot be searched.` },
    }
  return { ok: true, value: { path: real.value.path, isDirectory: facts.isDirectory(), cwd } }
}

export interface Search {
  readonly place: Place
  /** What is passed over below the place, absolute paths; where a link among them leads to is passed over too. */
  readonly hidden: readonly string[]
  readonly args: readonly string[]
  readonly signal: AbortSignal
  /** NUL where only paths are printed. */
  readonly separator: '\n' | '\0'
}

/** Run ripgrep below a place. Lines come as it prints them; `onLine` returns false to stop it. */
export async function ripgrep(search: Search, onLine: (line: string) => boolean): Promise<Result<LinesEnd>> {
  const { place, signal, separator } = search
  const args = [...COMMON, ...search.args, ...NOT_GIT, ...(await hiding(search))]
  const file = await ripgrepPath()
  const cwd = place.isDirectory ? place.path : place.cwd
  // Without a path it searches the directory it stands in and prints paths relative to it.
  const target = place.isDirectory ? ['--', './'] : ['--', place.path]
  const spec = { file, args: [...args, ...target], cwd, env: {} }
  return eachLine(spec, onLine, { signal, separator })
}

/** Flags that leave out what is hidden. They count for names in any case, as some file systems do, and after other globs. */
async function hiding({ place, hidden }: Search): Promise<string[]> {
  const real = await Promise.all(hidden.map((path) => resolvePath(path, place.cwd)))
  const paths = [...hidden, ...real.flatMap((resolved) => (resolved.ok ? [resolved.value.path] : []))]
  return [...new Set(paths)].flatMap((path) => {
    const below = relative(place.path, path)
    const outside = below === '' || below === '..' || below.startsWith(`..${sep}`) || isAbsolute(below)
    return outside ? [] : [`--iglob=!/${below.replaceAll(sep, '/').replaceAll(/[*?[\]{}\\!]/g, '\\$&')}`]
  })
}

/**
 * A path ripgrep printed, as the model is to write it: relative to the session's directory when it is below it. One
 * that would not be read as one line of its own is shown as the JSON string that holds it.
 */
export function shownPath(printed: string, place: Place): string {
  const absolute = place.isDirectory
    ? `${place.path === sep ? '' : place.path}/${printed.replace(/^\.\//, '')}`
    : place.path
  const below = relative(place.cwd, absolute)
  const path = below.startsWith('..') ? absolute : below
  return UNCLEAR.test(path) ? JSON.stringify(path).replaceAll(UNESCAPED, escaped) : path
}

/** Control characters, line and paragraph separators and bidirectional controls; a quote at the start looks quoted. */
const UNCLEAR = /^"|[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u
/** What of them a JSON string may hold as it is. */
const UNESCAPED = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu
const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/** What ripgrep says of a pattern or glob it does not take, as a failure the model can act on. */
export function badPattern(errors: string, next: string): Failure {
  const message = errors.replace(/^rg: /, '').trim()
  return { code: 'INVALID_ARGUMENTS', message, next }
}

let known: string | undefined

/** The program of the package for this platform, or the one on PATH. */
async function ripgrepPath(): Promise<string> {
  known ??= await import('@vscode/ripgrep').then(
    ({ rgPath }) => rgPath,
    () => 'rg',
  )
  return known
}
