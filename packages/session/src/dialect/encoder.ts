import type { Header } from '../events/request.ts'
import type { Encoder } from './encoding.ts'
import { openaiChatV1 } from './openai-chat-v1.ts'

export type { Encoder, Encoding, ReadBlob } from './encoding.ts'

/** Every encoder a log of a supported format can name. An old version is a frozen file and stays. */
const encoders: Readonly<Record<string, Encoder | undefined>> = {
  'openai-chat/1': openaiChatV1,
}

/** The encoder a header names, or undefined when this version of rein has none of that name. */
export const encoderFor = (header: Header): Encoder | undefined => encoders[`${header.dialect}/${header.encoder}`]
