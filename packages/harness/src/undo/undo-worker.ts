import { parentPort, workerData } from 'node:worker_threads'
import type { Job, UndoThread } from './job.ts'
import { Workspaces } from './workspace.ts'

// The program of the thread on which workspaces are looked at, so that the session never waits for a disk.

const thread: UndoThread = workerData
const workspaces = new Workspaces(thread)

parentPort?.on('message', (job: Job) => parentPort?.postMessage(workspaces.run(job)))
