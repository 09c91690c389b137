import { type Json, noteFold } from '@rein/session'
import * as v from 'valibot'
import { type Tool, tool } from '../tools/definition.ts'
import { fromValibot } from '../tools/parameters.ts'
import { text } from './text.ts'

const state = v.picklist(['pending', 'active', 'done'])
const item = v.strictObject({ text: v.pipe(v.string(), v.nonEmpty(), v.maxLength(500)), state })
const schema = v.strictObject({ items: v.pipe(v.array(item), v.maxLength(100)) })

export type TodoItem = v.InferOutput<typeof item>

/** The name under which the list is noted; the plugin that mounts the tool has it too. */
export const TODO = 'todo'

/** The list as it stands; a rewind takes it back. A note that does not hold a list is passed over. */
export const todoList = noteFold<readonly TodoItem[]>({
  plugin: TODO,
  rewinds: true,
  initial: [],
  step(list, { kind, data }) {
    const result = kind === 'list' ? v.safeParse(schema, data) : undefined
    return result?.success ? result.output.items : list
  },
})

/** Keeps the list of what is to be done. */
export function todoTool(): Tool {
  return tool<v.InferOutput<typeof schema>>({
    name: 'todo',
    description: text(import.meta.url, './todo.md'),
    parameters: fromValibot(schema),
    effects: () => 'none',
    title: ({ items }) => counts(items),
    async run({ items }, context) {
      const before = context.state(todoList)
      const list: Json = items.map(({ text, state }) => ({ text, state }))
      context.note('list', { items: list })
      const active = items.filter(({ state }) => state === 'active').length
      const left = before.filter((old) => old.state !== 'done' && !items.some(({ text }) => text === old.text)).length
      const notes = [
        ...(active > 1 ? [`${active} tasks are active; one at a time is meant.`] : []),
        ...(left > 0 ? [`${left} unfinished tasks are no longer on the list.`] : []),
      ]
      const content = [`${counts(items)}.`, ...notes].join(' ')
      return { kind: 'done', content, view: { kind: 'todo', items: list } }
    },
  })
}

function counts(items: readonly TodoItem[]): string {
  if (items.length === 0) return 'The list is empty'
  const of = (wanted: TodoItem['state']) => items.filter(({ state }) => state === wanted).length
  return `${of('done')} of ${items.length} done, ${of('active')} active, ${of('pending')} pending`
}
