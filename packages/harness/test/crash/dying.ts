// Runs a script on a store and dies, as of kill -9, at the event named: `node dying.ts HOME STORE SCRIPT AT`, AT being a
// number of events, the type of one, or `never`. What it was told is safe and what it did stands in HOME/facts.
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { nodeHasher } from '../../src/store/hasher.ts'
import { processHolder } from '../../src/store/jsonl/holder.ts'
import { type CrashAgent, Process, type Start } from '../../src/testing/crash/process.ts'
import { crashScripts } from '../../src/testing/crash/scripts.ts'
import { World } from '../../src/testing/crash/world.ts'
import { openStore } from './stores.ts'

const [, , home = '', name = '', title = '', at = ''] = process.argv
const fact = (what: object): void => appendFileSync(join(home, 'facts'), `${JSON.stringify(what)}\n`)

class Dying extends Process {
  #events = 0

  override async open(start?: Start): Promise<CrashAgent> {
    const agent = await super.open(start)
    const { log } = agent.agent.session
    const lines = new Map<number, string>()
    log.onLine((line, { seq }) => lines.set(seq, line))
    log.onWritten(({ seq, type }) => {
      const line = lines.get(seq)
      if (line !== undefined) fact({ kind: 'line', session: agent.id, seq, line })
      if (type === at || ++this.#events === Number(at)) process.kill(process.pid, 'SIGKILL')
    })
    return agent
  }
}

const script = crashScripts.find((one) => one.name === title)
if (!script) throw new Error(`there is no script ${title}`)
const store = openStore(name, home)
const world = new World({ faults: script.faults ?? [], told: fact })
await script.play(
  new Dying({ store, other: openStore(name, home), world, holder: processHolder(), hasher: nodeHasher, number: 0 }),
)
fact({ kind: 'over' })
