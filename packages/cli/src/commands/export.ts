import { createWriteStream } from 'node:fs'
import { homedir, hostname } from 'node:os'
import { resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type Exported, exportSession, knownSecrets, sharing } from '@rein/harness'
import type { Result } from '@rein/session'
import type { Args } from '../args.ts'
import type { Cli, Command } from '../cli.ts'
import { exits } from '../exit.ts'
import { usage } from '../usage.ts'
import { counted } from '../view/amount.ts'
import { damageText } from '../view/marks.ts'
import { paint } from '../view/paint.ts'
import { safeText } from '../view/safe-text.ts'
import { namedId, refuse, storeOf } from './stored-log.ts'

const kinds = ['html', 'json', 'zip'] as const
type Kind = (typeof kinds)[number]

/** `rein export <id> --html|--json|--zip [--exact] [--output FILE]`: a copy to share, with what is private removed. */
export const exportCommand: Command = async (cli, args) => {
  const kind = kindOf(args)
  if (!kind.ok) return refuse(cli, kind.failure)
  const store = storeOf(cli)
  const id = await namedId(cli, store, args)
  if (!id.ok) return refuse(cli, id.failure)
  const secrets = await knownSecrets(cli.home, cli.env)
  const here = { secrets, homes: [homedir(), ...homeIn(cli)], hosts: [hostname()] }
  const exported = await exportSession(id.value, {
    store,
    rein: cli.version,
    now: Date.now,
    sharing: args.has('exact') ? undefined : (events) => sharing(here, events),
  })
  if (!exported.ok) return refuse(cli, exported.failure)
  const target = args.value('output') ?? `${id.value}.${kind.value}`
  const written = await write(cli, target, { kind: kind.value, exported: exported.value })
  if (!written.ok) return refuse(cli, written.failure)
  report(cli, exported.value, target)
  return exits.done
}

const homeIn = ({ env }: Cli): readonly string[] => (env['HOME'] ? [env['HOME']] : [])

function kindOf(args: Args): Result<Kind> {
  const given = kinds.filter((kind) => args.has(kind))
  const [kind, second] = given
  if (kind === undefined) return usage('`rein export` needs a format', 'Add --html, --json or --zip.')
  if (second !== undefined) return usage(`--${kind} and --${second} are two exports`, 'Choose one.')
  if (args.has('exact') && kind !== 'zip')
    return usage(`--exact makes no sense with --${kind}`, 'Only the ZIP can be verified: --zip --exact.')
  return { ok: true, value: kind }
}

interface Exporting {
  readonly kind: Kind
  readonly exported: Exported
}

async function write(cli: Cli, target: string, exporting: Exporting): Promise<Result<void>> {
  if (target !== '-') return writeFile(resolve(cli.cwd, target), await bytesOf(cli, exporting))
  if (exporting.kind === 'zip') {
    if (cli.terminal) return usage('a ZIP does not go to a terminal', 'Name a file with --output, or pipe it on.')
    for await (const bytes of exporting.exported.zip()) await new Promise((done) => process.stdout.write(bytes, done))
    return { ok: true, value: undefined }
  }
  for await (const text of await bytesOf(cli, exporting)) await cli.out(String(text))
  return { ok: true, value: undefined }
}

/** A format as a stream; only the page needs what draws it. */
async function bytesOf(cli: Cli, { kind, exported }: Exporting): Promise<AsyncIterable<string | Uint8Array>> {
  if (kind === 'zip') return exported.zip()
  if (kind === 'json') return Readable.from(exported.json())
  const { page } = await import('../page/page.ts')
  const { events, damage, blob } = exported
  return page({ events, damage, notes: [...exported.notes, `${removedText(exported)}.`], blob, rein: cli.version })
}

/** Never over what is there, and nothing is left of an export that failed half-way. */
async function writeFile(path: string, content: AsyncIterable<string | Uint8Array>): Promise<Result<void>> {
  const file = createWriteStream(path, { flags: 'wx', mode: 0o600 })
  try {
    await pipeline(content, file)
    return { ok: true, value: undefined }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (typeof code !== 'string') throw error
    if (code === 'EEXIST') return usage(`${path} is there already`, 'Name another file with --output.')
    if (file.pending === false) await import('node:fs/promises').then(({ rm }) => rm(path, { force: true }))
    const next = 'Name a file in a folder you can write to with --output.'
    return { ok: false, failure: { code: 'FILE_ERROR', message: `could not write ${path}: ${code}`, next } }
  }
}

/** What it holds, and what it does not; nothing on stdout, which may be the export itself. */
function report(cli: Cli, exported: Exported, target: string): void {
  const { id, exact, damage } = exported
  const { dim, red, yellow } = paint(cli.color)
  const say = (text: string): void => cli.err(`${text}\n`)
  if (target !== '-') say(safeText(`exported ${id} to ${target}`))
  for (const one of damage) say(red(damageText(one)))
  for (const words of exported.left()) say(yellow(safeText(words)))
  if (exact) {
    say(
      yellow('It is exact: everything you, the model and the tools wrote is in it. It can be verified when imported.'),
    )
    return
  }
  say(dim(removedText(exported)))
  say(dim('It cannot be verified. Names and other personal data are not looked for: read it before you share it.'))
}

function removedText({ removed }: Exported): string {
  const gone = Object.entries(removed()).map(([kind, times]) => `${kind} (${counted(times, 'time')})`)
  return gone.length === 0 ? 'Nothing was found to remove' : `Removed: ${gone.join(', ')}`
}
