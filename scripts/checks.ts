import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { inRoot, root } from './root.ts'

export interface Check {
  readonly name: string
  /** A program of this checkout, and its arguments. */
  readonly command: readonly [program: string, ...args: string[]]
}

/** What is proved without running the program. */
export const checks: readonly Check[] = [
  { name: 'types', command: ['tsc', '-p', '.'] },
  { name: 'session compiles without Node', command: ['tsc', '-p', 'packages/session/tsconfig.browser.json'] },
  { name: 'kernel compiles without Node', command: ['tsc', '-p', 'packages/kernel/tsconfig.browser.json'] },
  {
    name: 'format and lint',
    command: ['biome', 'check', '--colors=off', '--diagnostic-level=warn', '--error-on-warnings', '.'],
  },
  { name: 'no dead code', command: ['knip', '--no-progress', '--no-config-hints'] },
]

/** Runs one check; `output` is everything it printed. */
export async function run({ command }: Check): Promise<{ passed: boolean; output: string }> {
  const [program, ...args] = command
  const child = spawn(inRoot('node_modules/.bin', program), args, {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    shell: process.platform === 'win32',
  })
  const closed = new Promise<number | null>((resolve, reject) => {
    child.on('error', reject).on('close', resolve)
  })
  const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), closed])
  return { passed: code === 0, output: out + err }
}
