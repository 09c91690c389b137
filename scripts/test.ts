import { spawn, spawnSync } from 'node:child_process'
import { globSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { inRoot, root } from './root.ts'

// `npm test`, through start.js: builds the command, then runs every test, the rules of the repository among them.
// Words after `npm test --` choose the test files whose path holds one of them; options go to node's runner.

/** A test that takes longer than this hangs, in milliseconds. */
const TIME_LIMIT = 60_000
/** Test files of one process. */
const MOST_TOGETHER = 8
/** Each process compiles what others have compiled already. */
const cache = inRoot('node_modules/.cache/tests')

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

const runner = ['--test', `--test-timeout=${TIME_LIMIT}`, ...concurrency(), ...options, ...together(files)]
const env = { ...process.env, NODE_COMPILE_CACHE: cache }
const tests = spawn(process.execPath, runner, { cwd: root, env, stdio: ['ignore', 'inherit', 'inherit'] })
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => tests.kill(signal))
tests.on('exit', (code) => process.exit(code ?? 1))

/**
 * Files of one folder, a few at a time, as modules that import them: node gives each module a process of its own, and
 * most of what a process costs is loading what its neighbours load too. Nothing may depend on who its neighbours are.
 */
function together(files: readonly string[]): readonly string[] {
  const folder = join(cache, 'together')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const groups = [...Map.groupBy(files, dirname)].flatMap(([of, all]) => {
    const size = Math.ceil(all.length / Math.ceil(all.length / MOST_TOGETHER))
    const begins = Array.from({ length: Math.ceil(all.length / size) }, (_, index) => index * size)
    return begins.map((begin) => ({ of, files: all.slice(begin, begin + size) }))
  })
  // The rules of the repository take longest and come first, so that nothing waits for them alone at the end.
  return groups.toReversed().map(({ of, files }, index) => {
    const path = join(folder, `${String(index).padStart(3, '0')}-${of.replaceAll(/[\\/]/g, '-')}.mjs`)
    writeFileSync(path, files.map((file) => `await import(${JSON.stringify(pathToFileURL(inRoot(file)))})\n`).join(''))
    return path
  })
}

/** One file a core, and one more that waits: most files spend part of their time on processes and timers. */
function concurrency(): string[] {
  return [`--test-concurrency=${navigator.hardwareConcurrency + 1}`]
}
