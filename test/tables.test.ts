import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commands } from '../packages/cli/src/flags.ts'
import { eventsPage } from '../scripts/docs.ts'
import { eventTypes } from '../scripts/events-page.ts'
import { field, list, nameOf } from '../scripts/syntax.ts'
import { read, tree } from './tree.ts'

test('docs/events.md says what the event union says', () => {
  assert.equal(read('docs/events.md'), eventsPage(), 'when this is meant, run: npm run docs')
})

test('an event type stands in one family only', () => {
  assert.deepEqual(eventTypes().toSorted(), [...new Set(eventTypes())].toSorted())
})

test('docs/failures.md has one row for each failure code, with a meaning and a next step', () => {
  const rows = read('docs/failures.md').matchAll(/^\| `(?<code>\w+)` \| (?<meaning>.*) \| (?<next>.*) \|$/gm)
  const complete = [...rows].flatMap(({ groups }) => (groups?.meaning && groups.next ? [groups.code] : []))
  assert.deepEqual(complete.toSorted(), failureCodes().toSorted())
})

test('README.md has one row for each command', () => {
  const rows = [...read('README.md').matchAll(/^\| `rein (?<command>[a-z]+(?: [a-z]+)?)\b[^`]*` \|/gm)]
  const named = rows.map(({ groups }) => groups?.command)
  assert.deepEqual(named.toSorted(), commands.map(({ name }) => name).toSorted())
})

/** The members of `FailureCode`, as written. */
function failureCodes(): (string | undefined)[] {
  const declared = list(tree('packages/session/src/failure.ts').program, 'body').map((node) =>
    field(node, 'declaration'),
  )
  const union = declared.find((node) => nameOf(field(node, 'id')) === 'FailureCode')
  return list(field(union, 'typeAnnotation'), 'types').map((type) => nameOf(field(type, 'literal')))
}
