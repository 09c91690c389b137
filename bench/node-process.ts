import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

export interface Usage {
  /** CPU of the whole process, milliseconds. */
  readonly cpuMs: number
  /** Peak resident memory, MB. */
  readonly peakMb: number
  readonly stdout: string
}

interface Start {
  readonly env?: NodeJS.ProcessEnv
  readonly onSpawn?: (pid: number) => void
}

const hook = join(import.meta.dirname, 'report-usage.cjs')

/**
 * Run this Node on these arguments, and let the process itself say what it used.
 * @throws when it ends with anything but 0: a start that failed is no measurement.
 */
export async function nodeProcess(args: readonly string[], { env = {}, onSpawn }: Start = {}): Promise<Usage> {
  const folder = mkdtempSync(join(tmpdir(), 'rein-bench-'))
  const report = join(folder, 'usage.json')
  const child = spawn(process.execPath, ['--require', hook, ...args], {
    env: { ...process.env, NO_COLOR: '1', ...env, REIN_BENCH_REPORT: report },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  if (child.pid !== undefined) onSpawn?.(child.pid)
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  if (code !== 0) throw new Error(`node ${args.join(' ')} ended with ${String(code)}: ${stdout}${stderr}`)
  const used = JSON.parse(readFileSync(report, 'utf8')) as Omit<Usage, 'stdout'>
  rmSync(folder, { recursive: true })
  return { ...used, stdout }
}
