import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { Bench, logOf, noHome, result, said, start } from './kit.ts'

/** Below a title that says nothing of it. */
const one = (text: string) => logOf([start(), said(`About this\n${text}`)])

describe('a search', () => {
  test('finds a word where a word begins with it, in any case, with or without accents', async () => {
    using bench = new Bench()
    bench.put('s-a', one('The Résumé of the parser, STRASSE'))
    for (const typed of ['resume', 'RÉSUMÉ', 'pars', 'straße', '"résumé of the"'])
      assert.deepEqual(await bench.find(typed), ['s-a:1'], typed)
    for (const typed of ['arser', '"resum of"', '"pars"']) assert.deepEqual(await bench.find(typed), [], typed)
  })

  test('finds one, two and more characters of scripts without spaces, wherever they stand', async () => {
    using bench = new Bench()
    bench.put('s-zh', one('修复rein会话列表的错误'))
    bench.put('s-ja', one('セッションを検索する'))
    for (const typed of ['会话', '话', '列表的错', '误', 'rein会话', '"修复rein"', 'REIN'])
      assert.deepEqual(await bench.find(typed), ['s-zh:1'], typed)
    for (const typed of ['検索', 'を', 'セッション', 'ション'])
      assert.deepEqual(await bench.find(typed), ['s-ja:1'], typed)
    for (const typed of ['话会', '会列', 'か']) assert.deepEqual(await bench.find(typed), [], typed)
  })

  test('every word has to be met, in whatever part of the session; a phrase in one place', async () => {
    using bench = new Bench()
    bench.put('s-both', logOf([start('/work/billing'), said('one apple'), result('two pears')]), '/work/billing')
    bench.put('s-half', one('an apple'))
    assert.deepEqual(await bench.find('apple pears'), ['s-both:1,2'])
    assert.deepEqual(await bench.find('billing apple'), ['s-both:1'])
    assert.deepEqual(await bench.find('"apple two"'), [])
  })

  test('what a person said counts more than a result, and a newer session more than an older one', async () => {
    using bench = new Bench()
    bench.put('s-result', logOf([start(), result('zebra')]))
    bench.put('s-said', one('zebra'))
    for (const at of [1, 2, 3, 4, 5]) bench.put(`s-other${at}`, one('nothing of it'))
    assert.deepEqual(await bench.find('zebra'), ['s-said:1', 's-result:1'])
    bench.now += 400 * 86_400_000
    bench.put('s-new', logOf([start(), result('zebra')]))
    assert.deepEqual((await bench.find('zebra'))[0], 's-new:1')
  })

  test('signs of the index are text like any other', async () => {
    using bench = new Bench()
    bench.put('s-a', one('a -> b; NOT (c OR d) "quoted" ***'))
    for (const typed of ['->', '***', 'NOT', 'OR', '(c', 'a AND', '"', '""', '* ->', 'said:a', '^a', 'a NEAR(b)'])
      await bench.find(typed)
    assert.deepEqual(await bench.find('***'), ['s-a:1'])
    assert.deepEqual(await bench.find('-> NOT'), ['s-a:1'])
    assert.deepEqual(bench.said, [])
  })

  test('a snippet is one line around the first match, which is marked', async () => {
    using bench = new Bench()
    bench.put('s-a', one(`${'before '.repeat(40)}the\n\tNeedle, ${'after '.repeat(60)}`))
    using index = await bench.index()
    const { found } = await index.search('needle', await index.list({ facts: false }), {
      now: 0,
      sessions: 5,
      places: 5,
    })
    const pieces = found[0]?.places[0]?.snippet ?? []
    assert.deepEqual(
      pieces.filter(({ match }) => match),
      [{ text: 'Needle', match: true }],
    )
    const text = pieces.map((piece) => piece.text).join('')
    assert.match(text, /^…before .* the Needle, after .*…$/)
    assert.ok(text.length < 200)
  })

  const words = fc.constantFrom(
    'foo',
    'Foo',
    'bar',
    'ba',
    'été',
    'ete',
    '会',
    '会话',
    '话录',
    'か',
    'が',
    'foo_bar',
    '->',
    '*',
    'x1',
    '"',
    'ß',
    '\u{1f600}',
    ' ',
  )
  const text = fc
    .array(fc.tuple(words, fc.constantFrom(' ', '', ' ', '-', '\n')), { minLength: 1, maxLength: 6 })
    .map((all) => all.flat().join(''))
  const query = fc.oneof(
    text,
    fc.tuple(text, text).map(([a, b]) => `"${a}" ${b}`),
    fc.string(),
  )

  test('the index finds exactly what reading every log finds', async () => {
    const logs = fc.array(fc.array(text, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 4 })
    await fc.assert(
      fc.asyncProperty(logs, fc.array(query, { minLength: 1, maxLength: 4 }), async (sessions, queries) => {
        using bench = new Bench()
        for (const [at, texts] of sessions.entries())
          bench.put(`s-${at}`, logOf([start('/'), ...texts.map((text) => result(text))]), '/')
        for (const typed of queries) {
          const indexed = await bench.find(typed)
          assert.deepEqual(new Set(indexed), new Set(await bench.find(typed, noHome)), JSON.stringify(typed))
        }
        assert.deepEqual(bench.said, [])
      }),
      { numRuns: 25 },
    )
  })
})
