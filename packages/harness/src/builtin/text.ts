import { readFileSync } from 'node:fs'

/**
 * The model-facing text beside a module. The build puts the file's content in place of the call, so it is always
 * written `text(import.meta.url, './name.md')`.
 */
export const text = (base: string, file: string): string => readFileSync(new URL(file, base), 'utf8').trim()
