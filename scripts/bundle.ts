import { globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { build, type Metafile, type OutputFile } from 'esbuild'
import { inlineText } from './inline-text.ts'
import { lazyCommonJs } from './lazy-commonjs.ts'
import { inRoot, root } from './root.ts'

/** Found at run time: it looks for a binary beside itself. */
const EXTERNAL = ['@vscode/ripgrep']

/**
 * Bundles a program into `outdir`/main.js and, for what it imports lazily, parts of their own beside it, so that a
 * start pays only for what it uses.
 * @param threads what the program starts as a thread of its own, by the name it has beside main.js.
 * @throws when the program cannot be bundled; esbuild has then said why on stderr.
 */
export async function bundle(
  entry: string,
  outdir: string,
  threads: Readonly<Record<string, string>> = {},
): Promise<void> {
  const result = await build({
    absWorkingDir: root,
    entryPoints: { main: entry, ...threads },
    outdir,
    bundle: true,
    write: false,
    metafile: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    // `using` and `await using` are lowered for this one.
    target: 'node22.19',
    external: EXTERNAL,
    chunkNames: 'part-[hash]',
    // Names stay, so that stack traces can be read; white space and syntax are what a start pays for.
    minifySyntax: true,
    minifyWhitespace: true,
    sourcemap: 'linked',
    sourcesContent: false,
    legalComments: 'none',
    logLevel: 'warning',
    plugins: [inlineText(), lazyCommonJs()],
  })
  publish(outdir, result.outputFiles)
  writeFileSync(join(outdir, 'licenses.txt'), licenses(result.metafile))
}

/** Writes each file whole before the next one that names it, and only then removes what an earlier build left. */
function publish(outdir: string, files: readonly OutputFile[]): void {
  mkdirSync(outdir, { recursive: true })
  const partsFirst = files.toSorted((a, b) => Number(isMain(a)) - Number(isMain(b)))
  for (const { path, text } of partsFirst) {
    const whole = `${path}.${process.pid}.tmp`
    writeFileSync(whole, withRequire(text))
    renameSync(whole, path)
  }
  const current = new Set(files.map(({ path }) => basename(path)))
  for (const name of globSync('*.{js,map}', { cwd: outdir })) {
    if (!current.has(name)) rmSync(join(outdir, name), { force: true })
  }
}

function isMain({ path }: OutputFile): boolean {
  return basename(path) === 'main.js'
}

/** CommonJS packages ask for Node's modules with `require`, which a module does not have: the one part that needs it makes it. */
function withRequire(code: string): string {
  if (!/\b__require\s*=/.test(code)) return code
  const make = 'process.getBuiltinModule("node:module").createRequire(import.meta.url)'
  return `let made;const require=(name)=>(made??=${make})(name);${code}`
}

/** The licence of every package whose code is in the bundle, as those licences ask for. */
function licenses({ inputs }: Metafile): string {
  const folders = Object.keys(inputs).flatMap((path) => /^[^:]*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? [])
  return [...new Set(folders)].toSorted().map(licenseOf).join('\n')
}

function licenseOf(folder: string): string {
  const name = folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length)
  const file = globSync('{LICENSE,LICENCE,license,COPYING}*', { cwd: inRoot(folder) })[0]
  if (file === undefined) throw new Error(`${name} is bundled and has no licence file`)
  return `${name}\n${'-'.repeat(name.length)}\n${readFileSync(inRoot(folder, file), 'utf8').trim()}\n`
}
