import assert from 'node:assert/strict'
import { linkSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, test } from 'node:test'
import type { PermissionMode } from '@rein/session'
import fc from 'fast-check'
import { decidePath, type PathRules, pathRules } from '../../src/ask/paths.ts'
import type { Verdict } from '../../src/ask/verdict.ts'
import { realPath } from './real-path.ts'

let base = ''
let rules: PathRules

before(async () => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'rein-paths-')))
  for (const folder of [
    'W/src',
    'W/vendor/sub/.git/hooks',
    'W/.git',
    'O',
    'T',
    'home/sessions/s1/own.spill',
    'me/.ssh',
  ]) {
    mkdirSync(join(base, folder), { recursive: true })
  }
  writeFileSync(join(base, 'O/secret.txt'), 'S')
  symlinkSync(join(base, 'O'), join(base, 'W/out'))
  symlinkSync(join(base, 'O/new.txt'), join(base, 'W/dangling.txt'))
  linkSync(join(base, 'O/secret.txt'), join(base, 'W/hard.txt'))
  symlinkSync(join(base, 'W/src'), join(base, 'W/pkg'))
  symlinkSync(join(base, 'W/loop'), join(base, 'W/loop'))
  symlinkSync(join(base, 'W/vendor/sub/.git'), join(base, 'W/git-link'))
  symlinkSync(join(base, 'me/.ssh'), join(base, 'W/keys'))
  symlinkSync(join(base, 'W'), join(base, 'link-to-W'))
  rules = await rulesFor(join(base, 'W'))
})

after(() => rmSync(base, { recursive: true }))

function rulesFor(workspace: string): Promise<PathRules> {
  return pathRules({
    workspaces: [workspace],
    temp: [join(base, 'T')],
    home: join(base, 'home'),
    userHome: join(base, 'me'),
    readable: [join(base, 'home/sessions/s1/own.spill')],
    resolve: realPath,
  })
}

const decide = (
  kind: 'read' | 'write',
  path: string,
  as: PermissionMode | 'full-access, person' = 'workspace-write',
) => {
  const person = as === 'full-access, person'
  const mode = person ? 'full-access' : as
  return decidePath({ kind, path: path.startsWith('/') ? path : join(base, path) }, { mode, person }, rules)
}

const said = (verdict: Verdict): string => (verdict.kind === 'deny' ? verdict.code : verdict.kind)

/** The cases of fixtures/perm/paths.json that are about the decision of a file tool, in its words. */
const cases: readonly (readonly [path: string, expected: string])[] = [
  ['W/src/a.txt', 'allow'],
  ['W/pkg/b.txt', 'allow'],
  ['W/new/deep/c.txt', 'allow'],
  ['T/scratch.txt', 'allow'],
  ['W/src/../../O/x', 'OUTSIDE_WORKSPACE'],
  ['W/out/x', 'OUTSIDE_WORKSPACE'],
  ['W/dangling.txt', 'OUTSIDE_WORKSPACE'],
  ['W/loop/x', 'UNRESOLVABLE'],
  ['W/vendor/sub/.git/hooks/pre-commit', 'PROTECTED_PATH'],
  ['W/vendor/sub/.git/config', 'PROTECTED_PATH'],
  ['W/git-link/hooks/pre-commit', 'PROTECTED_PATH'],
  ['W/.git/config', 'PROTECTED_PATH'],
  ['W/new/.git/hooks/pre-commit', 'PROTECTED_PATH'],
  ['W/new/.git', 'PROTECTED_PATH'],
  ['W/new/.GIT/config', 'PROTECTED_PATH'],
  ['W/new/.g\u200cit/config', 'PROTECTED_PATH'],
  ['W/new/.git. /config', 'PROTECTED_PATH'],
  ['W/.rein/rein.yaml', 'PROTECTED_PATH'],
  ['W/.github/workflows/ci.yml', 'allow'],
  ['W/.gitignore', 'allow'],
  ['W/keys/authorized_keys', 'PROTECTED_PATH'],
  ['home/consents.yaml', 'PROTECTED_PATH'],
  ['O/x', 'OUTSIDE_WORKSPACE'],
  ['W2/x', 'OUTSIDE_WORKSPACE'],
  ['/etc/passwd', 'OUTSIDE_WORKSPACE'],
]

for (const [path, expected] of cases) {
  test(`in workspace-write, writing ${JSON.stringify(path)} is ${expected}`, async () => {
    assert.equal(said(await decide('write', path)), expected)
  })
}

test('in read-only nothing is written, in the workspace neither', async () => {
  assert.equal(said(await decide('write', 'W/src/a.txt', 'read-only')), 'READ_ONLY')
  assert.equal(said(await decide('write', 'T/a.txt', 'read-only')), 'READ_ONLY')
})

