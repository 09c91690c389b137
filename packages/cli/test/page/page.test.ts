import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EventType, SessionEvent } from '@rein/session'
import fc from 'fast-check'
import { html } from '../../src/page/html.ts'
import { page } from '../../src/page/page.ts'

const usage = { input: 10, cacheRead: 5, cacheWrite: 0, output: 7 }
const failure = (text: string) => ({ code: 'TOOL_FAILED', message: text, next: text }) as const
const image = { type: 'image', blob: 'b', mime: 'image/png', bytes: 9 } as const

type Row = readonly [EventType, object]
const callOf = (id: string, name: string, json: string) => ({ type: 'call', id, name, arguments: json })

/** What a session can hold, with `text` in every place of it. */
const rowsOf = (text: string): readonly Row[] => [
  ['session/start', { format: 1, id: text, cwd: text, rein: text }],
  ['session/title', { title: text, by: 'person' }],
  ['request/header', { provider: text, model: text }],
  ['turn/start', { turn: 1 }],
  ['system/message', { text, sections: [] }],
  ['user/message', { content: [{ type: 'text', text }, image], source: { kind: 'person' } }],
  ['user/message', { content: [{ type: 'text', text }], source: { kind: 'context', name: text } }],
  [
    'user/message',
    { content: [{ type: 'text', text: `\`\`\`${text}\n${text}\n\`\`\`` }], source: { kind: 'job', name: text } },
  ],
  [
    'assistant/message',
    {
      content: [
        { type: 'reasoning', text },
        { type: 'text', text },
        callOf('c-1', text, JSON.stringify({ command: text })),
        callOf('c-2', 'bash', text),
      ],
      request: text,
    },
  ],
  [
    'tool/result',
    {
      call: 'c-1',
      name: text,
      outcome: { kind: 'done' },
      content: [{ type: 'text', text }],
      view: { output: text, signal: text },
      spill: text,
    },
  ],
  [
    'tool/result',
    {
      call: 'c-3',
      name: text,
      outcome: { kind: 'failed', failure: failure(text) },
      content: [{ type: 'text', text }],
    },
  ],
  [
    'tool/result',
    {
      call: 'c-4',
      name: text,
      outcome: { kind: 'denied', by: text, reason: text },
      content: [],
      view: { kind: 'diff', diff: `@@\n+${text}\n-${text}`, added: 1, removed: 1 },
    },
  ],
  ['approval/asked', { id: 'a', call: 'c-1', what: text }],
  ['approval/decided', { id: 'a', decision: 'denied', by: text, words: text }],
  ['question/asked', { id: 'q', call: 'c', questions: text }],
  ['job/start', { id: 'j', kind: 'bash', label: text }],
  ['command/run', { id: 'c', name: text, arguments: text, by: 'person' }],
  ['compaction/end', { id: 'c', outcome: 'failed', error: failure(text) }],
  ['sandbox/denied', { call: 'c', what: 'read', target: text }],
  ['session/damage', { reason: 'torn', events: 1, lines: 1, bytes: 3, aside: text }],
  ['session/rewound', { to: 5, by: 'person' }],
  [
    'request/settled',
    { id: 'r', outcome: 'completed', usage, cost: 0.5, dropped: [], error: null, finish: null, timing: null },
  ],
  ['turn/end', { turn: 1, outcome: 'error', error: failure(text) }],
]

const onSurface = (type: string) => /message$|result$/.test(type) && { surface: 'append' }
const saying = (text: string): SessionEvent[] =>
  rowsOf(text).map(
    ([type, data], seq) => ({ seq, time: seq, type, data, hash: '', ...onSurface(type) }) as unknown as SessionEvent,
  )

const png = Buffer.from('\x89PNG\r\n\x1a\n<script>alert(1)</script>', 'latin1')

async function drawn(events: readonly SessionEvent[], blob: Uint8Array | null = png): Promise<string> {
  const damage = [{ reason: 'torn', line: 3, bytes: 5, events: 1, offset: 0 }] as const
  let text = ''
  for await (const part of page({ events, damage, notes: ['a note'], blob: async () => blob ?? undefined, rein: '0' }))
    text += part
  return text
}

const tags =
  /^(?:html|head|meta|title|style|body|header|h1|h2|dl|dt|dd|div|p|section|details|summary|pre|b|span|img|footer)$/
const attributes = /^(?:lang|charset|http-equiv|content|name|class|alt|src)$/

/**
 * What a page must not hold, told without a parser's forgiveness: every `<` begins a tag of ours, written out in full,
 * and every attribute is one of ours.
 */
