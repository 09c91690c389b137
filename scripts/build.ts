import { bundle } from './bundle.ts'
import { inRoot } from './root.ts'

// `npm run build`, also done by `npm ci`: the command as packages/cli/bin/rein.js starts it.

const threads = { 'undo-worker': inRoot('packages/harness/src/undo/undo-worker.ts') }

await bundle(inRoot('packages/cli/src/main.ts'), inRoot('packages/cli/dist'), threads).catch((error: unknown) => {
  const told = error instanceof Error && 'errors' in error
  if (!told) console.error(error)
  process.exitCode = 1
})
