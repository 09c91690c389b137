import { type FailureCode, FailureError } from '../failure.ts'
import type { Result, Store, Watched } from '../store.ts'

/** Throws when the two differ as JSON. */
export function equal(actual: unknown, expected: unknown, what: string): void {
  const [a, e] = [JSON.stringify(actual), JSON.stringify(expected)]
  if (a !== e) throw new Error(`${what}: expected ${e}, got ${a}`)
}

/** The value of a result that must be there. */
export function value<T>(result: Result<T>): T {
  if (result.ok) return result.value
  throw new FailureError(result.failure)
}

export function fails(result: Result<unknown>, code: FailureCode): void {
  equal(result.ok ? 'a value' : result.failure.code, code, 'the failure')
}

/** @param code undefined: any rejection. */
export async function rejects(work: Promise<unknown>, code?: FailureCode): Promise<void> {
  let outcome: unknown = 'it resolved'
  try {
    await work
  } catch (cause) {
    if (code === undefined) return
    outcome = cause instanceof FailureError ? cause.failure.code : cause
    if (outcome === code) return
  }
  throw new Error(`expected a rejection with ${code ?? 'anything'}: ${String(outcome)}`)
}

export async function textOf(blocks: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const block of blocks) text += decoder.decode(block, { stream: true })
  return text + decoder.decode()
}

export async function logOf(store: Store, id: string): Promise<string> {
  return textOf(value(await store.read(id)))
}

/** Follow a session until `until` is content with what came so far. */
export async function followed(
  watching: AsyncIterable<Watched>,
  stop: AbortController,
  until: (seen: readonly Watched[]) => boolean,
): Promise<readonly Watched[]> {
  const seen: Watched[] = []
  for await (const news of watching) {
    seen.push(news)
    if (until(seen)) stop.abort()
  }
  return seen
}

/** The lines a follower believes in after all it was told, by position. */
export function believed(seen: readonly Watched[]): readonly string[] {
  const lines: string[] = []
  for (const news of seen) {
    if (news.kind === 'reset') lines.length = Math.min(lines.length, news.from)
    else {
      equal(news.from, lines.length, 'the position of the first line')
      lines.push(...news.lines)
    }
  }
  return lines
}
