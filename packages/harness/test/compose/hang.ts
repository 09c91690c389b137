import { plugin } from '@rein/kernel'
import { scriptedProvider } from '../../src/model/scripted.ts'
import { Tools } from '../../src/tools/ports.ts'
import { testTool } from '../agent/kit.ts'
import { product } from './kit.ts'

// A process whose call never ends: `node hang.ts HOME` prints its session's id once the call runs, and waits to be killed.

const hang = plugin({
  name: 'hang',
  needs: { tools: Tools },
  setup({ needs, scope }) {
    const run = async () => {
      console.log(agent.session.id)
      return new Promise<never>(() => undefined)
    }
    needs.tools.tools.add(scope, 'hang', testTool('hang', { effects: 'some', run }))
  },
})

const [, , home = ''] = process.argv
const provider = scriptedProvider({ name: 'demo', script: [{ calls: [{ name: 'hang', arguments: {} }] }] })
const on = await product(provider, { home, rows: [{ id: 'hang', plugin: hang }] })
const agent = await on.open()
await agent.post({ delivery: 'followup', content: [{ type: 'text', text: 'go' }], source: { kind: 'person' } })
setInterval(() => undefined, 1000)
