import type { Replayed } from '@rein/harness'
import { count, counted, size } from './amount.ts'
import type { Paint } from './paint.ts'
import { safeText } from './safe-text.ts'

type Divergence = NonNullable<Replayed['divergence']>
type Place = Divergence['place']

/** What a replay came to, for people. */
export function replayText(replayed: Replayed, colors: Paint): string {
  const { divergence, live, id } = replayed
  const differ = live?.differences ?? []
  const isSame = !divergence && differ.length === 0
  const lines = [
    `${isSame ? colors.green('the same') : colors.red('not the same')}  ${safeText(id)}`,
    `  ${counted(replayed.requests, 'request')} byte for byte, ${counted(replayed.same, 'event')}; ${counted(replayed.given, 'event')} given`,
    ...extent(replayed).map((line) => `  ${colors.dim(line)}`),
    ...(divergence ? diverged(divergence, colors) : []),
    ...differ.flatMap(({ seq, name, place }) => [
      `${colors.yellow(`event ${seq}`)}  tool/result of ${safeText(name)}, run today: ${safeText(place.path)}`,
      ...both(place, colors),
    ]),
  ]
  return `${lines.join('\n')}\n`
}

/** What was not driven, or not to the end. */
function extent({ copied, lost, open, live }: Replayed): readonly string[] {
  return [
    ...(copied > 0 ? [`events before ${copied} were copied from another session and are given`] : []),
    ...lost.map(({ from, until }) => `events ${from} to ${until - 1} are not replayed: what stood before them is lost`),
    ...(open ? ['the log ends inside a turn, and was replayed up to there'] : []),
    ...(live
      ? [
          `${counted(live.ran, 'call')} ran for real, in a copy of the workspace as it is now (${count(live.entries)} entries, ${size(live.bytes)})`,
        ]
      : []),
    ...(live && live.kept > 0
      ? [
          `${counted(live.kept, 'call')} kept the recorded result: without a terminal nothing runs that the settings of today (permissions.mode) do not allow, or that needed a person's yes`,
        ]
      : []),
  ]
}

function diverged({ seq, type, cause, place, request }: Divergence, colors: Paint): readonly string[] {
  return [
    `${colors.yellow(`event ${seq}`)}  ${type}: ${colors.bold(safeText(cause))}`,
    ...(place.path === 'type' ? [] : [`  at ${safeText(place.path)}`]),
    ...both(place, colors),
    ...(request
      ? [
          `${colors.yellow(`event ${request.seq}`)}  request ${safeText(request.id)}: other bytes from byte ${count(request.byte)} on, at ${safeText(request.path)}`,
        ]
      : []),
  ]
}

const both = ({ was, now }: Place, { green, red }: Paint): readonly string[] => {
  const [before, after] = aroundDifference(textOf(was), textOf(now))
  return [`  then  ${red(safeText(before))}`, `  now   ${green(safeText(after))}`]
}

const textOf = (value: Place['was']): string =>
  value === undefined ? '(nothing)' : typeof value === 'string' ? value : JSON.stringify(value)

const most = 100
const lead = 30

/** Both values on one line each, cut so that the first difference is in sight. */
function aroundDifference(was: string, now: string): readonly [string, string] {
  let at = 0
  while (at < was.length && was[at] === now[at]) at++
  const from = at <= lead ? 0 : at - lead
  const cut = (text: string): string => {
    const part = text.slice(from, from + most).replaceAll('\n', '⏎')
    return `${from > 0 ? '…' : ''}${part}${text.length > from + most ? '…' : ''}`
  }
  return [cut(was), cut(now)]
}
