import type { Content, ImageContent, SessionEvent } from '@rein/session'

/** Every picture an event names, those of waiting input and of side requests too. */
export function picturesIn(event: SessionEvent): readonly ImageContent[] {
  return contentIn(event).flatMap((part) => (part.type === 'image' ? [part] : []))
}

function contentIn(event: SessionEvent): readonly Content[] {
  switch (event.type) {
    case 'user/message':
    case 'tool/result':
      return event.data.content
    case 'request/sent':
      return event.data.extra ?? []
    case 'inbox/spliced':
      return event.data.insert.flatMap(({ content }) => content)
    default:
      return []
  }
}

/** Names of all pictures of a log, each once, in order. */
export const blobsOf = (events: readonly SessionEvent[]): readonly string[] => [
  ...new Set(events.flatMap((event) => picturesIn(event).map(({ blob }) => blob))),
]

/** Stands where a picture was that held what had to go. */
export const noPicture: Content = { type: 'text', text: '⟦picture⟧' }
