import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { hideValues, placeholderKey, processHolder, type RedactedSession, redactSession } from '@rein/harness'
import type { Result } from '@rein/session'
import type { Args } from '../args.ts'
import type { Cli, Command } from '../cli.ts'
import { exits } from '../exit.ts'
import { counted } from '../view/amount.ts'
import { type Paint, paint } from '../view/paint.ts'
import { safeText } from '../view/safe-text.ts'
import { namedId, refuse, storeOf } from './stored-log.ts'

/** `rein redact <id> [--value TEXT …] [--purge]`: take values out of a session for good. */
export const redact: Command = async (cli, args) => {
  const store = storeOf(cli)
  const id = await namedId(cli, store, args)
  if (!id.ok) return refuse(cli, id.failure)
  const given = await valuesFrom(cli, args)
  if (!given.ok) return refuse(cli, given.failure)
  const values = hideValues(given.value, placeholderKey(cli.home))
  if (!values.ok) return refuse(cli, values.failure)
  const done = await redactSession(id.value, {
    store,
    holder: processHolder(),
    now: Date.now,
    values: values.value,
    purge: args.has('purge'),
  })
  if (!done.ok) return refuse(cli, done.failure)
  // It holds what was said, in free pages and words of deleted entries too, which FTS5 cannot overwrite in a table without
  // content; the next list makes it from the logs. One that was damaged may lie beside it.
  for (const end of ['', '-wal', '-shm', '.broken']) await rm(join(cli.home, `index.sqlite${end}`), { force: true })
  const copies = (await store.trashed()).filter(
    ({ id: of }) => of === id.value || of.startsWith(`${id.value}-unredacted`),
  )
  // Newest first: of several copies of one id the first is the one that was put there just now.
  const original = copies.find(({ id: of }) => of === done.value.original)?.name
  const names = copies.map(({ name }) => name)
  cli.err(report(done.value, { original, names }, paint(cli.color)))
  return exits.done
}

/** What was typed after the flag stands in the shell's history: without it, or with `-`, the value is read. */
async function valuesFrom(cli: Cli, args: Args): Promise<Result<readonly string[]>> {
  const typed = args.values('value')
  if (typed.length > 0 && !typed.includes('-')) return { ok: true, value: typed }
  const read = cli.stdin.isTTY === true ? [await asked(cli)] : await linesOf(cli)
  return { ok: true, value: [...typed.filter((value) => value !== '-'), ...read.filter((value) => value !== '')] }
}

/** Unseen, as a password is. */
async function asked(cli: Cli): Promise<string> {
  cli.err('value to remove (it is not shown): ')
  const unseen = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: cli.stdin, output: unseen, terminal: true })
  const left = new AbortController()
  // Ctrl-C and Ctrl-D are an answer too: nothing.
  for (const way of ['SIGINT', 'close'] as const) lines.once(way, () => left.abort())
  try {
    return await lines.question('', { signal: left.signal })
  } catch (error) {
    if (left.signal.aborted) return ''
    throw error
  } finally {
    lines.close()
    cli.err('\n')
  }
}

/** All of stdin is one value, so that one may have several lines; a line end at its end is not a part of it. */
async function linesOf({ stdin }: Cli): Promise<readonly string[]> {
  const parts: Buffer[] = []
  for await (const part of stdin) parts.push(Buffer.from(part))
  return [
    Buffer.concat(parts)
      .toString('utf8')
      .replace(/\r?\n$/, ''),
  ]
}

/** What lies in the trash of a session: the names of all copies, and of them that of the session as it was just now. */
interface Kept {
  readonly original: string | undefined
  readonly names: readonly string[]
}

function report(done: RedactedSession, kept: Kept, { dim, yellow }: Paint): string {
  const { id, changed, events, files, pictures, placeholders } = done
  const lines = [
    `redacted ${id}: ${changed} of ${counted(events, 'event')} changed, now ${[...new Set(placeholders)].join(', ')}`,
    ...(files.length > 0 ? [`rewritten beside it: ${files.join(', ')}`] : []),
    ...(pictures > 0 ? [`${counted(pictures, 'picture')} held it and ${pictures === 1 ? 'is' : 'are'} gone`] : []),
  ]
  const original =
    done.original === undefined
      ? 'The session as it was is deleted; backups and the free space of the disk may still hold it.'
      : `The session as it was is in the trash, as ${kept.original ?? done.original}: the value is still there until \`rein sessions trash --empty\`.`
  const earlier = kept.names.length > (done.original === undefined ? 0 : 1)
  const left = [
    ...(earlier ? [`Copies of it in the trash are as they were: ${kept.names.join(', ')}.`] : []),
    ...done.left.map((where) => `It still stands in ${where}.`),
  ]
  const elsewhere =
    'Not changed: forks of this session, its exports, snapshots of the workspace, and what the provider and tools got.'
  return `${safeText(lines.join('\n'))}\n${yellow(safeText([original, ...left].join('\n')))}\n${dim(elsewhere)}\n`
}
