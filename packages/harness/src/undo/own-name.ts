import { threadId } from 'node:worker_threads'

/** Processes of several machines or containers may have the same number. */
const chance = crypto.randomUUID().slice(0, 8)
const form = /^\.rein-(\d+)-\d+-([0-9a-f]{8})-\d+\.tmp$/
let names = 0

/** A name for a file that no other thread of any process takes, nor this one again. */
export const ownName = (): string => `${process.pid}-${threadId}-${chance}-${names++}`

/** A name for a file in a workspace that is being written. */
export const temporaryName = (): string => `.rein-${ownName()}.tmp`

/** Whether it is a `temporaryName` of any process. */
export const isOwnName = (name: string): boolean => form.test(name)

/** Whether it is a `temporaryName` of a process that has ended. */
export function isLeftBehind(name: string, isRunning: (pid: number) => boolean): boolean {
  const [, pid, whose] = form.exec(name) ?? []
  if (pid === undefined) return false
  return Number(pid) === process.pid ? whose !== chance : !isRunning(Number(pid))
}
