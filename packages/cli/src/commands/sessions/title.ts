import { processHolder } from '@rein/harness'
import { type Failure, type Result, resumeSession } from '@rein/session'
import type { Command } from '../../cli.ts'
import { exits } from '../../exit.ts'
import { realPorts } from '../../ports.ts'
import { usage } from '../../usage.ts'
import { openedText } from '../../view/marks.ts'
import { paint } from '../../view/paint.ts'
import { oneLine } from '../../view/safe-text.ts'
import { namedId, refuse, storeOf } from '../stored-log.ts'

/** Characters of a title: what lists show is shorter still. */
const most = 200

/** `rein sessions title <id> "new title"`: the title stands in the log, and lists show it from then on. */
export const title: Command = async (cli, args) => {
  const [, typed = ''] = args.words
  const checked = checkedTitle(typed)
  if (!checked.ok) return refuse(cli, checked.failure)
  const store = storeOf(cli)
  const id = await namedId(cli, store, args)
  if (!id.ok) return refuse(cli, id.failure)
  const options = { store, ports: realPorts, holder: processHolder(), rein: cli.version }
  const opened = await resumeSession(options, id.value, cli.cwd)
  if (!opened.ok) return refuse(cli, opened.failure.code === 'SESSION_BUSY' ? held(id.value) : opened.failure)
  const session = opened.value
  for (const text of openedText(session)) cli.err(`${paint(cli.color).red(text)}\n`)
  try {
    session.log.append('session/title', { title: checked.value, by: 'person' })
  } finally {
    await session.close()
  }
  await cli.out(`${id.value}  ${oneLine(checked.value, most)}\n`)
  return exits.done
}

const held = (id: string): Failure => ({
  code: 'SESSION_BUSY',
  message: `session ${id} is open in another process, which alone may write to it`,
  next: 'Give the title when that process has ended.',
})

/** One line that says something. Fails `USAGE`. */
function checkedTitle(typed: string): Result<string> {
  const text = typed.toWellFormed().replaceAll(/\s+/g, ' ').trim()
  if (!/[^\p{C}\p{Z}\p{M}]/u.test(text)) return usage('a title needs something that can be read')
  if (/\p{Cc}/u.test(text)) return usage('a title holds no control characters')
  const length = [...text].length
  return length > most ? usage(`a title has at most ${most} characters, not ${length}`) : { ok: true, value: text }
}
