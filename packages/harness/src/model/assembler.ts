import type { Block, CallBlock, Failure, Finish, Json, Timing, Usage } from '@rein/session'
import type { Chunk } from './chunk.ts'

/** What a screen is shown while a reply comes in. */
export type Delta =
  | { readonly kind: 'text' | 'reasoning'; readonly block: number; readonly text: string }
  | { readonly kind: 'call'; readonly block: number; readonly name: string }
  | { readonly kind: 'arguments'; readonly block: number; readonly text: string }

/** A chunk that broke the rules of a stream and was left out. */
export interface Violation {
  readonly chunk: Chunk['kind']
  readonly why: 'after-end' | 'after-close' | 'other-kind' | 'unknown-block' | 'no-name'
}

/** One whole reply. With a `failure` it is not a success: its text is kept, and none of its calls is. */
export interface Reply {
  /** In the order the model gave it; no blank text, no half call. */
  readonly content: readonly Block[]
  /** Calls that must not run: cut by the token limit, filtered, or of a reply that failed. They may be half. */
  readonly dropped: readonly CallBlock[]
  readonly finish: Finish | null
  readonly usage: Usage | null
  readonly failure?: Failure
  readonly timing: Timing
  readonly violations: readonly Violation[]
}

export interface AssemblerOptions {
  /** Milliseconds, rising; the attempt starts when the assembler is made. */
  readonly now: () => number
  /** Whether this call id is in the session already. */
  readonly taken: (id: string) => boolean
  /** A call id that is new to the session. */
  readonly mint: () => string
  readonly onDelta?: (delta: Delta) => void
}

export interface Assembler {
  push(chunk: Chunk): void
  /** @param how `cancelled` when the caller stopped the stream itself: then its early end is no failure. */
  end(how?: 'cancelled'): Reply
}

type Draft =
  | { readonly kind: 'text'; text: string; closed: boolean }
  | { readonly kind: 'reasoning'; text: string; signature: string | undefined; closed: boolean }
  | { readonly kind: 'call'; id: string; name: string; arguments: string; closed: boolean }
  | { readonly kind: 'private'; data: Json; closed: boolean }

type Kind = Draft['kind']
type BlockChunk = Extract<Chunk, { block: number }>

/** Longest id a provider may give a call; a longer one is replaced. */
const longestId = 256

const kindOf = (chunk: BlockChunk): Kind | 'close' => (chunk.kind === 'arguments' ? 'call' : chunk.kind)

const newDraft = (kind: Kind): Draft => {
  switch (kind) {
    case 'text':
      return { kind, text: '', closed: false }
    case 'reasoning':
      return { kind, text: '', signature: undefined, closed: false }
    case 'call':
      return { kind, id: '', name: '', arguments: '', closed: false }
    case 'private':
      return { kind, data: null, closed: false }
  }
}

/** @returns what a screen is shown of it. */
const extend = (draft: Draft, chunk: BlockChunk): Delta | undefined => {
  const { block } = chunk
  if (chunk.kind === 'text' && draft.kind === 'text') draft.text += chunk.text
  else if (chunk.kind === 'reasoning' && draft.kind === 'reasoning') {
    draft.text += chunk.text
    draft.signature = chunk.signature ?? draft.signature
  } else if (chunk.kind === 'arguments' && draft.kind === 'call') draft.arguments += chunk.text
  else if (chunk.kind === 'private' && draft.kind === 'private') draft.data = chunk.data
  else if (chunk.kind === 'call' && draft.kind === 'call') {
    const named = draft.name === '' && (chunk.name ?? '') !== ''
    draft.id ||= chunk.id ?? ''
    draft.name ||= chunk.name ?? ''
    return named ? { kind: 'call', block, name: draft.name } : undefined
  }
  if (chunk.kind !== 'text' && chunk.kind !== 'reasoning' && chunk.kind !== 'arguments') return undefined
  return chunk.text === '' ? undefined : { kind: chunk.kind, block, text: chunk.text }
}

/** Gives each call an id that is unique in the session; what the provider called it is kept. */
const identify = (options: AssemblerOptions) => {
  const used = new Set<string>()
  return (draft: Draft & { kind: 'call' }): CallBlock => {
    const own =
      draft.id.trim() !== '' && draft.id.length <= longestId && !used.has(draft.id) && !options.taken(draft.id)
    const id = own ? draft.id : options.mint()
    used.add(id)
    const text = draft.arguments.trim() === '' ? '{}' : draft.arguments
    return {
      type: 'call',
      id,
      name: draft.name,
      arguments: text,
      ...(own || draft.id === '' ? {} : { wireId: draft.id }),
    }
  }
}

/** Rule 10: what is blank does not become a block. */
const blockOf = (draft: Exclude<Draft, { kind: 'call' }>): Block | undefined => {
  if (draft.kind === 'private') return { type: 'private', data: draft.data }
  if (draft.kind === 'text') return draft.text.trim() === '' ? undefined : { type: 'text', text: draft.text }
  const { text, signature } = draft
  if (text.trim() === '' && signature === undefined) return undefined
  return { type: 'reasoning', text, ...(signature === undefined ? {} : { signature }) }
}

