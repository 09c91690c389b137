import { readFileSync, writeFileSync } from 'node:fs'
import { eventTables } from './events-page.ts'
import { inRoot } from './root.ts'

// `npm run docs` writes the generated part of docs/events.md; a test compares it with the union.

const page = inRoot('docs/events.md')
const [start, end] = ['<!-- events -->', '<!-- /events -->']

/** The page with its generated part made anew; what stands around the markers stays. */
export function eventsPage(text = readFileSync(page, 'utf8')): string {
  const [before, rest = ''] = text.split(start)
  const after = rest.split(end)[1]
  if (before === undefined || after === undefined) throw new Error(`${page} has no ${start} … ${end}`)
  return `${before}${start}\n\n${eventTables()}\n\n${end}${after}`
}

if (import.meta.main) writeFileSync(page, eventsPage())
