import type { DataOf } from '@rein/session'
import { counted, size } from './amount.ts'

type Note = DataOf<'plugin/note'>

/** What a person should know of what a plugin noted; undefined for what is the plugin's own affair. */
export function noteText({ plugin, kind, data }: Note): string | undefined {
  if (plugin !== 'snapshots') return undefined
  const { reason, snapshots, bytes } = fields(data)
  if (kind === 'unavailable')
    return `files changed now cannot be taken back: ${typeof reason === 'string' ? reason : 'there is no snapshot'}`
  if (kind !== 'collected' || typeof snapshots !== 'number' || typeof bytes !== 'number') return undefined
  return `${counted(snapshots, 'old snapshot')} removed to make room (${size(bytes)}): what they kept cannot go back`
}

const fields = (data: Note['data']): { readonly [key: string]: unknown } =>
  typeof data === 'object' && data !== null ? { ...data } : {}
