import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { inRoot } from '../scripts/root.ts'
import { mixed, scratch, someHeader, storedSession } from './made-logs.ts'
import { inTurn, type Row } from './measure.ts'

const rein = inRoot('packages/cli/bin/rein.js')
/** Fills 50 MB with results of mixed sizes. */
const steps = 13_250
/** Nothing answers there: nothing is asked. */
const endpoint = ['--base-url', 'http://127.0.0.1:9/v1', '--model', 'bench']

/** From the start of `rein resume` to the end of a session of 50 MB on the screen, and to a prompt that takes input. */
export async function firstScreen(): Promise<Row[]> {
  using folder = scratch()
  const home = folder.path
  const id = await storedSession({ home, cwd: home }, { steps, header: someHeader, results: mixed })
  const args = [rein, 'resume', id, ...endpoint]
  const env = { REIN_HOME: home }
  const { bare, seen, ready } = await inTurn(9, {
    bare: () => untilSaid(['-e', 'console.error("•")'], { env, said: /•/ }),
    seen: () => untilSaid(args, { env, said: /• read/ }),
    ready: () => untilSaid(args, { env, said: /rein \d+\.\d+/ }),
  })
  const unit = 'wall ms'
  const budget = { words: '≤ bare node + 250 ms', limit: bare + 250 }
  return [
    { name: 'rein resume, 50 MB, to the first screen', unit, ours: seen, bare, budget },
    { name: 'rein resume, 50 MB, to where it takes input', unit, ours: ready, bare },
  ]
}

/** @returns milliseconds until the process said so on stderr; then it is ended. */
async function untilSaid(
  args: readonly string[],
  { env, said }: { readonly env: NodeJS.ProcessEnv; readonly said: RegExp },
): Promise<number> {
  const started = performance.now()
  const child = spawn(process.execPath, args, { env: { ...process.env, ...env }, stdio: ['pipe', 'ignore', 'pipe'] })
  const ended = once(child, 'close')
  let text = ''
  child.stderr.setEncoding('utf8')
  for await (const block of child.stderr) {
    text += block
    if (said.test(text)) break
  }
  const tookMs = performance.now() - started
  if (!said.test(text)) throw new Error(`node ${args.join(' ')} ended without saying ${said}: ${text}`)
  child.kill('SIGKILL')
  await ended
  return tookMs
}
