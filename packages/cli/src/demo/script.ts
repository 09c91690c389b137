import type { ChatRequest, ScriptedReply } from '@rein/harness'
import { type Called, conversationOf } from './conversation.ts'
import { cure, fault, source, test, testCommand } from './project.ts'

/** What is to be done, in the order of doing. */
const tasks = ['See the test fail', 'Find the cause', 'Fix it', 'See the test pass'] as const

/** What the results in a conversation show, worked out from them alone. */
interface Known {
  readonly listed: boolean
  readonly testRead: boolean
  readonly planned: boolean
  /** The list says that everything is done. */
  readonly ticked: boolean
  /** How the newest run of the test ended; undefined when none ended, or the source was changed since. */
  readonly run: 'passed' | 'failed' | undefined
  /** Runs in a row since the last answer that showed nothing: refused, cut off or broken. */
  readonly blindRuns: number
  /** What the newest read of the source showed, when nothing changed it since. */
  readonly source: 'faulty' | 'cured' | 'other' | undefined
}

/**
 * The reply to a request. Not a tape: it goes by the results it sees, so a session that was killed at any moment goes
 * on in the right place, and it never says that a test passed which did not.
 */
export function reply(request: ChatRequest): ScriptedReply {
  const { calls, answeredBefore } = conversationOf(request)
  if (calls.filter(({ fresh }) => fresh).length >= mostCalls) return { text: 'I do not get anywhere, and stop here.' }
  const known = calls.reduce(learn, {
    listed: false,
    testRead: false,
    planned: false,
    ticked: false,
    run: undefined,
    blindRuns: 0,
    source: undefined,
  })
  const over = answeredBefore && known.run === 'passed' && known.ticked
  return over ? { text: 'I am a scripted model: fixing this one test is all I can do.' } : next(known)
}

function next(known: Known): ScriptedReply {
  if (!known.listed || !known.testRead) return look(known)
  if (!known.planned) return { calls: [todo(0)] }
  if (known.run === 'passed') return known.ticked ? { text: answer } : { calls: [todo(tasks.length)] }
  if (known.blindRuns >= mostBlindRuns)
    return { text: `I cannot tell whether the test passes: running \`${testCommand}\` showed nothing.` }
  if (known.run === undefined && known.source !== 'faulty') return { calls: [run] }
  if (known.source === undefined) return { text: 'One test fails. I read the code it tests.', calls: [read(source)] }
  if (known.source === 'faulty')
    return { text: 'The discount is in percent, and is taken off as cents.', calls: [edit] }
  return { text: `The test fails, and \`${source}\` is not the file I know. I leave it as it is.` }
}

const mostBlindRuns = 3
/** Calls before an answer; the way through takes eight. */
const mostCalls = 40

const look = ({ listed, testRead }: Known): ScriptedReply => ({
  text: 'I look at the project first.',
  calls: [...(listed ? [] : [{ name: 'glob', arguments: { pattern: '**/*' } }]), ...(testRead ? [] : [read(test)])],
})

const read = (path: string) => ({ name: 'read', arguments: { path } })
const run = { name: 'bash', arguments: { command: testCommand, description: 'Run the test' } }
const edit = { name: 'edit', arguments: { path: source, edits: [{ old: fault, new: cure }] } }
const todo = (done: number) => ({
  name: 'todo',
  arguments: {
    items: tasks.map((text, at) => ({ text, state: at < done ? 'done' : at === done ? 'active' : 'pending' })),
  },
})

const answer = [
  'The test passes now: 3 passed, 0 failed.',
  '',
  `The cause was in \`${source}\`: the discount is a percentage, and \`total\``,
  'subtracted it as cents. It now takes that share of the sum.',
].join('\n')

/** What one more call shows. A result that says nothing of the kind, after a crash for one, shows nothing. */
function learn(known: Known, { name, arguments: given, result, fresh }: Called): Known {
  switch (name) {
    case 'glob':
      return result.includes(source) ? { ...known, listed: true } : known
    case 'read':
      if (given['path'] === test) return result.includes('1\t') ? { ...known, testRead: true } : known
      return { ...known, source: seenIn(result) }
    case 'todo':
      return result.includes('done')
        ? { ...known, planned: true, ticked: result.startsWith(`${tasks.length} of`) }
        : known
    case 'bash': {
      const ended = endOf(result)
      return ended === undefined
        ? { ...known, run: undefined, blindRuns: known.blindRuns + (fresh ? 1 : 0), source: undefined }
        : { ...known, run: ended, blindRuns: 0 }
    }
    case 'edit':
      // Changed, refused or unknown: what was seen before no longer counts.
      return { ...known, run: undefined, source: undefined }
    default:
      return known
  }
}

function endOf(result: string): Known['run'] {
  const [, failed] = /^\d+ passed, (\d+) failed$/m.exec(result) ?? []
  if (failed === undefined) return undefined
  return failed === '0' ? 'passed' : 'failed'
}

function seenIn(result: string): Known['source'] {
  if (!/^1\t/.test(result)) return undefined
  if (result.includes(fault.trim())) return 'faulty'
  return result.includes(cure.trim()) ? 'cured' : 'other'
}
