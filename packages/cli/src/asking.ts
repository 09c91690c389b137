import { createInterface } from 'node:readline'
import type { Agent, ApprovalQueue, ApprovalRequest } from '@rein/harness'
import type { DataOf } from '@rein/session'
import type { Cli } from './cli.ts'
import { safeText } from './view/safe-text.ts'

/** What a typed line says to a question. */
export type Said =
  /** `grant` is the very command, to be allowed until the session ends. */
  | { readonly kind: 'answer'; readonly decision: Omit<DataOf<'approval/decided'>, 'id'>; readonly grant?: string }
  /** It can be read both ways, or asks what the answers mean. */
  | { readonly kind: 'unclear' }

/** The question as a line for people, the answers it takes behind it. */
export const questionText = (request: ApprovalRequest): string =>
  `${safeText(request.what)} [y/N${offeredRule(request) === undefined ? '' : '/s'}/?]`

export const answersText =
  'y: yes, this once · n: no, or no with words for the model · s: yes, and this very command again without asking'

/** Only a clear yes allows; nothing at all is a no. */
export function read(line: string, request: ApprovalRequest): Said {
  const text = line.trim()
  const rule = offeredRule(request)
  if (/^y(es)?$/i.test(text)) return { kind: 'answer', decision: { decision: 'allowed-once', by: 'person' } }
  if (/^s(ession)?$/i.test(text) && rule !== undefined) {
    return { kind: 'answer', decision: { decision: 'allowed-once', by: 'person' }, grant: rule }
  }
  if (text === '?' || /^(y(es)?|s(ession)?)\b/i.test(text)) return { kind: 'unclear' }
  const words = text.replace(/^no?\b[\s,.:;-]*/i, '').trim()
  return { kind: 'answer', decision: { decision: 'denied', by: 'person', ...(words !== '' && { words }) } }
}

/** A question and what was said to it; `id` is for the grant that may come of it. */
export interface Answered {
  readonly request: ApprovalRequest
  readonly said: Extract<Said, { kind: 'answer' }>
  readonly id: string
}

/** Answer a question in a session, the grant first: it is logged before the call it allows runs. */
export function settle(approvals: ApprovalQueue, agent: Agent, { request, said, id }: Answered): void {
  if (said.grant !== undefined) {
    agent.session.log.append('permission/grant', { id, rule: said.grant, scope: 'session', by: 'person' })
  }
  approvals.answer(request.id, said.decision)
}

/** The session grant a question may offer. */
function offeredRule({ detail }: ApprovalRequest): string | undefined {
  const offer = fieldOf(detail, 'offer')
  const rule = fieldOf(offer, 'rule')
  return fieldOf(offer, 'scope') === 'session' && typeof rule === 'string' ? rule : undefined
}

const fieldOf = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined

/** Ask on the terminal of a headless run, on stderr: stdout holds the answer and nothing else. */
export function askOnTerminal(cli: Cli, approvals: ApprovalQueue, answer: (answered: Answered) => void): Disposable {
  const lines = createInterface({ input: cli.stdin, terminal: false })
  let shown: string | undefined
  const show = (): void => {
    const request = approvals.pending()[0]
    if (request === undefined || request.id === shown) return
    shown = request.id
    cli.err(`? ${questionText(request)} `)
  }
  lines.on('line', (line) => {
    const request = approvals.pending()[0]
    if (!request) return
    const said = read(line, request)
    if (said.kind === 'unclear') cli.err(`${answersText}\n? ${questionText(request)} `)
    else answer({ request, said, id: `grant-${crypto.randomUUID()}` })
  })
  // Nobody is there any more: every question is a no.
  lines.on('close', () => {
    for (const { id } of approvals.pending()) approvals.answer(id, { decision: 'unanswered', by: 'nobody' })
  })
  const listening = approvals.onChange(show)
  return {
    [Symbol.dispose]: () => {
      listening[Symbol.dispose]()
      lines.close()
    },
  }
}
