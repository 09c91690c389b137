// What a strict server of the chat completions protocol refuses, written from the protocol's documentation and
// without a look at the encoder.

type Fields = Readonly<Record<string, unknown>>

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const saysSomething = (value: unknown): boolean => typeof value === 'string' && value.trim() !== ''

/** Whether no object in the text names a key twice: `JSON.parse` would hide it. Only the outermost object is looked at. */
function repeatedKeys(text: string): string[] {
  const keys: string[] = []
  let depth = 0
  for (const [token, quoted] of text.matchAll(/"((?:[^"\\]|\\.)*)"(?=\s*:)|"(?:[^"\\]|\\.)*"|[{}[\]]/g)) {
    if (token === '{' || token === '[') depth++
    else if (token === '}' || token === ']') depth--
    else if (quoted !== undefined && depth === 1) keys.push(quoted)
  }
  return keys.filter((key, index) => keys.indexOf(key) !== index)
}

/** @returns every reason to answer 400, in words. */
export function strictChat(body: string): readonly string[] {
  const request: unknown = JSON.parse(body)
  if (!isFields(request)) return ['is no object']
  const problems = repeatedKeys(body).map((key) => `names ${key} twice`)
  if (!saysSomething(request['model'])) problems.push('has no model')
  if (!Array.isArray(request['messages'])) return [...problems, 'has no messages']
  const walk = { ids: new Set<string>(), owed: new Set<string>() }
  for (const [index, message] of request['messages'].entries())
    for (const problem of isFields(message) ? problemsOf(message, walk) : ['is no object'])
      problems.push(`message ${index} ${problem}`)
  for (const id of walk.owed) problems.push(`call ${id} has no result`)
  return problems
}

interface Walk {
  readonly ids: Set<string>
  readonly owed: Set<string>
}

function problemsOf(message: Fields, walk: Walk): string[] {
  if (message['role'] === 'tool') return toolProblems(message, walk)
  const open = walk.owed.size > 0 ? ['stands between calls and their results'] : []
  switch (message['role']) {
    case 'system':
    case 'developer':
      return saysSomething(message['content']) ? open : [...open, 'says nothing']
    case 'user':
      return [...open, ...contentProblems(message['content'])]
    case 'assistant':
      return [...open, ...assistantProblems(message, walk)]
    default:
      return [`has the role ${JSON.stringify(message['role'])}`]
  }
}

function toolProblems({ tool_call_id: id, content }: Fields, walk: Walk): string[] {
  const problems = saysSomething(content) ? [] : ['is an empty result']
  return typeof id === 'string' && walk.owed.delete(id) ? problems : [...problems, 'answers no call']
}

function contentProblems(content: unknown): string[] {
  if (!Array.isArray(content)) return saysSomething(content) ? [] : ['says nothing']
  if (content.length === 0) return ['has no parts']
  return content.flatMap((part: unknown) => {
    if (!isFields(part)) return ['has a part that is no object']
    if (part['type'] === 'text') return saysSomething(part['text']) ? [] : ['has a blank part']
    const image = part['image_url']
    const url = isFields(image) ? image['url'] : undefined
    return part['type'] === 'image_url' && /^data:image\/\w+;base64,[A-Za-z0-9+/]+=*$/.test(String(url))
      ? []
      : ['has a bad part']
  })
}

function assistantProblems({ content, tool_calls: calls }: Fields, walk: Walk): string[] {
  if (calls === undefined) return saysSomething(content) ? [] : ['says nothing and calls nothing']
  if (!Array.isArray(calls) || calls.length === 0) return ['has an empty list of calls']
  return calls.flatMap((call: unknown) =>
    isFields(call) ? callProblems(call, walk) : ['has a call that is no object'],
  )
}

function callProblems({ id, type, function: named }: Fields, walk: Walk): string[] {
  const problems: string[] = []
  if (typeof id !== 'string' || id.trim() === '') problems.push('has a call without id')
  else if (walk.ids.has(id)) problems.push(`repeats the id ${id}`)
  else {
    walk.ids.add(id)
    walk.owed.add(id)
  }
  if (type !== 'function' || !isFields(named)) return [...problems, 'has a call that is no function']
  if (!/^[a-zA-Z0-9_-]{1,64}$/.test(String(named['name']))) problems.push(`calls ${JSON.stringify(named['name'])}`)
  if (!isArguments(named['arguments'])) problems.push('has arguments that are not the text of an object')
  return problems
}

function isArguments(text: unknown): boolean {
  try {
    return typeof text === 'string' && isFields(JSON.parse(text))
  } catch {
    return false
  }
}
