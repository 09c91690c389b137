import type { Failure, Result } from '@rein/session'
import {
  array,
  boolean,
  integer,
  literal,
  maxValue,
  minValue,
  number,
  object,
  pipe,
  record,
  regex,
  safeParse,
  string,
} from 'valibot'
import type { Removed } from './sharing.ts'

/** First in every archive: what else is in it, and what it is worth. */
export interface Manifest {
  readonly format: 'rein-session-archive'
  readonly version: 1
  /** Version of rein that wrote it. */
  readonly rein: string
  readonly session: string
  /** Byte for byte as it was, so that it can be verified; else texts were removed. */
  readonly exact: boolean
  /** Hash of the log's last event, as the log can be read. */
  readonly head: string
  readonly events: number
  /** When it was exported, milliseconds since 1970. */
  readonly exported: number
  /** How many values of which kind were removed; empty when exact. */
  readonly removed: Removed
  /** For people. */
  readonly notes: readonly string[]
  readonly files: readonly ArchivedFile[]
}

export interface ArchivedFile {
  readonly name: string
  readonly bytes: number
  /** Hexadecimal. */
  readonly sha256: string
}

/** The names an archive may hold besides the manifest: nothing that leads anywhere else, or hides. */
export const archivedName = /^(?:log\.jsonl|blobs\/[0-9a-f]{64}|(?:spill|aside)\/[A-Za-z0-9_][A-Za-z0-9._-]{0,127})$/
export const manifestName = 'manifest.json'

const count = pipe(number(), integer(), minValue(0), maxValue(Number.MAX_SAFE_INTEGER))
const sha256 = pipe(string(), regex(/^[0-9a-f]{64}$/))
const shape = object({
  format: literal('rein-session-archive'),
  version: number(),
  rein: string(),
  session: string(),
  exact: boolean(),
  head: string(),
  events: count,
  exported: number(),
  removed: record(string(), count),
  notes: array(string()),
  files: array(object({ name: pipe(string(), regex(archivedName)), bytes: count, sha256 })),
})

/** Fails `USAGE` for what is no manifest, and `FORMAT_TOO_NEW` for one of a newer version. */
export function readManifest(bytes: Uint8Array): Result<Manifest> {
  const json = parsed(new TextDecoder().decode(bytes))
  const checked = safeParse(shape, json)
  if (!checked.success) return { ok: false, failure: notArchive(`its ${manifestName} is not one`) }
  const { version, ...rest } = checked.output
  if (version !== 1) {
    const message = `the archive is of version ${version}, and this rein reads version 1`
    return { ok: false, failure: { code: 'FORMAT_TOO_NEW', message, next: `Use rein ${rest.rein} or newer.` } }
  }
  return { ok: true, value: { ...rest, version } }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** @param why goes on after "this is not an exported session: ". */
export const notArchive = (why: string): Failure => ({
  code: 'USAGE',
  message: `this is not an exported session: ${why}`,
  next: 'Nothing was written. Export the session again with `rein export <id> --zip --exact`.',
})
