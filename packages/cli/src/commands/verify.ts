import { nodeHasher, sessionParts } from '@rein/harness'
import {
  type Answer,
  type Failure,
  isSound,
  verify as prove,
  type Verification,
  type VerifyOptions,
} from '@rein/session'
import type { Args } from '../args.ts'
import type { Cli, Command } from '../cli.ts'
import { exits } from '../exit.ts'
import { usageFailure } from '../usage.ts'
import { count, counted } from '../view/amount.ts'
import { type Paint, paint } from '../view/paint.ts'
import { safeText } from '../view/safe-text.ts'
import { namedLog, refuse, type StoredLog, storedLog, storeOf } from './stored-log.ts'

/** `rein verify <id>|--all`: rebuild every request from the log and compare; check chain and rules. Repairs nothing. */
export const verify: Command = async (cli, args) => {
  if (args.has('all')) return args.words.length > 0 ? refuse(cli, notBoth) : verifyAll(cli)
  return verifyOne(cli, args)
}

const notBoth = usageFailure('`rein verify` takes a session or --all, not both.', 'Leave one of them out.')

async function verifyOne(cli: Cli, args: Args): Promise<number> {
  const stored = await namedLog(cli, storeOf(cli), args)
  if (!stored.ok) {
    const exit = refuse(cli, stored.failure)
    // A log of a newer format is there and cannot be proved here, which is not the caller's mistake.
    return stored.failure.code === 'FORMAT_TOO_NEW' ? exits.damaged : exit
  }
  const found = prove(stored.value.log, await proving(cli, stored.value))
  await cli.out(report(stored.value.id, found, paint(cli.color)))
  return isSound(found.answer) ? exits.done : exits.damaged
}

/** Problems that are shown; the number of the others is told. */
const MOST = 20

function report(id: string, found: Verification, colors: Paint): string {
  const { answer, proved, requests, events, head, problems } = found
  const shown = problems.slice(0, MOST).map((problem) => `  ${colors.yellow(safeText(problem))}`)
  const more = problems.length > MOST ? [`  … ${problems.length - MOST} more problems`] : []
  const lines = [
    `${answerIn(answer, colors)}  ${id}${means(answer)}`,
    `  requests  ${proved} of ${requests} proved byte for byte`,
    `  events    ${count(events)}`,
    `  head      ${head === '' ? '(none)' : head}`,
    ...shown,
    ...more,
  ]
  return `${lines.join('\n')}\n`
}

const answerIn = (answer: Answer, { green, red }: Paint): string => (isSound(answer) ? green : red)(answer)
const means = (answer: Answer): string =>
  answer === 'open tail' ? '  (it runs, or it was cut off; resume closes it)' : ''

/** One line a session, newest first, and a summary. */
async function verifyAll(cli: Cli): Promise<number> {
  const store = storeOf(cli)
  const colors = paint(cli.color)
  const answers = new Map<string, number>()
  let sound = true
  for (const { id } of await store.list()) {
    const stored = await storedLog(store, id)
    const line = stored.ok
      ? lineOf(prove(stored.value.log, await proving(cli, stored.value)))
      : unproved(stored.failure)
    sound &&= line.sound
    answers.set(line.answer, (answers.get(line.answer) ?? 0) + 1)
    const mark = (line.sound ? colors.green : colors.red)(line.answer.padEnd(15))
    await cli.out(`${[mark, safeText(id), ...line.rest.map(safeText)].join('  ')}\n`)
  }
  const total = [...answers.values()].reduce((sum, each) => sum + each, 0)
  const parts = [...answers].map(([answer, each]) => `${each} ${answer}`)
  await cli.out(`${counted(total, 'session')}${parts.length > 0 ? `: ${parts.join(', ')}` : ''}\n`)
  return sound ? exits.done : exits.damaged
}

interface Line {
  readonly answer: string
  readonly sound: boolean
  readonly rest: readonly string[]
}

function lineOf({ answer, proved, requests, events, problems }: Verification): Line {
  const numbers = `${proved}/${requests} requests  ${counted(events, 'event')}`
  return { answer, sound: isSound(answer), rest: [numbers, ...problems.slice(0, 1)] }
}

/** A session that was never written to has nothing to prove; one whose log is lost cannot be proved. */
function unproved({ code, message }: Failure): Line {
  if (code === 'SESSION_MISSING') return { answer: 'no log', sound: true, rest: [message] }
  return { answer: code === 'SESSION_DAMAGED' ? 'log gone' : 'unreadable', sound: false, rest: [message] }
}

/** Only of an empty log it matters whether somebody wrote to it before. */
async function proving({ home }: Cli, { id, log, blob }: StoredLog): Promise<VerifyOptions> {
  if (log.events.length > 0) return { hasher: nodeHasher, blob }
  const parts = (await sessionParts(home, Date.now)).find((each) => each.id === id)
  return { hasher: nodeHasher, blob, written: parts?.written === true }
}
