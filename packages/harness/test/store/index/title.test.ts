import assert from 'node:assert/strict'
import { test } from 'node:test'
import { columnsOf, titleOf } from '../../../src/store/index/title.ts'

test('a title is the first line a person wrote, without what was attached, pasted or quoted', () => {
  for (const [prompt, title] of [
    ['\n  Fix   the\tparser \nplease', 'Fix the parser'],
    ['File notes.md:\n```\nFix that\n```\nSum this up', 'Sum this up'],
    ['```\nTypeError: x\n```\n\nwhat is this?', 'what is this?'],
    ['<context>\n> they said\n---\nDo it', 'Do it'],
    ['```\nonly a paste', '```'],
    ['', ''],
  ] as const)
    assert.equal(titleOf(prompt), title, JSON.stringify(prompt))
})

test('a title is at most 80 columns wide, also of characters that take two', () => {
  for (const letter of ['x', '字', '\u{1f600}']) {
    const title = titleOf(letter.repeat(200))
    assert.ok(columnsOf(title) <= 80 && columnsOf(title) >= 78, `${columnsOf(title)}`)
    assert.ok(title.endsWith('…'))
  }
})

// By a pattern that tries every way to divide the space, this takes hours.
test('a title is found behind any amount of white space', () => {
  for (const space of [' ', '\t', '\u2003']) assert.equal(titleOf(`${space.repeat(19_000)}word`), 'word')
})
