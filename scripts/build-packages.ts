import { spawnSync } from 'node:child_process'
import { copyFileSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { inRoot } from './root.ts'

// Makes packages/<name>/dist a package that can be published as it stands: JavaScript, declarations, the texts
// beside the code, and a package.json whose entry points are the built files. In the checkout nothing uses it.

interface PackageJson {
  private?: boolean
  exports: Record<string, string>
  [field: string]: unknown
}

for (const name of ['kernel', 'session', 'harness']) {
  const folder = inRoot('packages', name)
  const dist = join(folder, 'dist')
  rmSync(dist, { recursive: true, force: true })
  emit(folder, dist)
  copyTexts(join(folder, 'src'), dist)
  writeFileSync(join(dist, 'package.json'), `${JSON.stringify(published(folder), null, 2)}\n`)
  copyFileSync(inRoot('LICENSE'), join(dist, 'LICENSE'))
}

function emit(folder: string, dist: string): void {
  const config = join(folder, 'tsconfig.build.json')
  const { status } = spawnSync(inRoot('node_modules/.bin/tsc'), ['-p', config, '--outDir', dist], {
    stdio: 'inherit',
    shell: process.platform === 'win32',
  })
  if (status !== 0) process.exit(status ?? 1)
}

function copyTexts(src: string, dist: string): void {
  for (const path of globSync('**/*.md', { cwd: src })) {
    mkdirSync(dirname(join(dist, path)), { recursive: true })
    copyFileSync(join(src, path), join(dist, path))
  }
}

function published(folder: string): PackageJson {
  const source: PackageJson = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const { private: _, exports, ...rest } = source
  const built = Object.entries(exports).map(([key, path]) => [key, builtEntry(path)])
  return { ...rest, exports: Object.fromEntries(built) }
}

/** `./src/index.ts` is `./index.js` and `./index.d.ts` once built. */
function builtEntry(path: string): { types: string; default: string } {
  const bare = path.replace('./src/', './').replace(/\.ts$/, '')
  return { types: `${bare}.d.ts`, default: `${bare}.js` }
}