function faultsOf(markup: string): readonly string[] {
  const tag = /<\/?([a-z0-9]+)((?: [a-z-]+="[^"<>]*")*)>/g
  const whole = markup.replace(/^<!DOCTYPE html>/, '').replace(/<style>[^<]*<\/style>/, '')
  const rest = whole.replaceAll(tag, '')
  const stray = /[<>]/.test(rest) ? [rest.slice(Math.max(0, rest.search(/[<>]/) - 40)).slice(0, 120)] : []
  return [...stray, ...[...whole.matchAll(tag)].flatMap(([, name = '', given = '']) => faultsOfTag(name, given))]
}

function faultsOfTag(name: string, given: string): readonly string[] {
  const all = [...given.matchAll(/ ([a-z-]+)="([^"]*)"/g)]
  const faults = all.flatMap(([, key = '', value = '']) => {
    const sound = key !== 'src' || /^data:image\/(?:png|jpeg|webp|gif);base64,[A-Za-z0-9+/]*=*$/.test(value)
    return attributes.test(key) && sound ? [] : [`${name} ${key}=${value}`]
  })
  return tags.test(name) ? faults : [`<${name}>`, ...faults]
}

const nasty = fc.constantFrom(
  '<script>alert(1)</script>',
  '</script><script>',
  '</style><img src=x onerror=alert(1)>',
  '<!--',
  '-->',
  '<svg/onload=alert(1)>',
  '" onmouseover="x',
  "' autofocus onfocus='x",
  '`',
  '&lt;',
  'javascript:alert(1)',
  '[x](javascript:alert(1))',
  '<base href="https://evil">',
  '</title>',
  '<![CDATA[',
  '\u202Eevil',
  '\u0000\u001b[31mred\u001b[0m\u001b]0;title\u0007',
  '\ud800',
  '\u2028',
  '```\n<b>\n```',
  '\r\n',
)
const hostile = fc.array(fc.oneof(nasty, fc.string({ unit: 'binary', maxLength: 8 })), { minLength: 1, maxLength: 5 })

test('whatever a session holds, its page has no script, no handler, no reference to anything, and no tag but its own', async () => {
  await fc.assert(
    fc.asyncProperty(hostile, async (parts) => {
      const markup = await drawn(saying(parts.join('')))
      assert.deepEqual(faultsOf(markup), [])
      assert.ok(markup.isWellFormed())
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
      assert.doesNotMatch(markup, /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/)
    }),
    { numRuns: 60 },
  )
})

test('the check of the page finds what it looks for', () => {
  for (const bad of ['<script>', '<b onclick="x">', '<img src="https://x/">', '<b class=x>', 'a < b', '<a href="#">'])
    assert.notDeepEqual(faultsOf(`<p>${bad}</p>`), [], bad)
})

test('text in a quoted attribute cannot end it, and markup is not escaped twice', () => {
  const made = html`<b class="${'"><i>'}">${html`<i>${'&'}</i>`}</b>`
  assert.equal(String(made), '<b class="&quot;&gt;&lt;i&gt;"><i>&amp;</i></b>')
})

test('the page lets a browser load and run nothing, and the style it has is the one it allows', async () => {
  const markup = await drawn(saying('x'))
  const { createHash } = await import('node:crypto')
  const [, style = ''] = /<style>([^<]*)<\/style>/.exec(markup) ?? []
  const hash = createHash('sha256').update(style).digest('base64')
  const [, policy = ''] = /Content-Security-Policy" content="([^"]*)"/.exec(markup) ?? []
  const allowed = policy.replaceAll('&#39;', "'")
  assert.equal(
    allowed,
    `default-src 'none'; img-src data:; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`,
  )
})

test('calls are folded under one line, diffs and colours are coloured, pictures stand in the page, damage is told', async () => {
  const markup = await drawn(saying('npm test'))
  assert.match(markup, /<details><summary><b>npm test<\/b> npm test — <span class="bad">killed by npm test<\/span>/)
  assert.match(markup, /<span class="add">\+npm test<\/span>/)
  assert.match(markup, /<img alt="picture" src="data:image\/png;base64,/)
  assert.match(markup, /damage at line 3/)
  assert.match(markup, /turn 1 · .* · <span class="bad">error<\/span> · 15 tokens in, 7 out · \$0\.50/)
  assert.match(markup, /event 8, no longer seen by the model/)
  assert.match(markup, /<summary><b>bash<\/b>.*no result/)
  assert.match(await drawn(saying('\u001b[31mred\u001b[0m')), /<span class="c1">red<\/span>/)
})

test('a picture that is not what it says, or is missing, is told and not shown', async () => {
  for (const blob of [Buffer.from('<svg onload="x"/>'), null]) {
    const markup = await drawn(saying('x'), blob)
    assert.doesNotMatch(markup, /<img/)
  }
})

test('an output that is too long is cut in the middle, and how much is said', async () => {
  const markup = await drawn(saying(`begin${'x'.repeat(100_000)}end`))
  assert.match(markup, /… 80,\d{3} characters are left out here; the JSON export has them …/)
  assert.match(markup, /system text, 100,008 characters/)
})
