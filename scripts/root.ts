import { join } from 'node:path'

/** The folder of the checkout, absolute. */
export const root: string = join(import.meta.dirname, '..')

/** A path inside the checkout. */
export function inRoot(...parts: string[]): string {
  return join(root, ...parts)
}
