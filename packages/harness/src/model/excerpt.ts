// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is taken out
const control = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g

/** Text of the other side made fit for one line of a message: no control characters, at most `max` characters. */
export const excerpt = (text: string, max = 300): string => {
  const line = text.replace(control, ' ').replace(/\s+/g, ' ').trim()
  return line.length <= max ? line : `${line.slice(0, max)}…`
}

/** What an HTML page says first: its title, or its text. */
export const pageTitle = (html: string): string => {
  const title = /<title[^>]*>([^<]*)<\/title>/i.exec(html)?.[1] ?? ''
  return excerpt(title.trim() === '' ? html.replace(/<[^>]*>/g, ' ') : title, 120)
}
