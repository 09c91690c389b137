import { seam } from '@rein/kernel'
import type { DataOf, SessionLog } from '@rein/session'

/** What the model is told besides the conversation. Pinned for one step. */
export interface Prompt {
  /** The system text, assembled from sections. Rendered once a session. */
  system(): DataOf<'system/message'>
  /** What changes slowly, as one whole snapshot; undefined while it is what the model was last told. */
  context(log: SessionLog, cwd: string): DataOf<'user/message'> | undefined
}

export const PromptPort = seam<Prompt>('prompt')
