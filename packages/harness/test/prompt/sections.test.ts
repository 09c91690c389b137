import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Host, plugin, Scope } from '@rein/kernel'
import { Sections, SectionTable } from '../../src/prompt/sections.ts'

const holder = (sections: Sections) =>
  plugin({ name: 'sections', needs: {}, setup: ({ provide }) => provide(SectionTable, sections) })

const adds = (...list: readonly { name: string; order: number; text: string }[]) =>
  plugin({
    name: 'adds',
    needs: { sections: SectionTable },
    setup({ needs, scope }) {
      for (const section of list) needs.sections.add(scope, section)
    },
  })

test('sections stand in their order, whatever order they came in, and the record says whose they are', () => {
  const sections = new Sections()
  sections.add(new Scope('late'), { name: 'b', order: 10, text: ' second \n' })
  sections.add(new Scope('early'), { name: 'a', order: 5, text: 'first' })
  const made = sections.render()
  assert.equal(made.text, 'first\n\nsecond')
  const named = made.sections.map(({ name, owner, bytes }) => [name, owner, bytes])
  assert.deepEqual(named, [
    ['a', 'early', 5],
    ['b', 'late', 6],
  ])
})

for (const [what, name, order] of [
  ['the same order', 'other', 1],
  ['the same name', 'base', 2],
] as const)
  test(`two sections of ${what} are an error that names both owners, in one row too`, () => {
    const sections = new Sections()
    const first = new Scope('one')
    sections.add(first, { name: 'base', order: 1, text: 'x' })
    for (const scope of [new Scope('two'), first])
      assert.throws(
        () => sections.add(scope, { name, order, text: 'y' }),
        new RegExp(`${scope.owner} clashes.* of one`),
      )
    assert.equal(sections.render().text, 'x')
  })

test('a section leaves with its row', async () => {
  const sections = new Sections()
  const scope = new Scope('one')
  sections.add(scope, { name: 'a', order: 1, text: 'x' })
  await scope.close()
  assert.deepEqual(sections.render(), { text: '', sections: [] })
})

test('a section is not shown before its row runs', async () => {
  const sections = new Sections()
  let during = ''
  const host = new Host()
  const peeks = plugin({
    name: 'peeks',
    needs: { sections: SectionTable },
    setup({ needs, scope }) {
      needs.sections.add(scope, { name: 'a', order: 1, text: 'x' })
      during = sections.render().text
    },
  })
  await host.mountAll([
    { id: 'sections', plugin: holder(sections) },
    { id: 'peeks', plugin: peeks },
  ])
  assert.deepEqual([during, sections.render().text], ['', 'x'])
  await host[Symbol.asyncDispose]()
})

test('a row replaced by one of the same section shows the new text, and by one that fails keeps the old', async () => {
  const sections = new Sections()
  const host = new Host()
  const section = (text: string) => ({ name: 'a', order: 1, text })
  await host.mountAll([
    { id: 'sections', plugin: holder(sections) },
    { id: 'words', plugin: adds(section('old')) },
  ])
  await assert.rejects(host.replace('words', adds(section('bad'), section('bad'))), /clashes/)
  assert.equal(sections.render().text, 'old')
  await host.replace('words', adds(section('new')))
  assert.equal(sections.render().text, 'new')
  await host[Symbol.asyncDispose]()
  assert.equal(sections.render().text, '')
})
