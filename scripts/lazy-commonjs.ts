import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Plugin } from 'esbuild'

const NAMESPACE = 'lazy-commonjs'

/**
 * Gives a CommonJS package that is imported with `import()` the names Node gives it.
 * A bundler cannot know them and offers only `default`, so that `const { parse } = await import('yaml')` would work
 * from source and fail from the bundle. Here Node itself is asked, at build time.
 */
export function lazyCommonJs(): Plugin {
  return {
    name: NAMESPACE,
    setup(build) {
      build.onResolve({ filter: /^[^./]/ }, async ({ kind, path, resolveDir, pluginData }) => {
        if (kind !== 'dynamic-import' || pluginData === NAMESPACE) return undefined
        const found = await build.resolve(path, { kind, resolveDir, pluginData: NAMESPACE })
        if (found.external || found.errors.length > 0 || !isCommonJs(found.path)) return found
        return { path: found.path, namespace: NAMESPACE, sideEffects: false }
      })
      build.onLoad({ filter: /.*/, namespace: NAMESPACE }, async ({ path }) => {
        return { contents: await wrapper(path), loader: 'js', resolveDir: dirname(path) }
      })
    },
  }
}

/** A module that exports what Node sees in a CommonJS file. */
async function wrapper(path: string): Promise<string> {
  const seen: object = await import(pathToFileURL(path).href)
  const names = Object.keys(seen).filter((name) => name !== 'default' && /^[A-Za-z_$][\w$]*$/.test(name))
  return `import whole from ${JSON.stringify(path)}\nexport default whole\nexport const { ${names.join(', ')} } = whole\n`
}

/** Node's rule: the extension decides, or else the nearest package.json. */
function isCommonJs(path: string): boolean {
  if (!path.endsWith('.js')) return path.endsWith('.cjs')
  let folder = dirname(path)
  while (!existsSync(join(folder, 'package.json')) && folder !== dirname(folder)) folder = dirname(folder)
  const { type }: { type?: string } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  return type !== 'module'
}
