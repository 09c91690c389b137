import type { ScriptedReply } from '../../model/scripted-reply.ts'
import { compacting } from './compacting.ts'
import type { Process } from './process.ts'

/** A run that is crashed at every place. */
export interface CrashScript {
  readonly name: string
  /** What goes wrong with the model's replies, one after the other. */
  readonly faults?: readonly Partial<ScriptedReply>[]
  /** Do it, until nothing runs any more. Rejects when the process dies on the way. */
  play(process: Process): Promise<void>
}

const orders =
  (...texts: readonly string[]) =>
  async (process: Process): Promise<void> => {
    const agent = await process.open()
    for (const text of texts) await agent.say(text)
  }

const overloaded = { failure: { code: 'OVERLOADED', message: 'later' } } as const

async function queue(process: Process): Promise<void> {
  const agent = await process.open()
  process.moments.set('act1', async () => {
    await agent.post('do: act2', 'steer')
    await agent.post('do: act3')
    await agent.postFromElsewhere('do: look1', 'elsewhere-1', 'inject')
    await agent.postFromElsewhere('do: act4', 'elsewhere-2', 'steer')
    await agent.postFromElsewhere('do: act5', 'elsewhere-3')
  })
  await agent.say('do: act1')
}

/** The second input waits when the first turn ends, which is where the fork is made; it is the parent's alone. */
async function forked(process: Process): Promise<void> {
  const parent = await process.open()
  process.moments.set('act1', () => parent.post('do: act2'))
  await parent.say('do: act1')
  const at = parent.agent.session.log.events.find(({ type }) => type === 'turn/end')?.seq ?? 0
  const child = await process.open({ kind: 'fork', id: parent.id, at })
  await child.say('do: act3')
}

/** Back to before the second input: what it did stays done, and the model is not told of it any more. */
async function rewound(process: Process): Promise<void> {
  const agent = await process.open()
  const { log } = agent.agent.session
  await agent.say('do: act1')
  const to = log.events.length - 1
  await agent.say('do: act2 | look1')
  await agent.agent.maintain(async () => void log.append('session/rewound', { to, by: 'person' }))
  await agent.say('do: act3')
}

/** Cancelled while a call runs and something waits, which is then parked until somebody says something. */
async function cancelled(process: Process): Promise<void> {
  const agent = await process.open()
  process.moments.set('act1', async () => {
    await agent.post('do: act2')
    void agent.agent.cancel()
  })
  await agent.say('do: act1 | look1')
  await agent.say('do: act3')
}

async function compacted(process: Process): Promise<void> {
  const agent = await process.open()
  compacting(agent)
  await agent.say('do: act1 | look1+look2')
  await agent.say('do: act2')
}

async function everything(process: Process): Promise<void> {
  const agent = await process.open()
  compacting(agent)
  process.moments.set('act1', async () => {
    await agent.post('do: ask1 | ask2', 'steer')
    await agent.postFromElsewhere('do: act4', 'elsewhere-1')
  })
  await agent.say('do: look1+look2+act1 | act2 | look3')
  await agent.say('do: ask9')
}

/** Between them they open everything that can be open when a process dies. */
export const crashScripts: readonly CrashScript[] = [
  { name: 'one call', play: orders('do: act1') },
  { name: 'parallel calls', play: orders('do: look1+look2+look3 | act1+look4') },
  { name: 'approvals', play: orders('do: ask1 | ask2+look1', 'do: ask9') },
  { name: 'retries', faults: [overloaded, { finish: null }, {}, overloaded], play: orders('do: act1 | look1') },
  { name: 'a cut reply', faults: [{ finish: 'length' }], play: orders('do: act1', 'do: act2') },
  { name: 'queued input', play: queue },
  { name: 'a fork', play: forked },
  { name: 'a rewind', play: rewound },
  { name: 'a cancelled turn', play: cancelled },
  { name: 'a compaction', play: compacted },
  { name: 'everything', faults: [overloaded, {}, { finish: 'length' }], play: everything },
]

/** One turn of many calls, for processes that are frozen in the middle of it. */
export const longScript: CrashScript = {
  name: 'many calls',
  play: orders(
    `do: ${Array.from({ length: 120 }, (_, n) => (n % 3 === 2 ? `look${n}+look${n + 500}` : `act${n}`)).join(' | ')}`,
  ),
}
