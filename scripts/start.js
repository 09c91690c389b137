// Runs one of the scripts beside it on the Node they are written for: `node scripts/start.js test.ts …`. Plain
// JavaScript, so that another Node can read at least this far and say what is wrong.

const NODE = 24

const [, here, script, ...args] = process.argv
const major = Number(process.versions.node.split('.')[0])

if (major < NODE) {
  console.error(
    `${script} needs Node ${NODE}; this is Node ${process.versions.node}. ` +
      `"npm ci" installs it on Linux, macOS and Windows, and "npm run" uses it; elsewhere install Node ${NODE} yourself.`,
  )
  process.exit(1)
}

process.argv = [process.argv[0], here, ...args]
await import(new URL(script, import.meta.url).href)
