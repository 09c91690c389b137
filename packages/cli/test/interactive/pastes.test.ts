import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { Pastes, type Piece } from '../../src/interactive/pastes.ts'
import { TypedLine } from '../../src/interactive/typed-line.ts'

const heard = (...chunks: readonly string[]): readonly Piece[] => {
  const pastes = new Pastes()
  return [...chunks.flatMap((chunk) => pastes.take(chunk)), ...pastes.rest()]
}
const keys = (text: string): Piece => ({ kind: 'keys', text })
const paste = (text: string): Piece => ({ kind: 'paste', text })
const ESC = '\u001b'
const marked = (text: string): string => `${ESC}[200~${text}${ESC}[201~`

describe('a marked paste', () => {
  test('is one piece with its line breaks, and keys around it stay keys', () => {
    assert.deepEqual(heard(`a${marked('one\r\ttwo\r\nthree\n')}\r`), [
      keys('a'),
      paste('one\n\ttwo\nthree\n'),
      keys('\r'),
    ])
  })

  test('is the same however the terminal cuts it', () => {
    const sent = `ab${marked('one\rtwo\u2028x')}c${marked('three')}${ESC}[A`
    fc.assert(
      fc.property(fc.array(fc.nat({ max: sent.length }), { maxLength: 6 }), (cuts) => {
        const at = [0, ...cuts.sort((a, b) => a - b), sent.length]
        const pieces = heard(...at.slice(1).map((end, index) => sent.slice(at[index], end)))
        const typed = pieces.filter(({ kind }) => kind === 'keys').map(({ text }) => text)
        assert.equal(typed.join(''), `abc${ESC}[A`)
        assert.deepEqual(
          pieces.filter(({ kind }) => kind === 'paste'),
          [paste('one\ntwo\nx'), paste('three')],
        )
      }),
      { numRuns: 60 },
    )
  })

  test('brings no control characters into the line', () => {
    assert.deepEqual(heard(marked(`${ESC}[31mred${ESC}[0m ${ESC}[2J\u0003end`)), [paste('red [2Jend')])
  })

  test('whose end does not come is over when nothing comes', () => {
    const pastes = new Pastes()
    assert.deepEqual(pastes.take(`${ESC}[200~lost`), [])
    assert.equal(pastes.waits, 'end of a paste')
    assert.deepEqual([...pastes.rest(), ...pastes.take('\u0003')], [paste('lost'), keys('\u0003')])
  })
})

describe('where pastes are not marked', () => {
  test('lines that come at once are one paste, the last line end is the key', () => {
    assert.deepEqual(heard('one\rtwo\r'), [paste('one\ntwo'), keys('\r')])
    assert.deepEqual(heard('one\rtwo', 'more\rthree'), [paste('one\ntwomore\nthree')])
  })

  test('a line and its end are keys, and so is whatever holds a control key', () => {
    for (const typed of ['one\r', '\r\r', 'x', `y\r${ESC}[A`, 'x\r\u0003'])
      assert.deepEqual(heard(typed), [keys(typed)])
  })

  test('the escape key is kept no longer than until nothing comes', () => {
    const pastes = new Pastes()
    assert.deepEqual([pastes.take(ESC), pastes.waits], [[], 'moment'])
    assert.deepEqual([pastes.rest(), pastes.waits], [[keys(ESC)], 'nothing'])
  })
})

describe('a line that is typed', () => {
  test('gives back the line breaks of what was pasted into it, also when it is recalled', () => {
    const line = new TypedLine()
    const shown = line.pasted('one\ntwo')
    assert.ok(!shown.includes('\n'))
    assert.equal(line.end(`see: ${shown}`), 'see: one\ntwo')
    assert.equal(line.end(shown), 'one\ntwo')
  })

  test('keeps the characters of a paste that look like a mark', () => {
    const line = new TypedLine()
    assert.equal(line.end(line.pasted('press ⏎\nor ␤')), 'press ⏎\nor ␤')
    assert.equal(new TypedLine().end('press ⏎'), 'press ⏎')
  })

  test('goes on after a backslash at its end, not after an escaped one, until it is given up', () => {
    const line = new TypedLine()
    assert.deepEqual(
      [line.end('one\\'), line.end('two\\'), line.end('three')],
      [undefined, undefined, 'one\ntwo\nthree'],
    )
    assert.equal(line.end('C:\\\\'), 'C:\\\\')
    assert.deepEqual([line.end('one\\'), line.drop('tw'), line.end('new')], [undefined, 'one\ntw', 'new'])
  })
})
