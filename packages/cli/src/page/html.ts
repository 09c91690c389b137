import { safeText } from '../view/safe-text.ts'

/** Markup that may stand in the page as it is. Made by `html` and nothing else. */
export class Html {
  readonly #markup: string

  private constructor(markup: string) {
    this.#markup = markup
  }

  toString(): string {
    return this.#markup
  }

  /** The one way in: the strings of a template are ours, everything put between them is text of anybody. */
  static of(strings: TemplateStringsArray, values: readonly Part[]): Html {
    return new Html(strings.reduce((all, string, index) => all + markupOf(values[index - 1]) + string))
  }
}

/** What may stand in a template: text is escaped, a list is one part after the other, nothing is nothing. */
export type Part = string | number | Html | undefined | readonly Part[]

/** Markup with text in it: `html\`<b>${name}</b>\``. Values may stand between tags or inside quoted attributes. */
export const html = (strings: TemplateStringsArray, ...values: readonly Part[]): Html => Html.of(strings, values)

function markupOf(part: Part): string {
  if (part === undefined) return ''
  if (part instanceof Html) return part.toString()
  if (typeof part === 'object') return part.map(markupOf).join('')
  return escaped(String(part))
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** The one place where text becomes markup. What would reorder, hide or control is shown as a visible mark. */
const escaped = (text: string): string =>
  safeText(text).replaceAll(/[&<>"'`]/g, (character) => entities[character] ?? `&#${character.charCodeAt(0)};`)
