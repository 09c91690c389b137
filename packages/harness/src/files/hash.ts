import { createHash } from 'node:crypto'

/** SHA-256 of a file's bytes, 64 lower-case hexadecimal digits: the name of one version of it. */
export const contentHash = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')
