import type { Json } from '@rein/session'
import { toJsonSchema } from '@valibot/to-json-schema'
import * as v from 'valibot'
import { nearNames } from '../files/near.ts'
import type { Parameters } from './definition.ts'

/** What tool parameters are written in: one object that takes no argument it does not name. */
type ObjectSchema = v.StrictObjectSchema<v.ObjectEntries, undefined>

/**
 * Parameters of a tool from a valibot `strictObject`. The JSON Schema is made once and is the same for the same schema:
 * keys in the order they were written, no `$schema`, nothing beyond what a strict provider reads.
 */
export function fromValibot<S extends ObjectSchema>(schema: S): Parameters<v.InferOutput<S>> {
  const { $schema: _, ...plain } = toJsonSchema(schema, { errorMode: 'throw' })
  return {
    // A JSON Schema is JSON, which its own type does not say.
    schema: JSON.parse(JSON.stringify(plain)) as Json,
    parse(value) {
      if (Array.isArray(value)) return { ok: false, problems: [notAnObject(value)] }
      const result = v.safeParse(schema, value)
      if (result.success) return { ok: true, value: result.output }
      return { ok: false, problems: result.issues.map((issue) => problem(issue, schema)) }
    },
  }
}

function problem(issue: v.BaseIssue<unknown>, schema: ObjectSchema): string {
  const name = nameOf(issue)
  if (name === '') return notAnObject(issue.input)
  if (issue.type === 'strict_object' && issue.expected === 'never') {
    const last = name.split('.').at(-1) ?? name
    const known = siblingNames(issue, schema)
    const near = nearNames(last, known)[0]
    const hint = near === undefined ? `Known: ${known.join(', ')}.` : `Did you mean \`${near}\`?`
    return `\`${name}\` is not an argument of this tool. ${hint}`
  }
  if (issue.input === undefined) return `\`${name}\` is missing; it must be ${expectedAt(issue, schema)}.`
  return `\`${name}\` must be ${expected(issue)}; got ${shown(issue.input)}.`
}

const notAnObject = (value: unknown): string => `The arguments must be one JSON object; got ${shown(value)}.`

/** Such as `edits.0.old`. */
const nameOf = (issue: v.BaseIssue<unknown>): string => issue.path?.map((item) => String(item.key)).join('.') ?? ''

/** The names that would have been right where an unknown one was given. */
const siblingNames = (issue: v.BaseIssue<unknown>, schema: ObjectSchema): readonly string[] =>
  Object.keys(field(schemaAt(issue.path?.slice(0, -1) ?? [], schema), 'entries') ?? {})

/** What stands at a path that was left out. */
function expectedAt(issue: v.BaseIssue<unknown>, schema: ObjectSchema): string {
  const at = schemaAt(issue.path ?? [], schema)
  const type: unknown = typeof at === 'object' && at !== null ? Reflect.get(at, 'type') : undefined
  const wanted = typeof type === 'string' ? WORDS[type] : undefined
  return typeof wanted === 'string' ? wanted : expected(issue)
}

function schemaAt(path: readonly v.IssuePathItem[], schema: ObjectSchema): unknown {
  let here: unknown = schema
  for (const item of path) here = unwrapped(inside(unwrapped(here), item.key))
  return here
}

const inside = (schema: unknown, key: unknown): unknown =>
  field(schema, 'item') ?? field(field(schema, 'entries'), String(key))

/** What an `optional` or `pipe` is about. */
function unwrapped(schema: unknown): unknown {
  const wrapped = field(schema, 'wrapped')
  return wrapped === undefined ? schema : unwrapped(wrapped)
}

function field(of: unknown, name: string): object | undefined {
  const value: unknown = typeof of === 'object' && of !== null ? Reflect.get(of, name) : undefined
  return typeof value === 'object' && value !== null ? value : undefined
}

function expected(issue: v.BaseIssue<unknown>): string {
  const wanted = WORDS[issue.type] ?? issue.expected ?? 'something else'
  return typeof wanted === 'string' ? wanted : wanted(issue.requirement)
}

const WORDS: { readonly [type: string]: string | ((requirement: unknown) => string) } = {
  string: 'text',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  strict_object: 'an object',
  integer: 'a whole number',
  min_value: (least) => `at least ${least}`,
  max_value: (most) => `at most ${most}`,
  min_length: (least) => (least === 1 ? 'not empty' : `at least ${least} long`),
  max_length: (most) => `at most ${most} long`,
  non_empty: 'not empty',
}

/** A value as evidence, short. */
function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value)
  return text.length <= 60 ? text : `${text.slice(0, 60).toWellFormed()}…`
}
