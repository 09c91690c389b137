/**
 * A name or path as the file system has it, one character a byte: two are equal exactly when their bytes are, also
 * where they are no UTF-8.
 */
export type ByteName = string

/** What a file operation takes. */
export const pathOf = (name: ByteName): Buffer => Buffer.from(name, 'latin1')

/** For people; bytes that are no text become U+FFFD. */
export const shown = (name: ByteName): string => pathOf(name).toString('utf8')

export const byteName = (text: string): ByteName => Buffer.from(text, 'utf8').toString('latin1')

/** Either may be empty: the folder one counts from, and that folder itself. */
export const joined = (folder: ByteName, name: ByteName): ByteName =>
  folder === '' || name === '' ? folder + name : `${folder}/${name}`

export const folderOf = (path: ByteName): ByteName => path.slice(0, Math.max(0, path.lastIndexOf('/')))
