import { threadId } from 'node:worker_threads'

/** For names of files that no other thread of any process may take. */
export const threadName = `${process.pid}-${threadId}`
