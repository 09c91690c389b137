import { readdir } from 'node:fs/promises'
import { extname } from 'node:path'
import type { Failure, SeenFile } from '@rein/session'
import * as v from 'valibot'
import { absolutePath, notFound, resolvePath } from '../files/path.ts'
import { errnoOf } from '../files/trouble.ts'
import { type FileWindow, readWindow } from '../files/window.ts'
import { type Tool, type ToolOutput, tool } from '../tools/definition.ts'
import { fromValibot } from '../tools/parameters.ts'
import { recentTexts } from './current.ts'
import { text } from './text.ts'

/** Code points of one line that are shown. */
export const LINE_LENGTH = 2000
const LINES = 2000
const BYTES = 50 * 1024
const ENTRIES = 100
const IMAGES = new Set(['.png', '.jpg', '.jpeg', '.gif', '.webp', '.bmp', '.ico', '.tiff', '.heic', '.avif'])

const position = v.pipe(v.number(), v.integer(), v.minValue(1))
const schema = v.strictObject({
  path: v.pipe(v.string(), v.nonEmpty()),
  offset: v.optional(v.pipe(position, v.description('First line, from 1'))),
  limit: v.optional(v.pipe(position, v.description(`Lines; default and most ${LINES}`))),
})

/** Reads a text file, whole or by a window of lines, and remembers which version and lines were seen. */
export function readTool(): Tool {
  return tool<v.InferOutput<typeof schema>>({
    name: 'read',
    description: text(import.meta.url, './read.md'),
    parameters: fromValibot(schema),
    effects: () => 'none',
    parallel: () => true,
    accesses: ({ path }, cwd) => [{ kind: 'read', path: absolutePath(path, cwd) }],
    title: ({ path, offset, limit }) =>
      offset === undefined && limit === undefined
        ? path
        : `${path}:${offset ?? 1}-${(offset ?? 1) + (limit ?? LINES) - 1}`,
    async run({ path, offset = 1, limit = LINES }, context) {
      const real = await resolvePath(path, context.cwd)
      if (!real.ok) return { kind: 'failed', failure: real.failure }
      if (!real.value.exists) return { kind: 'failed', failure: (await notFound(real.value.path, path)).failure }
      const limits = { offset, lines: Math.min(limit, LINES), bytes: BYTES, lineLength: LINE_LENGTH }
      const file = { path: real.value.path, shown: path }
      const window = await readWindow(file, limits, context.signal)
      return window.ok ? answer(file, offset, window.value) : refusal(file, window.failure)
    },
  })
}

interface File {
  readonly path: string
  readonly shown: string
}

function answer(file: File, offset: number, window: FileWindow): ToolOutput {
  const { lines, total, hash } = window
  if (total === 0) {
    const content = `[${file.shown} is empty]`
    return { kind: 'done', content, view: view(file, [0, 0], 0), seen: [{ path: file.path, hash }] }
  }
  if (lines.length === 0) {
    const message = `${file.shown} has ${total} lines; offset ${offset} is past its end.`
    return { kind: 'failed', failure: { code: 'INVALID_ARGUMENTS', message } }
  }
  const last = offset + lines.length - 1
  const shown = lines.map((line, at) => `${offset + at}\t${line.text}${line.cut ? `… [cut at ${LINE_LENGTH}]` : ''}`)
  const content = [...shown, ...footer(offset, last, window)].join('\n')
  const whole = offset === 1 && last === total && !lines.some((line) => line.cut)
  if (whole) recentTexts.keep(hash, lines.map((line) => `${line.text}\n`).join(''))
  const seen: SeenFile = { path: file.path, hash, ...(whole ? {} : { range: [offset, last] as const }) }
  return { kind: 'done', content, view: view(file, [offset, last], total), seen: [seen] }
}

function footer(first: number, last: number, window: FileWindow): string[] {
  const notes: string[] = []
  if (last < window.total) notes.push(`lines ${first}-${last} of ${window.total}; continue with offset=${last + 1}`)
  else if (first > 1) notes.push(`lines ${first}-${last} of ${window.total}, the end of the file`)
  if (window.crlf) notes.push('CRLF line ends, kept by edit and write')
  if (window.bom) notes.push('starts with a byte order mark, kept by edit and write')
  if (!window.closed && last === window.total) notes.push('no line end after the last line')
  return notes.length === 0 ? [] : [`[${notes.join('; ')}]`]
}

const view = (file: File, [first, last]: readonly [number, number], total: number) => ({
  kind: 'file',
  path: file.path,
  first,
  last,
  total,
})

/** What was there instead of text: a directory is listed, a picture is called one. */
async function refusal(file: File, failure: Failure): Promise<ToolOutput> {
  const extension = extname(file.path).toLowerCase()
  if (failure.code === 'BINARY_FILE' && IMAGES.has(extension)) {
    const message = `${file.shown} is a picture (${extension.slice(1)}); pictures cannot be shown to you yet.`
    return { kind: 'failed', failure: { code: 'BINARY_FILE', message, next: 'Ask the person what it shows.' } }
  }
  if (failure.code !== 'NOT_A_FILE') return { kind: 'failed', failure }
  const entries = await readdir(file.path, { withFileTypes: true }).catch((error: unknown) => {
    if (errnoOf(error) === undefined) throw error
    return undefined
  })
  if (entries === undefined) return { kind: 'failed', failure }
  const names = entries.map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name)).sort()
  const more = names.length > ENTRIES ? [`[${names.length - ENTRIES} more entries]`] : []
  const list = names.length === 0 ? ['[it is empty]'] : [...names.slice(0, ENTRIES), ...more]
  return { kind: 'failed', failure, content: `${failure.message} It holds:\n${list.join('\n')}` }
}
