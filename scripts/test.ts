import { spawn, spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { inRoot, root } from './root.ts'

// `npm test`, through start.js: builds the command, then runs every test, the rules of the repository among them.
// Words after `npm test --` choose the test files whose path holds one of them; options go to node's runner.

/** A test that takes longer than this hangs, in milliseconds. */
const TIME_LIMIT = 60_000

const args = process.argv.slice(2)
const options = args.filter((arg) => arg.startsWith('-'))
const words = args.filter((arg) => !arg.startsWith('-'))
const all = globSync(['test/**/*.test.ts', 'packages/*/test/**/*.test.ts'], { cwd: root })
const ours = all.filter((file) => !/[\\/]fixtures[\\/]/.test(file))
const files = ours.filter((file) => words.length === 0 || words.some((word) => file.includes(word))).toSorted()
if (files.length === 0) {
  console.error(`No test file's path holds ${words.join(' or ')}.`)
  process.exit(1)
}

const built = spawnSync(process.execPath, [inRoot('scripts/build.ts')], { cwd: root, stdio: 'inherit' })
if (built.status !== 0) process.exit(1)

const runner = ['--test', `--test-timeout=${TIME_LIMIT}`, ...concurrency(), ...options, ...files]
// Each file is a process of its own; most of what it costs is compiling what the others have compiled already.
const env = { ...process.env, NODE_COMPILE_CACHE: inRoot('node_modules/.cache/tests') }
const tests = spawn(process.execPath, runner, { cwd: root, env, stdio: ['ignore', 'inherit', 'inherit'] })
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => tests.kill(signal))
tests.on('exit', (code) => process.exit(code ?? 1))

/** One file a core, and one more that waits: most files spend part of their time on processes and timers. */
function concurrency(): string[] {
  return [`--test-concurrency=${navigator.hardwareConcurrency + 1}`]
}
