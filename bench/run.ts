import { loadavg } from 'node:os'
import type { Row } from './measure.ts'
import { keep, print } from './table.ts'

// `npm run bench` measures everything; `npm run bench -- steps open` only these. Nothing here fails by being slow.

const groups: Readonly<Record<string, () => Promise<readonly Row[]>>> = {
  startup: async () => (await import('./startup.ts')).startup(),
  steps: async () => (await import('./steps.ts')).steps(),
  'first-screen': async () => (await import('./first-screen.ts')).firstScreen(),
  append: async () => (await import('./append.ts')).append(),
  durable: async () => (await import('./durable.ts')).durable(),
  open: async () => (await import('./open.ts')).open(),
  encode: async () => (await import('./encode.ts')).encode(),
  assertion: async () => (await import('./assertion.ts')).assertion(),
  verify: async () => (await import('./verifying.ts')).verifying(),
  sessions: async () => (await import('./sessions.ts')).listing(),
  snapshots: async () => (await import('./snapshots.ts')).snapshots(),
}

const asked = process.argv.slice(2)
const unknown = asked.filter((name) => !Object.hasOwn(groups, name))

if (unknown.length > 0) {
  console.error(`There is no group ${unknown.join(', ')}. Groups: ${Object.keys(groups).join(', ')}.`)
  process.exitCode = 2
} else await measure(asked.length > 0 ? asked : Object.keys(groups))

async function measure(names: readonly string[]): Promise<void> {
  const before = loadavg()
  const rows: Row[] = []
  for (const name of names) {
    console.error(`measuring ${name} …`)
    const found = (await groups[name]?.()) ?? []
    // At once: a run that is broken off has shown something.
    print(found)
    console.log('')
    rows.push(...found)
  }
  console.log(`Medians; a "!" stands behind a limit that was missed. Kept in ${keep(rows, before)}`)
}
