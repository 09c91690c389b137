import type { ListedSession, Place } from '@rein/harness'

/** One session as `--json` gives it. */
export const plain = ({ entry, store, whole, facts, ...shown }: ListedSession, places?: readonly Place[]) => ({
  id: entry.id,
  store,
  changed: new Date(entry.changed).toISOString(),
  created: facts?.created == null ? null : iso(facts.created),
  cwd: entry.cwd,
  state: entry.state,
  title: shown.title,
  titledBy: facts?.titledBy ?? null,
  bytes: entry.bytes,
  outcome: shown.outcome,
  turns: facts?.turns ?? null,
  models: facts?.models ?? [],
  tokens: facts?.tokens ?? null,
  cost: facts?.cost ?? null,
  parent: facts?.parent ?? null,
  format: shown.format,
  damage: shown.damage,
  head: facts?.head ?? null,
  ...(places && { places: places.map(placed) }),
})

/** Any number may stand in a log; few of them are moments. */
const iso = (ms: number): string | null => (Math.abs(ms) <= 8.64e15 ? new Date(ms).toISOString() : null)

/** A snippet as text, and what is marked in it as places of that text. */
function placed({ seq, who, snippet }: Place) {
  let text = ''
  const matches: [from: number, to: number][] = []
  for (const piece of snippet) {
    if (piece.match) matches.push([text.length, text.length + piece.text.length])
    text += piece.text
  }
  return { seq, who, snippet: text, matches }
}
