import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Block, fold, type Json, type SessionEvent, transcript } from '@rein/session'
import { type RenderOptions, render } from '../../src/view/render.ts'
import { event, result } from './events.ts'

const shown = (of: SessionEvent, options: Partial<RenderOptions> = {}): string =>
  render(of, { color: false, ...options }) ?? ''
const reply = (...content: Block[]): SessionEvent =>
  event('assistant/message', { request: 'r', content, origin: { provider: 'p', dialect: 'd', model: 'm' } })
const call = (name: string, args: object | string): SessionEvent =>
  event('tool/call', {
    turn: 1,
    step: 1,
    call: 'c1',
    name,
    arguments: typeof args === 'string' ? args : JSON.stringify(args),
    parallel: false,
    effects: 'none',
  })

describe('a call', () => {
  test('is one line, whatever its arguments hold', () => {
    assert.equal(shown(call('bash', { command: 'npm test\nrm x', description: 'd' })), '• bash npm test rm x')
    assert.equal(shown(call('read', { path: 'a.ts', offset: 10, limit: 5 })), '• read a.ts:10-14')
    assert.equal(shown(call('grep', { pattern: 'x', path: 'src' })), '• grep x in src')
    assert.equal(shown(call('own', '{"broken')), '• own {"broken')
    assert.equal(shown(call('own', {})), '• own')
    assert.ok(shown(call('bash', { command: 'x'.repeat(500) }), { width: 60 }).length <= 60)
  })
})

describe('a result', () => {
  test('of a command shows how it ended and a bounded output', () => {
    const output = Array.from({ length: 50 }, (_, at) => `line ${at}`).join('\n')
    const view = { kind: 'command', exitCode: 1, signal: null, durationMs: 1234, output }
    const lines = shown(result({ kind: 'done' }, { view }), { lines: 6 }).split('\n')
    assert.equal(lines[0], '  ↳ bash exit code 1 1.2 s')
    assert.deepEqual(
      lines.slice(1).map((line) => line.trim()),
      ['line 0', 'line 1', 'line 2', 'line 3', '… 44 more lines', 'line 48', 'line 49'],
    )
  })

  test('with a diff shows it, additions green and removals red', () => {
    const view = {
      kind: 'diff',
      path: '/p/a.ts',
      diff: '@@ -1 +1 @@\n-old\n+new',
      added: 1,
      removed: 1,
      created: false,
    }
    assert.equal(
      shown(result({ kind: 'done' }, { view }), { cwd: '/p' }),
      '  ↳ bash a.ts +1 -1\n    @@ -1 +1 @@\n    -old\n    +new',
    )
    const colored = shown(result({ kind: 'done' }, { view }), { color: true })
    assert.ok(colored.includes('\u001b[31m-old\u001b[39m') && colored.includes('\u001b[32m+new\u001b[39m'))
  })

  test('of a kind this program does not know falls back to its text', () => {
    assert.equal(shown(result({ kind: 'done' }, { view: { kind: 'hologram' }, text: 'words' })), '  ↳ bash\n    words')
  })

  test('says why it failed and what to do next', () => {
    const failure = { code: 'STALE_FILE', message: 'It changed.', next: 'Read it again.' } as const
    assert.equal(shown(result({ kind: 'failed', failure })), '  ↳ bash STALE_FILE: It changed.\n    Read it again.')
  })

  test('tells a refusal, a limit, a stop, a call that never began and a crash apart', () => {
    const outcomes = [
      { kind: 'denied', by: 'permissions', reason: 'read-only' },
      { kind: 'timed-out', afterMs: 2000 },
      { kind: 'cancelled' },
      { kind: 'not-started' },
      { kind: 'unknown' },
    ] as const
    const firsts = outcomes.map((outcome) => shown(result(outcome)).split('\n')[0])
    assert.deepEqual(firsts, [
      '  ↳ bash denied by permissions: read-only',
      '  ↳ bash stopped after 2.0 s',
      '  ↳ bash cancelled while it ran',
      '  ↳ bash not started',
      '  ↳ bash outcome unknown: the process ended while it ran',
    ])
  })
})

