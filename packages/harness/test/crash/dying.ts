// Runs a script on a store and dies, as of kill -9, at the event named: `node dying.ts HOME STORE SCRIPT AT NUMBER`, AT
// being a number of events, the type of one, or `never`, NUMBER telling processes of one home apart. What it was told is
// safe and what it did stands in HOME/facts-NUMBER. Ends with 1 and the code of what went wrong when it lost its session.
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { FailureError } from '@rein/session'
import { nodeHasher } from '../../src/store/hasher.ts'
import { processHolder } from '../../src/store/jsonl/holder.ts'
import { type CrashAgent, Process, type Start } from '../../src/testing/crash/process.ts'
import { crashScripts, longScript } from '../../src/testing/crash/scripts.ts'
import { World } from '../../src/testing/crash/world.ts'
import { openStore } from './stores.ts'

const [, , home = '', name = '', title = '', at = '', number = '0'] = process.argv
const fact = (what: object): void => appendFileSync(join(home, `facts-${number}`), `${JSON.stringify(what)}\n`)

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

const script = [...crashScripts, longScript].find((one) => one.name === title)
if (!script) throw new Error(`there is no script ${title}`)
const dying = new Dying({
  store: openStore(name, home),
  other: openStore(name, home),
  world: new World({ faults: script.faults ?? [], told: fact }),
  holder: processHolder(),
  hasher: nodeHasher,
  number: Number(number),
})
try {
  await script.play(dying)
  const failure = dying.failure()
  if (failure) throw new FailureError(failure)
  await dying.end()
  fact({ kind: 'over' })
} catch (error) {
  if (!(error instanceof FailureError)) throw error
  fact({ kind: 'over', code: error.failure.code })
  process.exitCode = 1
  await dying.end()
}
