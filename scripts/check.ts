import { checks, run } from './checks.ts'

// `npm run check`: types, format, lint and dead code, without the tests; says nothing of what is well.

const results = await Promise.all(checks.map(async (check) => ({ ...check, ...(await run(check)) })))
for (const { name, passed, output } of results) {
  if (passed) continue
  console.error(`${name}: failed\n\n${output}`)
  process.exitCode = 1
}
