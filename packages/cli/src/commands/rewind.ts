import { processHolder } from '@rein/harness'
import {
  type Failure,
  type LiveSession,
  planRewind,
  type Result,
  resumeSession,
  rewind as rewindLog,
} from '@rein/session'
import type { Cli, Command } from '../cli.ts'
import { exits } from '../exit.ts'
import { realPorts } from '../ports.ts'
import { openedText } from '../view/marks.ts'
import { paint } from '../view/paint.ts'
import { changesNothing, rewindText } from '../view/rewind-text.ts'
import { namedId, refuse, storedLog, storeOf } from './stored-log.ts'

/**
 * `rein rewind <id> --to SEQ`: what came after that event leaves what the model sees. Nothing leaves the log, and
 * rewinding to the event before the rewind takes it back.
 */
export const rewind: Command = async (cli, args) => {
  const asked = args.value('to')
  if (asked === undefined) return refuse(cli, noPlace)
  const store = storeOf(cli)
  const id = await namedId(cli, store, args)
  if (!id.ok) return refuse(cli, id.failure)
  // Looked at first: what is refused, or changes nothing, leaves no trace in the log.
  const stored = await storedLog(store, id.value)
  if (!stored.ok) return refuse(cli, stored.failure)
  const { events } = stored.value.log
  const plan = planRewind(events, Number(asked))
  if (!plan.ok) return refuse(cli, plan.failure)
  const onlyTold = args.has('dry-run') || changesNothing(plan.value)
  const done = onlyTold ? undefined : await rewound(cli, id.value, Number(asked))
  if (done?.ok === false) return refuse(cli, done.failure)
  const colors = paint(cli.color)
  const width = cli.terminal ? (process.stdout.columns ?? 100) : 100
  for (const line of rewindText(plan.value, { events, colors, width })) await cli.out(`${line}\n`)
  if (!done) return exits.done
  cli.err(`${colors.dim(`rewound to event ${plan.value.to}; files stay as they are`)}\n`)
  cli.err(`${colors.dim(`take it back with: rein rewind ${id.value} --to ${done.value - 1}`)}\n`)
  return exits.done
}

/** @returns the seq of the rewind. */
async function rewound(cli: Cli, id: string, asked: number): Promise<Result<number>> {
  const options = { store: storeOf(cli), ports: realPorts, holder: processHolder(), rein: cli.version }
  const session = await resumeSession(options, id)
  if (!session.ok) return { ok: false, failure: held(session.failure, asked) }
  return closing(session.value, () => {
    for (const text of openedText(session.value)) cli.err(`${paint(cli.color).red(text)}\n`)
    const done = rewindLog(session.value.log, { to: asked })
    return done.ok ? { ok: true, value: done.value.seq } : done
  })
}

async function closing<T>(session: LiveSession, work: () => T): Promise<T> {
  try {
    return work()
  } finally {
    await session.close()
  }
}

const noPlace: Failure = {
  code: 'USAGE',
  message: '`rein rewind` needs --to SEQ: the last event the model still sees.',
  next: '`rein show <id> --tree` has the turns and where each ends.',
}

/** Whoever holds the session can rewind it. */
const held = (failure: Failure, asked: number): Failure =>
  failure.code === 'SESSION_BUSY'
    ? { ...failure, next: `Rewind it there with \`/rewind @${asked}\`, or end that process first.` }
    : failure
