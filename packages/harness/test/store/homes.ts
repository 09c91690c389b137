import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { type HomeStore, homeStore, type StoreKind } from '../../src/store/home.ts'
import { holder, value } from './scratch.ts'

export const at = (home: string, keep: StoreKind = 'jsonl'): HomeStore =>
  homeStore({ home, now: Date.now, keep, pollMs: 20 })

/** An empty home that goes when the test ends. */
export function folder(t: TestContext): string {
  const home = mkdtempSync(join(tmpdir(), 'rein-home-'))
  t.after(() => rmSync(home, { recursive: true, force: true }))
  return home
}

/** A session nobody holds. */
export async function session(store: HomeStore, id: string, lines: readonly string[] = ['{"seq":0}']): Promise<void> {
  const lease = value(await store.create(id, { cwd: '/work', holder: holder(1) }))
  await lease.append(0, lines)
  await lease.release()
}
