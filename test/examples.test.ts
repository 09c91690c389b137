import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, test } from 'node:test'
import { inRoot } from '../scripts/root.ts'
import { paths } from './tree.ts'

/** Long enough for a loaded machine, in milliseconds; an example that needs it all is stuck. */
const TIME_LIMIT = 30_000

describe('examples', { concurrency: 2 }, () => {
  const examples = paths('examples/*.ts')

  test('examples are numbered without a gap', () => {
    const numbers = examples.map((path) => path.slice('examples/'.length).slice(0, 3))
    assert.deepEqual(
      numbers,
      examples.map((_, index) => `${String(index + 1).padStart(2, '0')}-`),
    )
  })

  for (const example of examples) {
    test(`${example} runs to its end, offline and without a terminal, and its log is proved`, async (t) => {
      const folder = mkdtempSync(join(tmpdir(), 'rein-example-'))
      t.after(() => rmSync(folder, { recursive: true }))
      const { code, output } = await runIn(folder, inRoot(example))
      assert.equal(code, 0, output)
      const proof = await runIn(folder, inRoot('packages/cli/bin/rein.js'), 'verify', '--all')
      assert.equal(proof.code, 0, proof.output)
      assert.match(proof.output, /^clean +\S+-/m)
    })
  }
})

/** Runs one program in a folder of its own, with its sessions in there too. */
async function runIn(folder: string, ...program: string[]): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, program, {
    cwd: folder,
    env: { ...process.env, REIN_HOME: join(folder, 'home'), REIN_API_KEY: '', NODE_TEST_CONTEXT: '' },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: TIME_LIMIT,
  })
  const closed = new Promise<number | null>((resolve) => child.on('close', resolve))
  const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), closed])
  return { code, output: out + err }
}
