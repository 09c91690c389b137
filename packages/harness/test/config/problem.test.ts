import assert from 'node:assert/strict'
import { test } from 'node:test'
import { place, problems } from './fixture.ts'

test('a change of a row that is not there is named with its place and the nearest row', async (t) => {
  const here = place(t)
  here.write('home/rein.yaml', 'plugins:\n  bsh: { enabled: false }\n  own: { use: ./own.ts }\n  zzz: { config: {} }\n')
  assert.deepEqual(problems(await here.load({ rowIds: ['bash', 'read'] }), here), [
    'home/rein.yaml:2:3: plugins.bsh: there is no such row; did you mean bash?',
    'home/rein.yaml:4:3: plugins.zzz: there is no such row; a new one needs a `use`',
  ])
})

test('a number that is too small is not told to be a number', async (t) => {
  const here = place(t)
  here.write('home/rein.yaml', 'budgets: { steps: -1 }\n')
  assert.deepEqual(problems(await here.load({}), here), [
    'home/rein.yaml:1:12: budgets.steps: expected a whole number of at least 1; this is a number that does not fit',
  ])
})
