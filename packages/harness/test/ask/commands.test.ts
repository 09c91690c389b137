import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PermissionMode } from '@rein/session'
import fc from 'fast-check'
import { type CommandSituation, decideCommand } from '../../src/ask/commands.ts'
import { destructive } from '../../src/ask/destructive.ts'
import { shown } from '../../src/ask/shown.ts'

const decide = (command: string, situation: Partial<CommandSituation>) =>
  decideCommand(
    { command, cwd: '/w' },
    { mode: 'workspace-write', backend: 'none', person: false, granted: () => false, ...situation },
  )

const confining: readonly PermissionMode[] = ['read-only', 'workspace-write']

test('with a sandbox a command runs confined, asked by nobody', () => {
  for (const mode of confining) {
    for (const backend of ['full', 'partial'] as const) {
      for (const person of [true, false])
        assert.deepEqual(decide('rm -rf x', { mode, backend, person }), { kind: 'allow' })
    }
  }
})

test('without a sandbox a person is asked about each command, is told that nothing confines it, and offered a grant', () => {
  for (const mode of confining) {
    const verdict = decide('npm test', { mode, person: true })
    assert.equal(verdict.kind, 'ask')
    if (verdict.kind !== 'ask') return
    assert.match(verdict.what, /^Run npm test\? Nothing confines/)
    assert.deepEqual(verdict.detail, {
      command: 'npm test',
      shown: 'npm test',
      cwd: '/w',
      offer: { scope: 'session', rule: 'npm test' },
    })
  }
})

test('without a sandbox and without a person a command is refused', () => {
  for (const mode of confining) {
    const verdict = decide('true', { mode })
    assert.equal(verdict.kind === 'deny' && verdict.code, 'UNCONFINED')
  }
})

test('a granted command runs and is not asked about again', () => {
  const granted = (command: string) => command === 'npm test'
  for (const person of [true, false]) {
    const verdict = decide('npm test', { person, granted })
    assert.equal(verdict.kind, 'allow')
  }
  assert.equal(decide('npm test; rm x', { person: true, granted }).kind, 'ask')
})

test('in full-access commands run, and destructive ones ask when a person is there', () => {
  const mode = 'full-access'
  assert.deepEqual(decide('npm test', { mode, person: true }), { kind: 'allow' })
  const verdict = decide('rm -rf src', { mode, person: true })
  assert.equal(verdict.kind === 'ask' && verdict.what, 'Run rm -rf src? It deletes a whole folder.')
  assert.deepEqual(decide('rm -rf src', { mode, person: false }), { kind: 'allow' })
  assert.deepEqual(decide('rm -rf src', { mode, person: true, granted: () => true }), { kind: 'allow' })
})

const dangerous = [
  'rm -rf build',
  'rm -fr build',
  'rm -r -f build',
  'rm --recursive x',
  '/bin/rm -Rf x',
  '\\rm -rf x',
  "r''m -rf x",
  'mv a b && rm -r c',
  'ls | xargs rm -rf',
  'echo "$(rm -rf x)"',
  'echo `rm -rf x`',
  'echo "a $(echo "b"; rm -rf x) c"',
  'echo "`rm -rf x`"',
  'cat x>/dev/sda',
  "sh -c 'rm -rf x'",
  'bash -lc "cd a; rm -rf x"',
  'eval "rm -rf x"',
  'sudo -u root rm -rf x',
  'timeout 5 nice env A=1 rm -rf x',
  'if true; then rm -rf x; fi',
  'function f { rm -rf x; }; f',
  'find . -name x -delete',
  'find . -exec rm -r {} +',
  'git reset --hard HEAD~1',
  'git -C sub reset --hard',
  'git -c a.b=c clean -fdX',
  'git clean -d --force',
  'git push -f origin main',
  'git push --force-with-lease',
  'git push origin +main',
  'git push origin :old',
  'git checkout -- .',
  'git restore src',
  'git branch -D topic',
  'git stash clear',
  'mkfs.ext4 /dev/sda1',
  'dd if=x of=/dev/sda',
  'chmod -R 777 .',
  'chown -R me .',
  'cat x > /dev/sda',
  'cat x >/dev/nvme0n1',
  'shutdown -h now',
  'shred secret',
  'ls \\\n; rm -rf x',
]

for (const command of dangerous) {
  test(`${JSON.stringify(command)} is recognised as destructive`, () =>
    assert.notEqual(destructive(command), undefined))
}

const harmless = [
  'rm file.txt',
  'git status',
  'git reset HEAD file',
  'git clean -n',
  'git clean -nfd',
  'git push origin main',
  'git checkout main',
  'git restore --staged src',
  'git branch -d topic',
  "grep 'rm -rf' notes.txt",
  'echo "$(date) ; rm -rf x"',
  'echo "rm -rf x"',
  'npm run shutdown-tests',
  'make > /dev/null 2>&1',
  'chmod +x run',
  'find . -name x',
  'dd if=/dev/zero of=disk.img count=1',
]

for (const command of harmless) {
  test(`${JSON.stringify(command)} is not taken for destructive`, () => assert.equal(destructive(command), undefined))
}

test('any text at all can be judged, and a destructive command stays one whatever is put before it', () => {
  const any = fc.oneof(
    fc.string(),
    fc.array(fc.constantFrom('"', "'", '`', '$(', ')', '\\', '\n', '>', ' ', 'sh -c', 'rm'), {}).map((p) => p.join('')),
  )
  fc.assert(
    fc.property(any, (text) => {
      destructive(text)
      const balanced = text.replaceAll(/["'\\<>]/g, '')
      assert.notEqual(destructive(`${balanced}; rm -rf x`), undefined)
    }),
    { numRuns: 200 },
  )
})

test('what a person is shown hides nothing', () => {
  assert.equal(shown('ls \u200b; rm x'), 'ls \\u{200b}; rm x')
  assert.equal(shown(`ls${'\t'.repeat(38)}; rm x`), 'ls \\t{38} ; rm x')
  assert.equal(shown(`ls${' '.repeat(200)}; rm x`), 'ls [200 blanks] ; rm x')
  assert.equal(shown('a\n\n\n\n\n\nrm x'), 'a\n[6 line ends]\nrm x')
  assert.equal(shown('echo \u202e\u001b[2Krm'), 'echo \\u{202e}\\u{1b}[2Krm')
  assert.equal(shown('echo grüße 日本 👍'), 'echo grüße 日本 👍')
})
