import { createHash } from 'node:crypto'
import { type Scope, service } from '@rein/kernel'
import type { DataOf } from '@rein/session'

/** One part of the system text. Guidance only: what changes while a session lives is runtime context. */
export interface Section {
  readonly name: string
  /** Place in the text, unique. */
  readonly order: number
  readonly text: string
}

interface Owned {
  readonly section: Section
  readonly scope: Scope
}

/** The sections of the system text, each owned by the row that added it. */
export class Sections {
  readonly #all = new Set<Owned>()

  /** @throws Error naming both owners when the name or the order is taken. A replacement may take its row's own. */
  add(scope: Scope, section: Section): void {
    const { name, order } = section
    const isTaken = (other: Owned) =>
      standsBeside(scope, other.scope) && (other.section.name === name || other.section.order === order)
    const clash = [...this.#all].find(isTaken)
    if (clash)
      throw new Error(
        `section "${name}" of ${scope.owner} clashes with "${clash.section.name}" of ${clash.scope.owner}`,
      )
    const owned = { section, scope }
    scope.defer(() => void this.#all.delete(owned), `section ${name}`)
    this.#all.add(owned)
  }

  /** The whole text, and what it is made of. The same sections give the same bytes. */
  render(): DataOf<'system/message'> {
    const live = [...this.#all].filter(({ scope }) => scope.live)
    const inOrder = live.sort((a, b) => a.section.order - b.section.order)
    const texts = inOrder.map(({ section }) => section.text.trim())
    const sections = inOrder.map(({ section: { name, order, text }, scope: { owner } }) => {
      const bytes = Buffer.byteLength(text.trim())
      return { name, order, owner, bytes, sha256: createHash('sha256').update(text.trim()).digest('hex') }
    })
    return { text: texts.join('\n\n'), sections }
  }
}

/** Whether both will be there at once: of one run, or of two rows. */
const standsBeside = ({ generation }: Scope, other: Scope): boolean =>
  other.generation === generation || (other.live && other.generation.row !== generation.row)

export const SectionTable = service<Sections>('sections')