/** Rules 6 and 8: what the reply amounts to, given how it finished. */
const judge = (content: readonly Block[], finish: Finish | null, cancelled: boolean): Failure | undefined => {
  if (finish === null) {
    if (cancelled) return undefined
    return { code: 'STREAM_TRUNCATED', message: 'the reply ended without a finish', next: 'Try again.' }
  }
  if (finish.reason === 'filtered') {
    return {
      code: 'CONTENT_FILTERED',
      message: `the provider cut the reply off by its content filter ("${finish.raw}")`,
      next: 'Change what was asked; the provider refuses this content.',
    }
  }
  if (finish.reason === 'length' || content.some((block) => block.type === 'text' || block.type === 'call'))
    return undefined
  return { code: 'EMPTY_RESPONSE', message: 'the reply has neither text nor calls in it', next: 'Try again.' }
}

/** A reply that was stopped in the middle: what it asks for may be half. */
const isCut = (finish: Finish): boolean => finish.reason === 'length' || finish.reason === 'filtered'

/** The reason says whether there are calls to run, whatever word the server used. */
const reconcile = (finish: Finish, calls: boolean): Finish => {
  if (finish.reason === 'stop' && calls) return { ...finish, reason: 'calls' }
  return finish.reason === 'calls' && !calls ? { ...finish, reason: 'stop' } : finish
}

/**
 * Chunks to one reply, by rules 5 to 8. Takes any sequence of chunks without throwing: what breaks the rules is left
 * out and reported. A finish closes what is still open; without one every call is half and is dropped.
 */
export const assembler = (options: AssemblerOptions): Assembler => new Assembly(options)

class Assembly implements Assembler {
  readonly #options: AssemblerOptions
  readonly #started: number
  readonly #drafts = new Map<number, Draft>()
  readonly #violations: Violation[] = []
  readonly #moments: { connected?: number; 'first-byte'?: number } = {}
  #usage: Usage | null = null
  #finish: Finish | null = null
  #failure: Failure | undefined

  constructor(options: AssemblerOptions) {
    this.#options = options
    this.#started = options.now()
  }

  push(chunk: Chunk): void {
    if (this.#finish !== null || this.#failure !== undefined) this.#refuse(chunk, 'after-end')
    else if (chunk.kind === 'moment') this.#moments[chunk.at] ??= this.#options.now() - this.#started
    else if (chunk.kind === 'usage') this.#usage = chunk.usage
    else if (chunk.kind === 'finish') this.#finish = chunk.finish
    else if (chunk.kind === 'failed') this.#failure = chunk.failure
    else this.#pushBlock(chunk)
  }

  end(how?: 'cancelled'): Reply {
    const finish = this.#finish
    const { content, dropped } = this.#collect(finish !== null && !isCut(finish))
    const calls = content.some((block) => block.type === 'call') || dropped.length > 0
    const failure = this.#failure ?? judge(content, finish, how === 'cancelled')
    return {
      content,
      dropped,
      finish: finish === null ? null : reconcile(finish, calls),
      usage: this.#usage,
      ...(failure === undefined ? {} : { failure }),
      timing: {
        connectMs: this.#moments.connected ?? null,
        firstByteMs: this.#moments['first-byte'] ?? null,
        totalMs: this.#options.now() - this.#started,
      },
      violations: this.#violations,
    }
  }

  #refuse(chunk: Chunk, why: Violation['why']): void {
    this.#violations.push({ chunk: chunk.kind, why })
  }

  #pushBlock(chunk: BlockChunk): void {
    const known = this.#drafts.get(chunk.block)
    const kind = kindOf(chunk)
    if (kind === 'close') {
      if (known === undefined) this.#refuse(chunk, 'unknown-block')
      else known.closed = true
      return
    }
    const wrong = known?.closed ? 'after-close' : known !== undefined && known.kind !== kind ? 'other-kind' : undefined
    if (wrong !== undefined) {
      this.#refuse(chunk, wrong)
      return
    }
    const draft = known ?? newDraft(kind)
    this.#drafts.set(chunk.block, draft)
    const delta = extend(draft, chunk)
    if (delta !== undefined) this.#options.onDelta?.(delta)
  }

  #collect(runnable: boolean): { content: readonly Block[]; dropped: readonly CallBlock[] } {
    const toCall = identify(this.#options)
    const content: Block[] = []
    const dropped: CallBlock[] = []
    for (const draft of this.#drafts.values()) {
      if (draft.kind !== 'call') {
        const block = blockOf(draft)
        if (block !== undefined) content.push(block)
      } else if (!runnable) dropped.push(toCall(draft))
      // A call that finished without a name asks for nothing that could be run or answered.
      else if (draft.name.trim() === '') this.#violations.push({ chunk: 'call', why: 'no-name' })
      else content.push(toCall(draft))
    }
    return { content, dropped }
  }
}
