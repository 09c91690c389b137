import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { render } from '../../src/view/render.ts'
import { fewLines, oneLine, safeJson, safeText, shownJson } from '../../src/view/safe-text.ts'
import { event, result } from './events.ts'

const ESC = '\u001b'
/** Anything a terminal would obey, or that reorders or hides what is read. */
const dangerous = /[\p{Cc}\p{Bidi_Control}\u2028\u2029\u200b\u2060\ufeff\u{e0000}-\u{e007f}]/u
const hostile = fc.string({
  unit: fc.oneof(
    fc.constantFrom(...'\u001b[]0;mA\u0007\r\b\u009b\u202e\u2066\u200b\ufeff\n\t'),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
  ),
})

const withoutLines = (text: string): string => text.replaceAll(/[\n\t]/g, '')

describe('text for a terminal', () => {
  test('holds nothing a terminal obeys and nothing that hides or reorders, whatever it was', () => {
    fc.assert(fc.property(hostile, (text) => assert.doesNotMatch(withoutLines(safeText(text)), dangerous)))
  })

  test('is safe in every place of a rendered event', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const events = [
          event('user/message', { content: [{ type: 'text', text }], source: { kind: 'plugin', name: text } }),
          event('session/title', { title: text, by: 'person' }),
          event('tool/call', {
            turn: 1,
            step: 1,
            call: 'c',
            name: text,
            arguments: text,
            parallel: false,
            effects: 'none',
          }),
          result({ kind: 'denied', by: text, reason: text }),
          result({ kind: 'failed', failure: { code: 'NOT_FOUND', message: text, next: text } }),
          result({ kind: 'done' }, { text }),
          result({ kind: 'done' }, { view: { kind: 'command', output: text, signal: text, outputPath: text } }),
          result({ kind: 'done' }, { view: { kind: 'diff', path: text, diff: text, added: 1, removed: 1 } }),
          result({ kind: 'done' }, { view: { kind: 'paths', paths: [text], total: 1 } }),
          result({ kind: 'done' }, { view: { kind: 'todo', items: [{ text, state: 'done' }] } }),
          event('approval/asked', { id: 'a', call: 'c', what: text }),
          event('approval/decided', { id: 'a', decision: 'denied', by: text, words: text }),
          event('sandbox/denied', { call: 'c', what: 'write', target: text }),
          event('session/fork', { id: 'b', parent: text, at: 1, hash: '' }),
        ]
        for (const each of events) assert.doesNotMatch(withoutLines(render(each, { color: false }) ?? ''), dangerous)
      }),
      { numRuns: 60 },
    )
  })

  test('loses the colours of a command and shows every other escape', () => {
    assert.equal(safeText(`${ESC}[31mred${ESC}[0m ${ESC}]0;title\u0007 ${ESC}[2J`), 'red ␛]0;title␇ ␛[2J')
  })

  test('shows a carriage return that would overwrite, and not the one of a line end', () => {
    assert.equal(safeText('safe\rrm -rf\r\nnext'), 'safe␍rm -rf\nnext')
  })

  test('keeps letters, emoji and their joiners', () => {
    const text = 'Grüße, 日本語, 👩‍💻, नमस्ते'
    assert.equal(safeText(text), text)
  })
})

test('JSON for a terminal is the same value', () => {
  fc.assert(
    fc.property(hostile, (text) => {
      const shown = safeJson(JSON.stringify({ text }))
      assert.doesNotMatch(shown, dangerous)
      assert.equal(JSON.parse(shown).text, JSON.parse(JSON.stringify({ text })).text)
    }),
  )
})

test('one line is at most as long as it may be, and whole characters', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 20 }), (text, most) => {
      const line = oneLine(text, most)
      assert.ok([...line].length <= most && line.isWellFormed() && !line.includes('\n'))
    }),
  )
})

test('few lines are never more than allowed and one that tells how many are missing', () => {
  fc.assert(
    fc.property(fc.nat(40), fc.integer({ min: 1, max: 12 }), (many, most) => {
      const lines = fewLines(Array.from({ length: many + 1 }, (_, at) => `${at}`).join('\n'), most)
      const [, missing = '0'] = /^… (\d+) more/.exec(lines.find((line) => line.startsWith('…')) ?? '') ?? []
      const kept = lines.filter((line) => !line.startsWith('…')).length
      assert.ok(lines.length <= most + 1)
      assert.equal(kept + Number(missing), many + 1)
    }),
  )
})

test('JSON is written as it is for a program, and with escapes for a terminal', () => {
  const value = { title: '\u202ea' }
  assert.equal(shownJson({ terminal: false }, value), '{"title":"\u202ea"}')
  assert.equal(shownJson({ terminal: true }, value), '{"title":"\\u202ea"}')
})
