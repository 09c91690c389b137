/** Puts a style around text; without colours it gives the text back. */
export type Style = (text: string) => string

export interface Paint {
  readonly dim: Style
  readonly bold: Style
  readonly red: Style
  readonly green: Style
  readonly yellow: Style
  readonly cyan: Style
}

const ESC = String.fromCharCode(27)

/** Every line is styled on its own, so that a pager or a cut in the middle leaves nothing coloured behind it. */
const style =
  (on: number, off: number): Style =>
  (text) =>
    text.replaceAll(/[^\n]+/g, (line) => `${ESC}[${on}m${line}${ESC}[${off}m`)

/** Source of the numbers: ECMA-48 §8.3.117, select graphic rendition. */
const colored: Paint = {
  dim: style(2, 22),
  bold: style(1, 22),
  red: style(31, 39),
  green: style(32, 39),
  yellow: style(33, 39),
  cyan: style(36, 39),
}

const same: Style = (text) => text
const plain: Paint = { dim: same, bold: same, red: same, green: same, yellow: same, cyan: same }

/** @param color whether colours are wanted: a terminal, and neither NO_COLOR nor --no-color. */
export const paint = (color: boolean): Paint => (color ? colored : plain)
