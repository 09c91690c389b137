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

/** The sections of the system text, each owned by the row that added it. */
export class Sections {
  readonly #sections = new Map<string, Section & { readonly owner: string }>()

  /** @throws Error naming both owners when the name or the order is taken. */
  add(scope: Scope, section: Section): void {
    for (const other of this.#sections.values()) {
      if (other.owner === scope.owner && other.name === section.name) continue
      if (other.name !== section.name && other.order !== section.order) continue
      throw new Error(`section "${section.name}" of ${scope.owner} clashes with "${other.name}" of ${other.owner}`)
    }
    const entry = { ...section, owner: scope.owner }
    this.#sections.set(section.name, entry)
    scope.defer(() => {
      // A replacement may have put its own there by now.
      if (this.#sections.get(section.name) === entry) this.#sections.delete(section.name)
    }, `section ${section.name}`)
  }

  /** The whole text, and what it is made of. The same sections give the same bytes. */
  render(): DataOf<'system/message'> {
    const inOrder = [...this.#sections.values()].sort((a, b) => a.order - b.order)
    return {
      text: inOrder.map((section) => section.text.trim()).join('\n\n'),
      sections: inOrder.map(({ name, order, owner, text }) => {
        const bytes = Buffer.byteLength(text.trim())
        return { name, order, owner, bytes, sha256: createHash('sha256').update(text.trim()).digest('hex') }
      }),
    }
  }
}

export const SectionTable = service<Sections>('sections')
