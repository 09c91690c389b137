import { readdirSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { sqliteModule } from '@rein/harness'
import { size } from '../view/amount.ts'
import type { Finding } from './finding.ts'

const INDEX = 'index.sqlite'

/**
 * Every database of the home, checked by SQLite itself. The index may be lost at any time; sessions kept in one may not.
 * Opens them for reading only.
 */
export async function databases(home: string): Promise<readonly Finding[]> {
  const files = namesIn(home).filter((name) => name.endsWith('.sqlite'))
  const found: Finding[] = []
  for (const name of files) found.push(await one(join(home, name)))
  if (!files.includes(INDEX))
    found.push({
      area: 'index',
      word: 'index-missing',
      level: 'note',
      about: '',
      says: 'is made when sessions are listed',
    })
  return found
}

async function one(path: string): Promise<Finding> {
  const isIndex = basename(path) === INDEX
  const area = isIndex ? 'index' : 'stores'
  const kind = isIndex ? 'index' : 'store'
  const bytes = size(statSync(path, { throwIfNoEntry: false })?.size ?? 0)
  const wrong = await problemOf(path)
  if (wrong === undefined) return { area, word: kind, level: 'fine', about: path, says: `${bytes}, whole` }
  const next = isIndex
    ? 'Delete it: it is built anew from the logs.'
    : 'Copy the file before anything else; sqlite3 with `.recover` reads what can be read.'
  return { area, word: `${kind}-damaged`, level: isIndex ? 'note' : 'trouble', about: path, says: wrong, next }
}

/** What SQLite finds wrong with a database, in its words; undefined when it is whole. */
async function problemOf(path: string): Promise<string | undefined> {
  const sqlite = sqliteModule()
  if (!sqlite) return 'cannot be checked: this version of Node has no SQLite'
  try {
    const database = new sqlite.DatabaseSync(path, { readOnly: true })
    try {
      const rows = database.prepare('PRAGMA integrity_check(3)').all()
      const said = rows.map((row) => String(row['integrity_check']))
      return said.length === 1 && said[0] === 'ok' ? undefined : said.join('; ')
    } finally {
      database.close()
    }
  } catch (error) {
    if (error instanceof Error && 'code' in error) return error.message
    throw error
  }
}

function namesIn(home: string): readonly string[] {
  try {
    return readdirSync(home)
  } catch (error) {
    if (error instanceof Error && 'code' in error) return []
    throw error
  }
}
