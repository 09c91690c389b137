import { createHash } from 'node:crypto'
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { type Fold, fold, type Json, type SeenFile, type SeenState, type SessionEvent } from '@rein/session'
import type { CallContext, SpillFile, Tool, ToolOutput } from '../../src/tools/definition.ts'

/** A directory of its own for one test, gone afterwards; links in its path resolved. */
export function scratch(t: TestContext): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'rein-tools-')))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** A session in small: remembers what was seen, notes and progress, as the real one does from its log. */
export class FakeSession {
  readonly cwd: string
  readonly notes: SessionEvent[] = []
  readonly progress: string[] = []
  readonly spilled: string[] = []
  readonly controller = new AbortController()
  #seen = new Map<string, SeenState>()

  constructor(cwd: string) {
    this.cwd = cwd
  }

  /** Parses, runs, and takes in what was seen. @throws when the arguments are refused. */
  async call(tool: Tool, args: Json): Promise<ToolOutput> {
    const parsed = tool.parameters.parse(args)
    if (!parsed.ok) throw new Error(parsed.problems.join(' '))
    const output = await tool.run(parsed.value, this.context(tool.name))
    if (output.kind === 'done' || output.kind === 'failed') for (const file of output.seen ?? []) this.see(file)
    return output
  }

  see({ path, hash, range }: SeenFile): void {
    const before = this.#seen.get(path)
    const same = before?.hash === hash ? before : undefined
    const ranges = range === undefined ? [] : merged([...(same?.ranges ?? []), range])
    this.#seen.set(path, { hash, whole: range === undefined || same?.whole === true, ranges })
  }

  seen(path: string): SeenState | undefined {
    return this.#seen.get(path)
  }

  context(name: string): CallContext {
    return {
      call: { id: 'call-1', name, arguments: '{}', turn: 1, step: 1 },
      cwd: this.cwd,
      mode: 'workspace-write',
      signal: this.controller.signal,
      seen: (path) => this.#seen.get(path),
      note: (kind, data) => this.#note(name, kind, data),
      state: <S>(of: Fold<S>) => fold(of, this.notes),
      progress: (text) => void this.progress.push(text),
      spill: { open: async (file) => this.#spill(file) },
    }
  }

  #note(plugin: string, kind: string, data: Json): void {
    const seq = this.notes.length
    this.notes.push({
      seq,
      time: seq,
      type: 'plugin/note',
      data: { plugin, kind, v: 1, data },
      ignorable: true,
      hash: '',
    })
  }

  #spill(name: string): SpillFile {
    const path = join(this.cwd, `spill-${name}`)
    const parts: Uint8Array[] = []
    return {
      path,
      write: async (bytes) => void parts.push(bytes),
      close: async () => {
        writeFileSync(path, Buffer.concat(parts))
        this.spilled.push(path)
      },
    }
  }
}

function merged(ranges: readonly (readonly [number, number])[]): readonly (readonly [number, number])[] {
  const out: [number, number][] = []
  for (const [first, last] of [...ranges].sort((a, b) => a[0] - b[0])) {
    const before = out.at(-1)
    if (before !== undefined && first <= before[1] + 1) before[1] = Math.max(before[1], last)
    else out.push([first, last])
  }
  return out
}

/** The model's text of an output. */
export function told(output: ToolOutput): string {
  if (output.kind === 'denied') return output.reason
  if (output.kind === 'failed') return output.content ?? `${output.failure.message} ${output.failure.next ?? ''}`.trim()
  if (typeof output.content === 'string') return output.content
  return output.content.map((part) => (part.type === 'text' ? part.text : '')).join('')
}

/** The code of a failed output; undefined when it did not fail. */
export const codeOf = (output: ToolOutput): string | undefined =>
  output.kind === 'failed' ? output.failure.code : undefined

/** One field of the view. */
export function viewed(output: ToolOutput, name: string): unknown {
  const view = output.kind === 'denied' ? undefined : output.view
  return typeof view === 'object' && view !== null ? Reflect.get(view, name) : undefined
}

export const sha256 = (bytes: string | Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

/** The value of a `Result` that must have gone well. */
export function value<T>(
  result: { readonly ok: true; readonly value: T } | { readonly ok: false; readonly failure: { message: string } },
): T {
  if (!result.ok) throw new Error(result.failure.message)
  return result.value
}
