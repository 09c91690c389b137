// A tool of one's own: a definition, and a row that adds it. Run it: node examples/02-own-tool.ts
import { fromValibot, providerRow, scriptedProvider, Tools, tool } from '@rein/harness'
import { plugin } from '@rein/kernel'
import * as v from 'valibot'
import { say, startAgent } from './server/agent.ts'

const dice = tool<{ sides: number }>({
  name: 'dice',
  description: 'Roll one die.',
  parameters: fromValibot(v.strictObject({ sides: v.pipe(v.number(), v.integer(), v.minValue(2)) })),
  effects: () => 'none',
  run: async ({ sides }) => ({ kind: 'done', content: `rolled ${Math.ceil(sides / 2)} of ${sides}` }),
})

const diceRow = plugin({
  name: 'dice',
  needs: { tools: Tools },
  setup: ({ needs, scope }) => needs.tools.tools.add(scope, 'dice', dice),
})

// The model first gives arguments that do not fit; the tool is not run, and the model is told how to do it right.
const script = [
  { calls: [{ name: 'dice', arguments: { sides: 'six' } }] },
  { calls: [{ name: 'dice', arguments: { sides: 6 } }] },
  { text: 'You rolled a three.' },
]
const { host, agent } = await startAgent({
  preset: 'minimal',
  provider: 'scripted',
  rows: [
    { id: 'dice', plugin: diceRow },
    { id: 'provider:scripted', plugin: providerRow(scriptedProvider({ script })) },
  ],
})
await say(agent, 'Roll.')
for (const event of agent.session.log.events)
  if (event.type === 'tool/result') console.log(event.data.outcome.kind, JSON.stringify(event.data.content))
await agent.close()
await host[Symbol.asyncDispose]()
