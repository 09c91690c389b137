// A guard of one's own. It can only refuse: returning nothing lets a call pass, and no other plugin can undo a refusal.
// Run it: node examples/04-own-guard.ts
import { providerRow, scriptedProvider, Tools } from '@rein/harness'
import { plugin } from '@rein/kernel'
import { say, startAgent } from './server/agent.ts'

const noDiaries = plugin({
  name: 'no-diaries',
  needs: { tools: Tools },
  setup({ needs, scope }) {
    needs.tools.guardCall.guard(scope, 'no-diaries', ({ accesses }) =>
      accesses.some((access) => access.kind !== 'command' && access.path.endsWith('diary.txt'))
        ? 'diaries are private'
        : undefined,
    )
  },
})

const script = [{ calls: [{ name: 'read', arguments: { path: 'diary.txt' } }] }, { text: 'I may not read that.' }]
const { host, agent } = await startAgent({
  preset: 'minimal',
  provider: 'scripted',
  rows: [
    { id: 'no-diaries', plugin: noDiaries },
    { id: 'provider:scripted', plugin: providerRow(scriptedProvider({ script })) },
  ],
})
await say(agent, 'Read it.')
for (const event of agent.session.log.events)
  if (event.type === 'tool/result') console.log(JSON.stringify(event.data.outcome))
await agent.close()
await host[Symbol.asyncDispose]()
