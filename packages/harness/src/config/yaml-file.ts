import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import type * as Yaml from 'yaml'
import { errnoOf } from '../files/trouble.ts'
import type { Problem } from './problem.ts'
import { type LayerName, leaf, map, type Place, plain, type Traced, type TracedMap } from './traced.ts'

/** Bytes. Nobody writes settings that long; a file that is may be anything. */
const longest = 1_048_576
/** Maps and lists inside each other. */
const deepest = 64
/** Syntax errors told of one file: after a few, the rest mostly follow from them. */
const mostErrors = 5
/** The parser ends some messages with what it found, which may be a secret. */
const quotedSource = /: .*$/s

export interface YamlFile {
  /** The map the file holds, every value with its line; what could not be read is left out. */
  readonly root: TracedMap
  readonly bytes: Uint8Array
  readonly problems: readonly Problem[]
}

/** @returns undefined when there is no such file. A pipe or a device is never waited for. */
export async function readYaml(file: string, layer: LayerName): Promise<YamlFile | undefined> {
  const place: Place = { layer, file }
  const nothing = (message: string): YamlFile => ({
    root: map(new Map(), place),
    bytes: new Uint8Array(),
    problems: [{ place, key: '', message }],
  })
  let bytes: Uint8Array | string
  try {
    bytes = await contentOf(file)
  } catch (error) {
    const code = errnoOf(error)
    if (code === undefined) throw error
    return code === 'ENOENT' || code === 'ENOTDIR' ? undefined : nothing(`cannot be read: ${code}`)
  }
  return typeof bytes === 'string' ? nothing(bytes) : { bytes, ...(await parseYaml(bytes, place)) }
}

/** @returns the bytes, or why there are none. */
async function contentOf(file: string): Promise<Uint8Array | string> {
  // Non-blocking, or the opening of a pipe nobody writes to would never end.
  const handle = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  try {
    const stat = await handle.stat()
    if (!stat.isFile()) return 'is not a file'
    if (stat.size > longest) return `is longer than ${longest} bytes`
    return await handle.readFile()
  } finally {
    await handle.close()
  }
}

/** Parse YAML 1.2 without references and without tags that make anything but plain data. */
export async function parseYaml(bytes: Uint8Array, place: Place): Promise<Omit<YamlFile, 'bytes'>> {
  const source = textOf(bytes)
  const empty = map(new Map(), place)
  if (source === undefined) return { root: empty, problems: [{ place, key: '', message: 'is not UTF-8' }] }
  const reader = new YamlReader(await import('yaml'), place)
  const root = reader.read(source)
  if (root?.kind === 'map') return { root, problems: reader.problems }
  if (root && root.value !== null) reader.bad(root.place, 'expected a map of keys at the top')
  return { root: empty, problems: reader.problems }
}

function textOf(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    if (error instanceof TypeError) return undefined
    throw error
  }
}

/** Turns a document into a tree whose every value knows its line. One document a reader. */
class YamlReader {
  readonly problems: Problem[] = []
  readonly #yaml: typeof Yaml
  readonly #lines: Yaml.LineCounter
  readonly #place: Place

  constructor(yaml: typeof Yaml, place: Place) {
    this.#yaml = yaml
    this.#lines = new yaml.LineCounter()
    this.#place = place
  }

  /** @returns undefined when nothing can be relied on: after a syntax error the rest may mean something else. */
  read(source: string): Traced | undefined {
    const document = this.#yaml.parseDocument(source, {
      lineCounter: this.#lines,
      prettyErrors: false,
      logLevel: 'error',
    })
    for (const { code, message, pos } of document.errors.slice(0, mostErrors)) {
      this.bad(
        this.#at(pos[0]),
        code === 'RESOURCE_EXHAUSTION' ? 'is nested too deeply' : message.replace(quotedSource, ''),
      )
      if (code === 'RESOURCE_EXHAUSTION') break
    }
    if (document.errors.length > 0) return undefined
    return this.#node(document.contents, this.#at(document.contents?.range[0]), 0)
  }

  bad(place: Place, message: string): undefined {
    this.problems.push({ place, key: '', message })
    return undefined
  }

  #at(offset: number | undefined): Place {
    if (offset === undefined) return this.#place
    const { line, col } = this.#lines.linePos(offset)
    return { ...this.#place, line, column: col }
  }

  #node(node: unknown, place: Place, depth: number): Traced | undefined {
    const { isAlias, isMap, isScalar, isSeq } = this.#yaml
    if (depth > deepest) return this.bad(place, 'is nested too deeply')
    if (node === null || node === undefined) return leaf(null, place)
    if (isScalar(node)) return this.#scalar(node.value, place)
    if (isMap(node)) return this.#map(node, place, depth)
    if (isSeq(node)) {
      const items = node.items.flatMap((item) => this.#node(item, this.#placeOf(item), depth + 1) ?? [])
      return leaf(items.map(plain), place)
    }
    return this.bad(place, isAlias(node) ? 'references (*name) are not supported' : 'cannot be read')
  }

  #scalar(value: unknown, place: Place): Traced | undefined {
    if (value === null || typeof value === 'string' || typeof value === 'boolean') return leaf(value, place)
    if (typeof value === 'number' && Number.isFinite(value)) return leaf(value, place)
    return this.bad(place, 'only text, finite numbers, true, false and null may stand here')
  }

  /** A value's place is that of its key: there a person looks for it. */
  #map(node: Yaml.YAMLMap, place: Place, depth: number): TracedMap {
    const entries = new Map<string, Traced>()
    for (const { key, value } of node.items) {
      const keyPlace = this.#placeOf(key)
      if (!this.#yaml.isScalar(key)) this.bad(keyPlace, 'a key must be plain text')
      else {
        const entry = this.#node(value, keyPlace, depth + 1)
        if (entry) entries.set(String(key.value), entry)
      }
    }
    return map(entries, place)
  }

  #placeOf(node: unknown): Place {
    return this.#at(this.#yaml.isNode(node) ? node.range?.[0] : undefined)
  }
}
