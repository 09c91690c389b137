import {
  addUsage,
  type Failure,
  FailureError,
  fold,
  type SessionEvent,
  transcript,
  type Usage,
  usage,
} from '@rein/session'
import type { Args } from '../args.ts'
import type { Cli, Command } from '../cli.ts'
import { exits } from '../exit.ts'
import { cutReply, openReply } from '../view/cut-reply.ts'
import { damageText } from '../view/marks.ts'
import { paint } from '../view/paint.ts'
import { render } from '../view/render.ts'
import { safeJson } from '../view/safe-text.ts'
import { tokenLine } from '../view/token-line.ts'
import { UnshownCalls } from '../view/unshown-calls.ts'
import { namedId, refuse, type StoredLog, storedLog, storeOf } from './stored-log.ts'

/** `rein show <id>`: the transcript, the raw log, the exact bytes of one request, or what differs between two. */
export const show: Command = async (cli, args) => {
  const views = ['events', 'request', 'diff', 'tree'].filter((flag) => args.has(flag))
  if (args.has('from')) views.push('from')
  if (views.length > 1) return refuse(cli, oneView(views))
  const store = storeOf(cli)
  const id = await namedId(cli, store, args)
  if (!id.ok) return refuse(cli, id.failure)
  if (args.has('events')) return showEvents(cli, id.value)
  const stored = await storedLog(store, id.value)
  if (!stored.ok) return refuse(cli, stored.failure)
  if (args.has('request')) return showRequest(cli, stored.value, args.value('request') ?? '')
  if (args.has('diff')) return showDiff(cli, stored.value, args)
  if (args.has('tree')) return showTree(cli, stored.value)
  const from = Number(args.value('from') ?? 0)
  const last = stored.value.log.events.at(-1)?.seq ?? 0
  return from > last ? refuse(cli, beyondEnd(from, last)) : showTranscript(cli, stored.value, from)
}

const oneView = (views: readonly string[]): Failure => ({
  code: 'USAGE',
  message: `${views.map((view) => `--${view}`).join(' and ')} are different views.`,
  next: 'Choose one.',
})

const beyondEnd = (from: number, last: number): Failure => ({
  code: 'USAGE',
  message: `there is no event ${from}; the last is ${last}`,
  next: '`rein show <id> --tree` has the turns and where each ends.',
})

/** @param from the first event that is shown; what came before it is read all the same. */
async function showTranscript(cli: Cli, { log }: StoredLog, from: number): Promise<number> {
  const { entries, shadowed } = fold(transcript, log.events)
  const [start] = log.events
  const cwd = start?.type === 'session/start' ? start.data.cwd : ''
  const width = widthOf(cli)
  const calls = new UnshownCalls()
  for (const event of entries) {
    const options = { color: cli.color, width, cwd, shadowed: shadowed.has(event.seq), unshown: calls.next(event) }
    const shown = event.seq < from ? undefined : (cutReply(event, log.events, options) ?? render(event, options))
    if (shown !== undefined) await cli.out(`${shown}\n`)
  }
  const open = openReply(log.events, { color: cli.color, width, cwd })
  if (open !== undefined) await cli.out(`${open}\n`)
  const spent = fold(usage, log.events)
  if (spent.requests > 0) await cli.out(`${paint(cli.color).dim(tokenLine(spent, lastTurn(log.events)))}\n`)
  if (log.events.length === 0) cli.err('The log holds no event.\n')
  for (const one of log.openEnd ? [] : log.damage) cli.err(`${paint(cli.color).red(damageText(one))}\n`)
  return exits.done
}

const widthOf = (cli: Cli): number => (cli.terminal ? Math.max(40, process.stdout.columns ?? 100) : 100)

/** Tokens of the last turn, retries included. */
function lastTurn(events: readonly SessionEvent[]): Usage {
  const from = events.findLastIndex(({ type }) => type === 'turn/start')
  const settled = events.slice(Math.max(from, 0)).flatMap((event) => {
    return event.type === 'request/settled' && event.data.usage !== null ? [event.data.usage] : []
  })
  return settled.reduce(addUsage, { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 })
}

/** The log as it lies there. On a terminal what it would obey is escaped, which JSON reads as the same. */
async function showEvents(cli: Cli, id: string): Promise<number> {
  const bytes = await storeOf(cli).read(id)
  if (!bytes.ok) return refuse(cli, bytes.failure)
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  const shown = (text: string): string => (cli.terminal ? safeJson(text) : text)
  try {
    for await (const block of bytes.value) await cli.out(shown(decoder.decode(block, { stream: true })))
    await cli.out(shown(decoder.decode()))
    return exits.done
  } catch (error) {
    if (error instanceof FailureError) return refuse(cli, error.failure)
    throw error
  }
}

/** Byte for byte, without a line end; on a terminal what it would obey is escaped, and that is said. */
async function showRequest(cli: Cli, stored: StoredLog, typed: string): Promise<number> {
  const { sentRequest } = await import('./sent-request.ts')
  const request = sentRequest(stored, Number(typed))
  if (!request.ok) return refuse(cli, request.failure)
  const text = request.value.body.toString('utf8')
  const shown = cli.terminal ? safeJson(text) : text
  await cli.out(shown)
  if (shown !== text)
    cli.err('\nSome characters are shown as escapes; into a file or a pipe the bytes go as they are.\n')
  return exits.done
}

async function showTree(cli: Cli, { log }: StoredLog): Promise<number> {
  const { turnTree } = await import('../view/session-tree.ts')
  const shown = turnTree(log.events, { color: cli.color, width: widthOf(cli) })
  if (shown !== '') await cli.out(`${shown}\n`)
  return exits.done
}

async function showDiff(cli: Cli, stored: StoredLog, args: Args): Promise<number> {
  const [{ sentRequest }, { requestDiff }] = await Promise.all([
    import('./sent-request.ts'),
    import('./request-diff.ts'),
  ])
  const [first, second] = (args.value('diff') ?? '').split(/\s+/).map(Number)
  const one = sentRequest(stored, first ?? 0)
  if (!one.ok) return refuse(cli, one.failure)
  const other = sentRequest(stored, second ?? 0)
  if (!other.ok) return refuse(cli, other.failure)
  await cli.out(await requestDiff(one.value, other.value, { events: stored.log.events, paint: paint(cli.color) }))
  return exits.done
}
