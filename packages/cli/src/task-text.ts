import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Content, Result } from '@rein/session'
import type { Cli } from './cli.ts'
import { sayWithSlash, slashWord } from './slash-word.ts'
import { usage, usageFailure } from './usage.ts'

/** Bytes of one attached file, and of all that is attached to one task. */
const mostOfOne = 256 * 1024
const mostOfAll = 1024 * 1024
/** Bytes of a task read from stdin. */
const mostOfStdin = 4 * 1024 * 1024

/**
 * What `-p` says: the task, then each file as a part of its own.
 * @param text the value of `-p`; `-` reads it from stdin.
 * @param files paths relative to the working directory; `@-` is stdin.
 * Fails `USAGE` when there is nothing to say, and for a file that is missing, too large or no text.
 */
export async function taskContent(
  cli: Cli,
  text: string,
  files: readonly string[],
): Promise<Result<readonly Content[]>> {
  if (text === '-' && files.includes('@-')) return usage('-p - and @- both read stdin; one of them can')
  if (files.filter((file) => file === '@-').length > 1) return usage('@- stands twice, and stdin can be read once')
  const task = text === '-' ? await stdinText(cli) : { ok: true as const, value: text }
  if (!task.ok) return task
  if (task.value.trim() === '') return usage('the task is empty')
  const command = slashWord(task.value)
  if (command !== undefined) return { ok: false, failure: slashCommand(command) }
  const parts: Content[] = [{ type: 'text', text: task.value }]
  let left = mostOfAll
  for (const file of files) {
    const content = file === '@-' ? await stdinText(cli) : await fileText(resolve(cli.cwd, file), file)
    if (!content.ok) return content
    left -= Buffer.byteLength(content.value)
    if (left < 0) return usage(`the files hold more than ${mostOfAll / 1024} KB together`)
    parts.push({ type: 'text', text: framed(file === '@-' ? 'stdin' : file, content.value) })
  }
  return { ok: true, value: parts }
}

const slashCommand = (command: string) =>
  usageFailure(
    `${command} is a command of an interactive session, and -p has none.`,
    `Start rein without -p for it; ${sayWithSlash}`,
  )

/** A fence no line of the content is mistaken for. */
function framed(name: string, content: string): string {
  const longest = Math.max(2, ...[...content.matchAll(/^`{3,}/gm)].map(([ticks]) => ticks.length))
  const fence = '`'.repeat(longest + 1)
  return `File ${name}:\n${fence}\n${content.replace(/\n$/, '')}\n${fence}`
}

async function fileText(path: string, name: string): Promise<Result<string>> {
  try {
    // A pipe or a terminal among the files must not make the program wait.
    const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
    try {
      const info = await file.stat()
      if (!info.isFile()) return usage(`${name} is not a file`)
      if (info.size > mostOfOne)
        return usage(`${name} is larger than ${mostOfOne / 1024} KB; name it in the task instead`)
      return decoded(await file.readFile(), name)
    } finally {
      await file.close()
    }
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error
    return usage(`${name} cannot be read (${String(error.code)})`)
  }
}

async function stdinText({ stdin }: Cli): Promise<Result<string>> {
  if (stdin.isTTY) return usage('the task is to be read from stdin, and that is a terminal; pipe it in')
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const piece of stdin) {
    const bytes: Uint8Array = typeof piece === 'string' ? Buffer.from(piece) : piece
    size += bytes.length
    if (size > mostOfStdin) return usage(`stdin holds more than ${mostOfStdin / 1024 / 1024} MB`)
    pieces.push(bytes)
  }
  return decoded(Buffer.concat(pieces), 'stdin')
}

function decoded(bytes: Uint8Array, name: string): Result<string> {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return text.includes('\0') ? usage(`${name} is no text`) : { ok: true, value: text }
  } catch (error) {
    if (error instanceof TypeError) return usage(`${name} is not UTF-8 text`)
    throw error
  }
}
