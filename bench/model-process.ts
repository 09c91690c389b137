import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Said } from './model-server.ts'

/** A model server in a process of its own, so that what it does is not counted as ours. */
export async function startModel(reply: 'text' | 'read') {
  const child = fork(join(import.meta.dirname, 'model-server.ts'), [reply])
  const hear = async <K extends Said['kind']>(kind: K): Promise<Said & { kind: K }> => {
    for (;;) {
      const [said] = (await once(child, 'message')) as [Said]
      if (said.kind === kind) return said as Said & { kind: K }
    }
  }
  const { port } = await hear('listening')
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    /** The next request, and what the process `pid` had used when it began to arrive. Ask before it is sent. */
    arrival(pid: number) {
      child.send({ watch: pid })
      return hear('arrived')
    },
    /** Milliseconds from the last byte of each reply to the first byte of the next request, since the last time asked. */
    async gaps(): Promise<readonly number[]> {
      const told = hear('gaps')
      child.send({ tell: 'gaps' })
      return (await told).gaps
    },
    close: () => void child.kill(),
  }
}

export type ModelProcess = Awaited<ReturnType<typeof startModel>>
