import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Args, parseCommandLine } from '../src/args.ts'
import { commands, flags } from '../src/flags.ts'
import { help } from '../src/help.ts'
import { problemText } from '../src/problem-text.ts'

function read(...argv: string[]): Args {
  const line = parseCommandLine(argv)
  if (!line.ok) assert.fail(problemText(line.problem))
  return line.args
}

function problem(...argv: string[]): string {
  const line = parseCommandLine(argv)
  return line.ok ? assert.fail(`${argv.join(' ')} was accepted`) : problemText(line.problem)
}

test('an unknown name is answered with the one that was meant', () => {
  assert.match(problem('--jsno', '-p', 'x'), /no flag --jsno; did you mean --json\?/)
  assert.match(problem('-x'), /no flag -x/)
  assert.match(problem('sesions'), /no command "sesions"; did you mean sessions\?/)
  assert.match(problem('--mode', 'read-onyl', '-p', 'x'), /did you mean read-only\?/)
  assert.match(problem('--base-url', 'u', '--dialect', 'smtp', '-p', 'x'), /--dialect cannot be "smtp"/)
})

test('a command that has not landed does not exist', () => {
  for (const name of ['explain', 'serve', 'completion']) assert.match(problem(name), /no command/)
  for (const name of ['--plan', '--schema', '--max-cost', '--allow-host']) assert.match(problem(name), /no flag/)
})

test('a word may name a command under another, unless it stands behind --', () => {
  assert.equal(read('sessions', 'title', 's-1', 'New').command, 'sessions title')
  assert.deepEqual(read('sessions', '--json', 'trash').words, [])
  const looked = read('sessions', '--', 'title')
  assert.deepEqual([looked.command, looked.words], ['sessions', ['title']])
  assert.equal(read('sessions', 'about', 'title').command, 'sessions')
  assert.match(problem('sessions', 'title', 's-1'), /^sessions title needs <id> TITLE/)
  assert.match(help('sessions'), /^rein sessions title <id> TITLE/m)
})

test('a flag that makes no sense for the command is refused', () => {
  assert.match(problem('verify', 'last', '--json'), /--json makes no sense for rein verify; it is for .*rein sessions/)
  assert.match(problem('--request', '1'), /--request makes no sense for a session; it is for rein show/)
  assert.match(problem('--timeout', '5'), /--timeout makes sense only with -p/)
})

test('a second task is refused, not dropped; of any other flag the last one counts', () => {
  assert.match(problem('-p', 'one', '--print', 'two'), /-p is given twice/)
  assert.equal(read('-p', 'one', '--model', 'a/b', '--model', 'c/d').value('model'), 'c/d')
})

test('each flag takes the kind of value it says', () => {
  assert.match(problem('-p', 'x', '--max-steps', '0'), /whole number from 1/)
  assert.match(problem('-p', 'x', '--timeout', 'soon'), /takes seconds/)
  assert.match(problem('-p', 'x', '--timeout', '9999999999'), /up to 2147483/)
  assert.match(problem('-p'), /--print needs TEXT/)
  assert.match(problem('--json=yes', '-p', 'x'), /--json takes no value/)
  assert.match(problem('show', 'last', '--diff', '1'), /two whole numbers/)
  assert.equal(read('demo', '--seed', '0').value('seed'), '0')
  assert.match(problem('demo', '--seed', 'x'), /whole number from 0/)
  assert.equal(read('-p', 'x', '--timeout', '.5').value('timeout'), '.5')
})

test('a flag is not swallowed as the value of the one before, unless it is said to be meant', () => {
  assert.match(problem('-p', '--json', 'task'), /--print needs TEXT, and --json looks like a flag/)
  assert.equal(read('--print=--json').value('print'), '--json')
  assert.equal(read('-p', '- first\n- second').value('print'), '- first\n- second')
  assert.equal(read('-p', '-').value('print'), '-')
})

test('a flag of two words takes both, wherever it stands', () => {
  const before = read('show', '--diff', '1', '2', 'last')
  const after = read('show', 'last', '--diff', '1', '2')
  for (const args of [before, after]) assert.deepEqual([args.value('diff'), args.words], ['1 2', ['last']])
})

test('what follows a task is its files, also when it is named like a command', () => {
  const args = read('-p', 'compare', 'show', 'verify', '@-')
  assert.deepEqual([args.command, args.words], ['', ['show', 'verify', '@-']])
  assert.deepEqual(read('resume', 's-1', '-p', 'go on', 'a.md').words, ['s-1', 'a.md'])
})

test('a command takes the words it says and no more', () => {
  assert.match(problem('show'), /^show needs <id>/)
  assert.match(problem('show', 'a', 'b'), /takes no "b"/)
  assert.match(problem('resume', 'a', 'b'), /one too many/)
  assert.equal(read('show', '--help').has('help'), true)
})

test('no command line makes it throw, and every flag it accepts is one of the table', () => {
  const known = flags.flatMap(({ name, short }) => [`--${name}`, ...(short === undefined ? [] : [`-${short}`])])
  const word = fc.oneof(fc.constantFrom(...known, ...commands.map(({ name }) => name), '--', '-', '='), fc.string())
  fc.assert(
    fc.property(fc.array(word, { maxLength: 8 }), (argv) => {
      const line = parseCommandLine(argv)
      if (!line.ok) return problemText(line.problem).length > 0
      return commands.some(({ name }) => name === line.args.command) || line.args.command === ''
    }),
    { numRuns: 300 },
  )
})

test('what a command is for stands in one column of every help', () => {
  for (const command of ['', 'sessions']) {
    const rows = help(command)
      .split('\n')
      .filter((line) => line.startsWith('rein '))
      .slice(command === '' ? 0 : 1)
    const starts = rows.map((line) => line.length - (/ {2,}(\S.*)$/.exec(line)?.[1]?.length ?? 0))
    assert.ok(rows.length > 3)
    assert.deepEqual([...new Set(starts)], [Math.max(...starts)], rows.join('\n'))
  }
})

test('the help of the program names every command, and the help of a command every flag that is for it', () => {
  const all = help('')
  for (const { name } of commands) assert.match(all, new RegExp(`^rein ${name}`, 'm'))
  for (const { name, on } of flags) {
    for (const command of on) assert.match(help(command), new RegExp(`--${name}( |$)`, 'm'))
  }
})
