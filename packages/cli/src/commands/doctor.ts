import type { Cli, Command } from '../cli.ts'
import { databases } from '../doctor/databases.ts'
import { environment } from '../doctor/environment.ts'
import { areas, type Finding } from '../doctor/finding.ts'
import { sessions } from '../doctor/sessions.ts'
import { sandbox, settings } from '../doctor/settings.ts'
import { exits } from '../exit.ts'
import { type Paint, paint } from '../view/paint.ts'
import { safeText } from '../view/safe-text.ts'
import { storeOf } from './stored-log.ts'

/**
 * `rein doctor`: whether what sessions stand on is as it should be, every session log included. `--fix` repairs logs and
 * nothing else, and keeps what was there. Exit 6 for a log that is damaged beyond what it declares, 1 for other trouble.
 */
export const doctor: Command = async (cli, args) => {
  const now = Date.now
  const found: Finding[] = [
    ...(await environment(cli, now())),
    ...sandbox(),
    ...(await settings(cli, args)),
    ...(await sessions({ home: cli.home, store: storeOf(cli), now, fix: args.has('fix') })),
    ...(await databases(cli.home)),
  ]
  const exit = exitOf(found)
  if (args.has('json')) {
    for (const finding of found) await cli.out(`${JSON.stringify({ type: 'finding', ...finding })}\n`)
    await cli.out(`${JSON.stringify({ type: 'result', exit, ...counts(found) })}\n`)
  } else await cli.out(report(cli, found))
  return exit
}

function exitOf(found: readonly Finding[]): number {
  const levels = new Set(found.map(({ level }) => level))
  if (levels.has('damaged')) return exits.damaged
  return levels.has('trouble') ? exits.error : exits.done
}

function counts(found: readonly Finding[]) {
  const of = (level: Finding['level']): number => found.filter((finding) => finding.level === level).length
  return { damaged: of('damaged'), trouble: of('trouble'), fixed: of('fixed'), notes: of('note') }
}

const marks: { readonly [level in Finding['level']]: string } = {
  fine: '✓',
  note: '·',
  trouble: '✗',
  damaged: '✗',
  fixed: '✓',
}

function report(cli: Cli, found: readonly Finding[]): string {
  const colors = paint(cli.color)
  const lines = areas.flatMap((area) => {
    const own = found.filter((finding) => finding.area === area)
    return own.length === 0 ? [] : [colors.bold(area), ...own.flatMap((finding) => linesOf(finding, colors))]
  })
  const { damaged, trouble, fixed } = counts(found)
  const parts = [
    ...(fixed > 0 ? [`${fixed} repaired`] : []),
    ...(damaged > 0 ? [`${damaged} damaged`] : []),
    ...(trouble > 0 ? [`${trouble} in trouble`] : []),
  ]
  return `${[...lines, '', parts.length > 0 ? parts.join(', ') : 'nothing is wrong'].join('\n')}\n`
}

function linesOf({ word, level, about, says, next }: Finding, colors: Paint): readonly string[] {
  const style =
    level === 'trouble' || level === 'damaged' ? colors.red : level === 'note' ? colors.yellow : colors.green
  const subject = about === '' ? '' : `${safeText(about)}: `
  const line = `  ${style(marks[level])} ${subject}${safeText(says)} ${colors.dim(`[${word}]`)}`
  return next === undefined || level === 'fine' ? [line] : [line, `      ${safeText(next)}`]
}
