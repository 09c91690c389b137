import type { LeftFile, PlannedFile } from './plan.ts'

/** What of a plan is done, and what is not. */
export interface RestoreChoice {
  /** As far as it can be known before: what others do meanwhile is seen when it is done. */
  readonly going: readonly PlannedFile[]
  /** What somebody else changed since and was not asked for. */
  readonly kept: readonly PlannedFile[]
  readonly left: readonly LeftFile[]
}

/** @param overwrite what somebody else changed since goes back too. */
export function restoreChoice(
  { files, left }: { readonly files: readonly PlannedFile[]; readonly left: readonly LeftFile[] },
  overwrite: boolean,
): RestoreChoice {
  const wanted = files.filter(({ by }) => overwrite || by === 'session')
  const kept = files.filter(({ by }) => !overwrite && by !== 'session')
  // What is there now and stays: no folder around it can go.
  const staying = [...left, ...kept.filter(({ action }) => action !== 'create')].map(({ path }) => path)
  const held = foldersAround(staying)
  // Folders that were there and stay away: nothing can be put into them.
  const missing = new Set(kept.filter(({ path, action }) => path.endsWith('/') && isMade(action)).map(bare))
  const going: PlannedFile[] = []
  const stuck: LeftFile[] = []
  for (const file of wanted) {
    const why = reasonItStays(file, { held, missing })
    if (why === undefined) going.push(file)
    else stuck.push({ path: bare(file), why })
  }
  return { going, kept, left: [...left, ...stuck].toSorted((a, b) => (a.path < b.path ? -1 : 1)) }
}

function reasonItStays(
  file: PlannedFile,
  { held, missing }: { readonly held: ReadonlySet<string>; readonly missing: ReadonlySet<string> },
): string | undefined {
  const path = bare(file)
  if (file.action !== 'create' && file.action !== 'mode' && held.has(path)) return 'what is in it stays'
  const lost = missing.size > 0 && [...foldersAround([path])].some((folder) => missing.has(folder))
  return lost && file.action === 'create' ? 'its folder is not there' : undefined
}

const isMade = (action: PlannedFile['action']): boolean => action === 'create' || action === 'overwrite'

/** A folder of a plan ends in `/`. */
const bare = ({ path }: Pick<PlannedFile, 'path'>): string => path.replace(/\/$/, '')

function foldersAround(paths: readonly string[]): ReadonlySet<string> {
  const found = new Set<string>()
  for (const path of paths) {
    let at = path.replace(/\/$/, '').lastIndexOf('/')
    while (at > 0 && !found.has(path.slice(0, at))) {
      found.add(path.slice(0, at))
      at = path.lastIndexOf('/', at - 1)
    }
  }
  return found
}
