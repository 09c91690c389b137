import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { place, problems, ready } from './fixture.ts'

// FROZEN: settings that were written once keep their meaning. New keys may be added; none of these may change.

const golden = (name: string): string => readFileSync(new URL(`golden/${name}`, import.meta.url), 'utf8')
/** What is effective, with the home of this run as `~`. */
const effective = (settings: object, home: string): unknown =>
  JSON.parse(JSON.stringify(settings).replaceAll(home, '~'))

test('the golden settings of a user mean what they meant', async (t) => {
  const here = place(t)
  here.write('home/rein.yaml', golden('user.yaml'))
  const { settings } = ready(await here.load())
  const expected: object = JSON.parse(golden('user.json'))
  assert.partialDeepStrictEqual(effective(settings, here.home), expected)
})

test('the golden layers of a user, a project and its local file mean together what they meant', async (t) => {
  const here = place(t)
  here.write('home/rein.yaml', golden('user.yaml'))
  here.write('project/.rein/rein.yaml', golden('project.yaml'))
  here.write('project/.rein/rein.local.yaml', golden('local.yaml'))
  const loaded = await here.load({ consent: 'withhold', harmlessRow: (id) => id === 'glob' || id === 'grep' })
  const { settings } = ready(loaded)
  assert.partialDeepStrictEqual(effective(settings, here.home), JSON.parse(golden('layers.json')))
  assert.equal(settings.budgets.steps, JSON.parse(golden('layers.json')).budgets.steps)
})

test('the golden mistakes are refused at the lines they were refused at', async (t) => {
  const here = place(t)
  here.write('home/rein.yaml', golden('wrong.yaml'))
  const found = problems(await here.load(), here)
  assert.deepEqual(
    found.map((line) => line.split(': ').slice(0, 2).join(': ')),
    JSON.parse(golden('wrong.json')),
  )
})
