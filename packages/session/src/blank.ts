import type { Block, Content } from './events/content.ts'

/** Text that says nothing; it never reaches the surface or a provider (rule 10). */
export const isBlank = (part: Content | Block): boolean => part.type === 'text' && part.text.trim() === ''

/** Whether a reply has something in it: a call, or text that says something. Reasoning alone is nothing (rule 8). */
export const saysSomething = (content: readonly Block[]): boolean =>
  content.some((block) => block.type === 'call' || (block.type === 'text' && !isBlank(block)))
