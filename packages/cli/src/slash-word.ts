/**
 * The command a line begins with, such as `/model`: a word behind a slash that ends with the word. A path or a comment
 * is none.
 */
export const slashWord = (text: string): string | undefined => /^\/[a-z][^\s/]*(?=\s|$)/i.exec(text)?.[0]

/** How to say to the model what would be a command. */
export const sayWithSlash = 'to say it to the model, put a space before the slash.'
