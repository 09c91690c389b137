import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { inRoot } from '../scripts/root.ts'
import { paths, read } from './tree.ts'

/** What stands here for a reader who has only this checkout means nothing, or dates at once. */
const FOREIGN: Readonly<Record<string, RegExp>> = {
  'a path of somebody’s machine':
    /\/work\/(main|shared|\.library)\b|\/tmp\/team|\/(home|Users)\/(?!me\b|user\b|you\b|ada\b|USER\b)\w+\//,
  'a folder beside the checkout': /\.\.\/shared\/|\bshared\/(design|reference|cases|hooks|seeds)\b/,
  'a package host': /"resolved": "https?:|registry\.npmjs\.|registry\.yarnpkg\.|\b(artifactory|verdaccio)\b/,
  'a number of a tracker': /\b(issue|ticket|pull request|PR) ?#?\d+\b/i,
  'how it was written':
    /co-authored-by|generated (by|with) (claude|chatgpt|copilot|codex|an? (ai|llm|agent))|\bas an ai\b/i,
}

const files = paths('*', '.ci/*', '.github/**/*', '{docs,packages,test,scripts,bench,examples}/**/*').filter(
  (path) => path !== 'test/words.test.ts' && /\.\w+$|^LICENSE$|^\.ci\//.test(path) && !/\.(png|wasm|zip)$/.test(path),
)

for (const [what, pattern] of Object.entries(FOREIGN)) {
  test(`no file holds ${what}`, () => {
    const found = files.flatMap((path) =>
      lines(path).flatMap((line, index) => (pattern.test(line) ? [`${path}:${index + 1} ${line.trim()}`] : [])),
    )
    assert.deepEqual(found, [])
  })
}

test('package-lock.json names a Node for every platform development happens on', () => {
  const { packages }: { packages: Record<string, unknown> } = JSON.parse(read('package-lock.json'))
  const { optionalDependencies }: { optionalDependencies: Record<string, string> } = JSON.parse(read('package.json'))
  const missing = Object.keys(optionalDependencies).filter((name) => !packages[`node_modules/${name}`])
  assert.deepEqual(missing, [])
})

test('CHANGELOG.md has a section for what is not released', () => {
  assert.match(read('CHANGELOG.md'), /^## \[?Unreleased\]?$/m)
})

test('AGENTS.md has at most 900 words', () => {
  const words = read('AGENTS.md').split(/\s+/).filter(Boolean)
  assert.ok(words.length <= 900, `${words.length} words`)
})

test('a link in the docs leads to a file that is there', () => {
  const known = new Set(paths('**/*', '.ci/*'))
  const broken = paths('*.md', 'docs/**/*.md', 'packages/*/*.md').flatMap((path) =>
    links(path).filter(({ to }) => !known.has(to) && ![...known].some((file) => file.startsWith(`${to}/`))),
  )
  assert.deepEqual(
    broken.map(({ from, to }) => `${from} -> ${to}`),
    [],
  )
})

function lines(path: string): string[] {
  return readFileSync(inRoot(path), 'utf8').split('\n')
}

/** Relative links of one page, without the part after `#`. */
function links(path: string): { from: string; to: string }[] {
  const targets = [...read(path).matchAll(/\]\((?!\w+:|#)(?<to>[^)#\s]+)/g)].map(({ groups }) => groups?.to ?? '')
  return targets.map((to) => ({
    from: path,
    to: new URL(to, `file:///${path}`).pathname.slice(1).replace(/\/$/, ''),
  }))
}
