import { threadId } from 'node:worker_threads'

let names = 0

/** A name for a file that no other thread of any process takes, nor this one again. */
export const ownName = (): string => `${process.pid}-${threadId}-${names++}`
