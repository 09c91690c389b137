import type { DataOf, Fold, Permission, SessionLog } from '@rein/session'
import { permission } from '@rein/session'

const name = 'runtime'

interface Told {
  readonly seq: number
  readonly text: string
}

/** The snapshot the model sees now; undefined when there is none on the surface. */
export const told: Fold<Told | undefined> = {
  rewinds: true,
  initial: undefined,
  step(state, event) {
    if (event.type === 'user/message' && event.data.source.kind === 'context' && event.data.source.name === name) {
      const [part] = event.data.content
      return { seq: event.seq, text: part?.type === 'text' ? part.text : '' }
    }
    return state && event.sources?.includes(state.seq) && typeof event.surface === 'object' ? undefined : state
  },
}

/** What changes slowly, as one whole snapshot; undefined while it is what the model was last told. */
export function runtimeContext(
  log: SessionLog,
  facts: { readonly cwd: string; readonly now: number },
): DataOf<'user/message'> | undefined {
  const text = snapshot(log.state(permission), facts)
  if (log.state(told)?.text === text) return undefined
  return { content: [{ type: 'text', text }], source: { kind: 'context', name } }
}

function snapshot(state: Permission, { cwd, now }: { cwd: string; now: number }): string {
  const lines = [
    `Working directory: ${cwd}`,
    `Date: ${localDate(now)}`,
    `Permission mode: ${state.mode ?? 'read-only'}`,
    `Sandbox: ${enforcement(state)}`,
  ]
  if (state.plan) lines.push('Plan mode is on: explore and plan, change nothing.')
  return `<context>\n${lines.join('\n')}\nThis snapshot supersedes earlier ones.\n</context>`
}

function enforcement({ enforced, mode }: Permission): string {
  if (mode === 'full-access') return 'none, by choice; commands run with all the rights of the person'
  if (!enforced || enforced.level === 'none')
    return 'none is available; file tools are held to the mode, and each command needs permission'
  const missing = enforced.missing.length > 0 ? `, not enforced: ${enforced.missing.join('; ')}` : ''
  return `${enforced.backend}, ${enforced.level}${missing}`
}

function localDate(now: number): string {
  const date = new Date(now)
  const two = (value: number) => String(value).padStart(2, '0')
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
}
