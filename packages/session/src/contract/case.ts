import type { Holder, Lease, Store } from '../store.ts'
import { value } from './expect.ts'

/** A fresh, empty store and the world around it. */
export interface StoreUnderTest {
  readonly store: Store
  /** Another Store object over the same data, as a second process would have it. */
  readonly other: Store
  /** Holders that differ by `number` and none of which can be proved dead. */
  holder(number: number): Holder
  /** Whoever holds `id` looks as if it had not renewed for a long time. */
  silence(id: string): Promise<void>
  /** Lose the last `bytes` bytes of a log nobody holds, as a crash in a write does. */
  cutLog(id: string, bytes: number): Promise<void>
  /** Alter the stored bytes of a blob. */
  tamperBlob(id: string, sha256: string): Promise<void>
  /** Make a session's log impossible to read. */
  breakLog(id: string): Promise<void>
  /** Called after each test, whatever happened. */
  dispose(): Promise<void>
}

/** One promise of the contract. `run` throws when it is not kept. */
export interface ContractCase {
  readonly title: string
  run(of: StoreUnderTest): Promise<void>
}

/** A session's id and directory in these tests. */
export const ID = 'ses_contract'
export const CWD = '/work/project'

/** A plausible line of a log; `seq` makes it unlike others, `text` whatever a test wants. */
export const line = (seq: number, text = ''): string => JSON.stringify({ seq, data: { text, cwd: CWD } })

/** A new session with `lines` lines, held by holder 1. */
export async function started(of: StoreUnderTest, lines = 0): Promise<Lease> {
  const lease = value(await of.store.create(ID, { cwd: CWD, holder: of.holder(1) }))
  if (lines > 0)
    await lease.append(
      0,
      Array.from({ length: lines }, (_, seq) => line(seq)),
    )
  return lease
}
