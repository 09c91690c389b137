import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import type { StoreUnderTest } from '@rein/session'
import type { SessionStore } from '../../src/store/session-store.ts'
import { sqliteStore } from '../../src/store/sqlite/store.ts'
import { holder } from './scratch.ts'

/** A home of its own for one test, and what a test does to the database in it. */
export class SqliteScratch {
  readonly home: string = mkdtempSync(join(tmpdir(), 'rein-sqlite-'))
  readonly path: string = join(this.home, 'sessions.sqlite')

  store(): SessionStore {
    return sqliteStore({ home: this.home, now: Date.now, pollMs: 20 })
  }

  /** As another program would do it. */
  sql(text: string, ...values: readonly SQLInputValue[]): readonly Record<string, unknown>[] {
    const db = new DatabaseSync(this.path, { timeout: 5000 })
    try {
      return db.prepare(text).all(...values)
    } finally {
      db.close()
    }
  }

  silence(id: string): void {
    this.sql(`UPDATE session SET renewed = 1000 WHERE id = ?`, id)
  }

  /** Cut the last bytes off a log, wherever they stand. */
  cutLog(id: string, bytes: number): void {
    const [row] = this.sql(`SELECT key, tail FROM session WHERE id = ? AND state = 'live'`, id)
    const key = Number(row?.['key'])
    const lines = this.sql('SELECT bytes FROM line WHERE at / 4294967296 = ? ORDER BY at', key)
    const all = Buffer.concat(lines.map((line) => Buffer.from(`${Buffer.from(line['bytes'] as Uint8Array)}\n`)))
    const cut = all.subarray(0, all.length - bytes)
    const end = cut.lastIndexOf(10) + 1
    const kept = cut.subarray(0, end).toString().split('\n').length - 1
    this.sql('DELETE FROM line WHERE at / 4294967296 = ? AND at % 4294967296 >= ?', key, kept)
    this.sql(
      'UPDATE session SET lines = ?, bytes = ?, tail = ? WHERE key = ?',
      kept,
      cut.length,
      cut.subarray(end),
      key,
    )
  }

  /** What the suites of a store need of it. */
  underTest(): StoreUnderTest {
    return {
      store: this.store(),
      other: this.store(),
      holder,
      silence: async (id) => this.silence(id),
      cutLog: async (id, bytes) => this.cutLog(id, bytes),
      tamperBlob: async (_id, sha256) => void this.sql(`UPDATE blob SET bytes = x'00' WHERE sha256 = ?`, sha256),
      breakLog: async () => void this.sql('DELETE FROM line'),
      dispose: async () => this.dispose(),
    }
  }

  dispose(): void {
    rmSync(this.home, { recursive: true, force: true })
  }
}
