import { processHolder, restore } from '@rein/harness'
import {
  type Failure,
  type LiveSession,
  planRewind,
  type Result,
  type Rewind,
  resumeSession,
  rewind as rewindLog,
  type SessionEvent,
} from '@rein/session'
import { agreed } from '../agreed.ts'
import type { Args } from '../args.ts'
import type { Cli, Command } from '../cli.ts'
import { exits } from '../exit.ts'
import { type FilesBack, filesBack } from '../files-back.ts'
import { realPorts } from '../ports.ts'
import { usageFailure } from '../usage.ts'
import { changesFiles, filesText, restoredText } from '../view/files-text.ts'
import { openedText } from '../view/marks.ts'
import { paint } from '../view/paint.ts'
import { changesNothing, rewindText } from '../view/rewind-text.ts'
import { namedLog, refuse, storeOf } from './stored-log.ts'

/**
 * `rein rewind <id> --to SEQ`: what came after that event leaves what the model sees. Nothing leaves the log, and
 * rewinding to the event before the rewind takes it back. With `--files` what was changed since goes back too.
 */
export const rewind: Command = async (cli, args) => {
  const asked = args.value('to')
  if (asked === undefined) return refuse(cli, noPlace)
  if (args.has('overwrite') && !args.has('files')) return refuse(cli, onlyFiles)
  // Looked at first: what is refused, or changes nothing, leaves no trace in the log.
  const stored = await namedLog(cli, storeOf(cli), args)
  if (!stored.ok) return refuse(cli, stored.failure)
  const { id } = stored.value
  const { events } = stored.value.log
  const plan = planRewind(events, Number(asked))
  if (!plan.ok) return refuse(cli, plan.failure)
  const at = { id, events, to: plan.value.to }
  const back = args.has('files') ? await filesBack({ cli, args }, at) : undefined
  if (back?.ok === false) return refuse(cli, back.failure)
  await using files = back?.value
  return await goBack(cli, args, { id, asked: Number(asked), events, plan: plan.value, files })
}

interface Way {
  readonly id: string
  readonly asked: number
  readonly events: readonly SessionEvent[]
  readonly plan: Rewind
  readonly files: FilesBack | undefined
}

async function goBack(cli: Cli, args: Args, way: Way): Promise<number> {
  const { id, plan, events, files } = way
  const overwrite = args.has('overwrite')
  const colors = paint(cli.color)
  const width = cli.terminal ? (process.stdout.columns ?? 100) : 100
  const lines = [
    ...rewindText(plan, { events, colors, width }),
    ...(files ? filesText(files.plan, { colors, overwrite }) : []),
  ]
  const idle = changesNothing(plan) && !(files && changesFiles(files.plan, overwrite))
  const asks = files !== undefined && cli.terminal && cli.stdin.isTTY && !args.has('dry-run') && !idle
  if (asks) for (const line of lines.splice(0)) await cli.out(`${line}\n`)
  const wanted = !asks || (await agreed(cli, 'Go back?'))
  const done = idle || !wanted || args.has('dry-run') ? undefined : await rewound(cli, way, overwrite)
  if (done?.ok === false) return refuse(cli, done.failure)
  for (const line of lines) await cli.out(`${line}\n`)
  if (!done) return exits.done
  const { seq, told } = done.value
  const stay = files ? told : ['files stay as they are']
  cli.err(`${colors.dim(`rewound to event ${plan.to}; ${stay.join('\n')}`)}\n`)
  const withFiles = files ? ' --files' : ''
  cli.err(`${colors.dim(`take it back with: rein rewind ${id} --to ${seq - 1}${withFiles}`)}\n`)
  return exits.done
}

/** @returns the seq of the first event of it, and what is said of the files. */
async function rewound(
  cli: Cli,
  { id, asked, files, plan }: Way,
  overwrite: boolean,
): Promise<Result<{ readonly seq: number; readonly told: readonly string[] }>> {
  const options = { store: storeOf(cli), ports: realPorts, holder: processHolder(), rein: cli.version }
  const session = await resumeSession(options, id, cli.cwd)
  if (!session.ok) return { ok: false, failure: held(session.failure, asked) }
  return closing(session.value, async () => {
    const { log } = session.value
    for (const text of openedText(session.value)) cli.err(`${paint(cli.color).red(text)}\n`)
    const seq = log.events.length
    const done = changesNothing(plan) ? undefined : rewindLog(log, { to: asked })
    if (done?.ok === false) return done
    if (!files) return { ok: true, value: { seq, told: [] } }
    await log.synced()
    const restored = await restore(files.plan, { undo: files.undo, log, overwrite })
    return restored.ok
      ? { ok: true, value: { seq, told: restoredText(restored.value, files.plan, overwrite) } }
      : restored
  })
}

async function closing<T>(session: LiveSession, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } finally {
    await session.close()
  }
}

const noPlace = usageFailure(
  '`rein rewind` needs --to SEQ: the last event the model still sees.',
  '`rein show <id> --tree` has the turns and where each ends.',
)

const onlyFiles = usageFailure('--overwrite is about files that somebody else changed.', 'Say --files too.')

/** Whoever holds the session can rewind it. */
const held = (failure: Failure, asked: number): Failure =>
  failure.code === 'SESSION_BUSY'
    ? { ...failure, next: `Rewind it there with \`/rewind @${asked}\`, or end that process first.` }
    : failure