describe('a message', () => {
  test('of a person stands out, and of the context is one line', () => {
    const content = [{ type: 'text', text: 'Fix it.\nPlease.' }] as const
    assert.equal(shown(event('user/message', { content, source: { kind: 'person' } })), '> Fix it.\n  Please.')
    const source = { kind: 'context', name: 'runtime' } as const
    assert.equal(shown(event('user/message', { content, source })), 'context runtime: Fix it. Please.')
    const job = { kind: 'job', name: 'j1' } as const
    assert.match(shown(event('user/message', { content, source: job })), /^> \[job j1\] Fix it/)
  })

  test('that no longer stands is marked with its event', () => {
    assert.equal(
      shown(reply({ type: 'text', text: 'Done.' }), { shadowed: true }),
      '  ⊘ event 7, no longer seen by the model\n  Done.',
    )
  })

  test('whose text was streamed is not shown twice', () => {
    assert.equal(render(reply({ type: 'text', text: 'Done.' }), { color: false, streamed: true }), undefined)
  })

  test('that only calls tools shows nothing by itself', () => {
    assert.equal(render(reply({ type: 'call', id: 'c', name: 'x', arguments: '{}' }), { color: false }), undefined)
  })

  test('that was cut says so, streamed or not', () => {
    const data = { request: 'r', content: [], origin: { provider: 'p', dialect: 'd', model: 'm' } }
    const cut = event('assistant/message', { ...data, interrupted: 'failed' })
    assert.match(shown(cut, { streamed: true }), /did not finish \(failed\)/)
  })
})

describe('a mark', () => {
  test('names the wait before another attempt', () => {
    const error = { code: 'RATE_LIMITED', message: 'slow down' } as const
    const data = { turn: 1, step: 1, attempt: 2, waitMs: 3500, error }
    assert.equal(shown(event('retry/scheduled', data)), '— RATE_LIMITED: slow down; attempt 2 in 3.5 s —')
  })

  test('tells a cut reply, a rewind, a fork, damage, parked input and a compaction', () => {
    const call = { type: 'call', id: 'c', name: 'edit', arguments: '{' } as const
    const settled = { id: 'r', outcome: 'completed', finish: null, usage: null, error: null, timing: null } as const
    const marks = [
      shown(event('request/settled', { ...settled, dropped: [call] })),
      shown(event('session/rewound', { to: 4, by: 'person' })),
      shown(event('session/fork', { id: 'b', parent: 'a', at: 9, hash: '' })),
      shown(event('session/damage', { reason: 'torn', events: 1, lines: 1, bytes: 2048 })),
      shown(event('inbox/parked', { reason: 'budget' })),
      shown(event('compaction/end', { id: 'c', outcome: 'accepted' })),
      shown(event('request/sent', { ...sent, broke: { event: 5, owner: 'header' } })),
    ]
    assert.deepEqual(marks, [
      '— the reply was cut by the token limit: 1 call did not run (edit) —',
      '— rewound: what came after event 4 is no longer seen by the model —',
      '— forked from a after event 9 —',
      '— damage (torn): 1 event and 2.0 KB lost —',
      '— input waits (budget); the next message releases it —',
      '— compaction accepted —',
      '— the front of the request changed with event 5 (header) —',
    ])
  })

  test('shows a turn that did not complete, with what to do next', () => {
    const error = { code: 'NETWORK', message: 'no route', next: 'Check the network.' } as const
    const text = shown(event('turn/end', { turn: 1, outcome: 'error', error }))
    assert.equal(text, '— the turn ended in an error —\n  NETWORK: no route\n    Check the network.')
    assert.equal(render(event('turn/end', { turn: 1, outcome: 'completed' }), { color: false }), undefined)
  })

  test('says that files cannot go back, or that old snapshots went, and keeps the notes of other plugins to itself', () => {
    const note = (plugin: string, kind: string, data: Json) => event('plugin/note', { plugin, kind, v: 1, data })
    assert.deepEqual(
      [
        shown(note('snapshots', 'unavailable', { turn: 1, reason: 'It took\nlonger than 10000 ms.' })),
        shown(note('snapshots', 'collected', { snapshots: 2, bytes: 2048 })),
        shown(note('snapshots', 'collected', 'no facts')),
        shown(note('todo', 'unavailable', { reason: 'x' })),
      ],
      [
        '— files changed now cannot be taken back: It took longer than 10000 ms. —',
        '— 2 old snapshots removed to make room (2.0 KB): what they kept cannot go back —',
        '',
        '',
      ],
    )
    const noted = note('snapshots', 'unavailable', { turn: 1, reason: 'x' })
    assert.deepEqual([...fold(transcript, [noted]).entries], [noted])
  })

  test('is missing for what only a program needs', () => {
    assert.equal(render(event('request/sent', sent), { color: false }), undefined)
    assert.equal(render(event('step/start', { turn: 1, step: 1 }), { color: false }), undefined)
  })
})

const sent = { id: 'r', kind: 'step', at: 1, header: 1, extra: null, sha256: '', bytes: 1, repairs: [] } as const
