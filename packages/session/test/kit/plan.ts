import fc from 'fast-check'

// What a session goes through, drawn at random; `play.ts` turns it into a log that keeps every rule.

const awkward = [
  'hello',
  'é ü 𝄞 中',
  'a\ud800b',
  'line\u2028paragraph\u2029',
  '"quoted" \\ and {"seq":1}',
  `,"hash":"${'0'.repeat(64)}"}`,
  'nul \0 and \ufffd',
  'two\nlines\r\n',
]

/** Text that says something. */
export const words = fc.oneof(
  fc.constantFrom(...awkward),
  fc.string({ minLength: 1, maxLength: 12 }).map((text) => `t${text}`),
)

const outcome = fc.constantFrom('done', 'failed', 'timed-out', 'cancelled', 'edit')
const ask = fc.constantFrom('none', 'none', 'none', 'allowed', 'denied', 'unanswered', 'question', 'guard')

export const callPlan = fc.record({
  name: fc.constantFrom('read', 'bash', 'edit'),
  args: fc.constantFrom('{}', '{"path":"a"}', '', 'not json', '[1]'),
  parallel: fc.boolean(),
  outcome,
  ask,
  text: words,
})
export type CallPlan = typeof callPlan extends fc.Arbitrary<infer T> ? T : never

export const stepPlan = fc.record({
  kind: fc.constantFrom('calls', 'calls', 'calls', 'cut', 'steer'),
  retries: fc.nat({ max: 1 }),
  calls: fc.array(callPlan, { minLength: 1, maxLength: 3 }),
  text: fc.option(words),
  reasoning: fc.option(words),
  chunks: fc.boolean(),
  inject: fc.option(words),
})
export type StepPlan = typeof stepPlan extends fc.Arbitrary<infer T> ? T : never

export const ends = ['answer', 'answer', 'cut', 'failed', 'cancelled', 'budget', 'blocked'] as const
export const sides = [
  'compact',
  'prune',
  'rewind',
  'tools',
  'parameters',
  'mode',
  'grant',
  'sandbox',
  'plan',
  'note',
  'job',
  'child',
  'command',
  'files',
  'title',
  'resume',
  'queue',
  'fork',
  'migrated',
] as const

export const turnPlan = fc.record({
  posts: fc.array(fc.tuple(fc.constantFrom('followup', 'steer', 'inject'), words), { maxLength: 2 }),
  picture: fc.boolean(),
  steps: fc.array(stepPlan, { maxLength: 3 }),
  end: fc.constantFrom(...ends),
  text: words,
  sides: fc.array(fc.constantFrom(...sides), { maxLength: 3 }),
})
export type TurnPlan = typeof turnPlan extends fc.Arbitrary<infer T> ? T : never

/** A few turns, long enough to meet most things and short enough to run a hundred of them. */
export const sessionPlan = fc.array(turnPlan, { minLength: 1, maxLength: 4 })