test('keys, sessions and credentials are not read below full-access, through links neither', async () => {
  for (const mode of ['read-only', 'workspace-write'] as const) {
    for (const path of [
      'me/.ssh/id_ed25519',
      'me/.aws',
      'W/keys/id_ed25519',
      'home/credentials.yaml',
      'home/secret-key',
    ]) {
      assert.equal(said(await decide('read', path, mode)), 'PROTECTED_PATH', path)
    }
    for (const path of [
      'home/sessions/s1/other.jsonl',
      'home/index.sqlite-wal',
      'me/.config/chromium/Default/Cookies',
    ]) {
      assert.equal(said(await decide('read', path, mode)), 'PROTECTED_PATH', path)
    }
    assert.equal(said(await decide('read', 'O/secret.txt', mode)), 'allow')
    assert.equal(said(await decide('read', 'home/sessions/s1/own.spill/out.txt', mode)), 'allow')
    assert.equal(said(await decide('read', 'W/loop/x', mode)), 'UNRESOLVABLE')
  }
})

test('full-access reads and writes anything, and asks about protected paths only when somebody is there', async () => {
  assert.equal(said(await decide('write', 'O/x', 'full-access, person')), 'allow')
  assert.equal(said(await decide('read', 'me/.ssh/id_ed25519', 'full-access, person')), 'allow')
  assert.equal(said(await decide('write', 'W/.git/hooks/pre-commit', 'full-access, person')), 'ask')
  assert.equal(said(await decide('write', 'W/git-link/config', 'full-access, person')), 'ask')
  assert.equal(said(await decide('write', 'W/.git/hooks/pre-commit', 'full-access')), 'allow')
})

test('a workspace that is reached through a link works', async () => {
  const linked = await rulesFor(join(base, 'link-to-W'))
  const write = (path: string) =>
    decidePath({ kind: 'write', path: join(base, path) }, { mode: 'workspace-write', person: false }, linked)
  assert.equal(said(await write('link-to-W/src/c.txt')), 'allow')
  assert.equal(said(await write('link-to-W/.git/config')), 'PROTECTED_PATH')
  assert.equal(said(await write('link-to-W/out/x')), 'OUTSIDE_WORKSPACE')
})

test('where .git is a link to a repository kept elsewhere in the workspace, that one is protected too', async (t) => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'rein-store-')))
  t.after(() => rmSync(folder, { recursive: true }))
  mkdirSync(join(folder, 'store/hooks'), { recursive: true })
  symlinkSync(join(folder, 'store'), join(folder, '.git'))
  const stored = await rulesFor(folder)
  for (const path of ['.git/hooks/x', 'store/hooks/x']) {
    const verdict = await decidePath(
      { kind: 'write', path: join(folder, path) },
      { mode: 'workspace-write', person: false },
      stored,
    )
    assert.equal(said(verdict), 'PROTECTED_PATH', path)
  }
})

test('a link that a command makes after the rules were made does not lead a write outside', async () => {
  symlinkSync(join(base, 'O'), join(base, 'W/n'))
  assert.equal(said(await decide('write', 'W/n/x')), 'OUTSIDE_WORKSPACE')
})

test('no write that is allowed leads outside the writable folders, whatever links there are', async () => {
  const name = fc.constantFrom('a', 'b', 'c', '..', '.git', 'W', 'O')
  const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'))
  const links = fc.array(fc.record({ at: path, to: path, outside: fc.boolean() }), { maxLength: 4 })
  await fc.assert(
    fc.asyncProperty(links, path, async (made, target) => {
      const root = realpathSync(mkdtempSync(join(base, 'tree-')))
      mkdirSync(join(root, 'W'))
      mkdirSync(join(root, 'O'))
      for (const { at, to, outside } of made) makeLink(root, join('W', at), outside ? join(root, 'O', to) : to)
      const tree = await rulesFor(join(root, 'W'))
      const access = { kind: 'write' as const, path: join(root, 'W', target) }
      const verdict = await decidePath(access, { mode: 'workspace-write', person: true }, tree)
      if (verdict.kind === 'allow') assert.ok(await landsInside(access.path, join(root, 'W')), target)
      rmSync(root, { recursive: true })
    }),
    { numRuns: 60 },
  )
})

function makeLink(root: string, at: string, to: string): void {
  const path = join(root, at)
  if (!path.startsWith(join(root, 'W/'))) return
  try {
    mkdirSync(dirname(path), { recursive: true })
    symlinkSync(to, path)
  } catch (error) {
    // The place is taken, or the way to it leads through another link: one link less in this tree.
    assert.match(String(error), /EEXIST|ENOTDIR|ELOOP|ENOENT/)
  }
}

/** Writes the file and asks the operating system where it is. */
async function landsInside(path: string, workspace: string): Promise<boolean> {
  try {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, '')
  } catch (error) {
    assert.match(String(error), /EISDIR|EEXIST|ENOTDIR|ENOENT|ELOOP/)
    return true
  }
  const real = realpathSync(path)
  return real.startsWith(`${workspace}/`)
}
