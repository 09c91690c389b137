#!/usr/bin/env node
// Starts rein on a Node that can run it. Written for Nodes that are far too old for the rest (12.17 and later parse
// it): no `node:` specifiers, no optional chaining, no top-level await. What Node itself has is asked for by
// `getBuiltinModule` where there is one: an import would load all that stands behind it, which every start would pay.

const WANTED = '^22.19 || >=24'
// Set for the Node that is started in place of this one, so that a start can never lead to a third.
const RESTARTED = 'REIN_RESTARTED'

const builtin = (name) =>
  process.getBuiltinModule
    ? Promise.resolve(process.getBuiltinModule(name))
    : import(name).then((loaded) => loaded.default)

let fs
let path
let here

function satisfies(version) {
  const parts = version.replace(/^v/, '').split('.').map(Number)
  return (parts[0] === 22 && parts[1] >= 19) || parts[0] >= 24
}

/** The Node that was installed beside rein as an npm package, looked for in every node_modules up the tree. */
function bundledNode() {
  const names = [`node-${process.platform}-${process.arch}`, `node-bin-${process.platform}-${process.arch}`]
  if (process.platform === 'win32') names.push(`node-win-${process.arch}`)
  const binary = process.platform === 'win32' ? 'node.exe' : 'node'
  for (let folder = here; ; folder = path.dirname(folder)) {
    for (const name of names) {
      const found = path.join(folder, 'node_modules', name)
      const node = path.join(found, 'bin', binary)
      if (fs.existsSync(node) && satisfies(versionOf(found))) return node
    }
    if (folder === path.dirname(folder)) return undefined
  }
}

function versionOf(folder) {
  return JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8')).version
}

/** Becomes a pipe between the terminal and rein on another Node: same arguments, same signals, same end. */
function runOn(node, spawn) {
  const env = Object.assign({}, process.env, { [RESTARTED]: '1' })
  const child = spawn(node, process.execArgv.concat(process.argv.slice(1)), { stdio: 'inherit', env })
  const forward = (signal) => child.kill(signal)
  for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT']) process.on(signal, forward)
  // A terminal sends Ctrl-C to both; passed on as well it would count twice.
  if (process.stdin.isTTY) process.removeListener('SIGINT', forward).on('SIGINT', () => {})
  child.on('error', (error) => stop(`rein could not start ${node}: ${error.message}`))
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code)
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
    // Not every platform ends at once, or at all, by a signal to itself.
    setTimeout(() => process.exit(1), 1000)
  })
}

function stop(message) {
  process.stderr.write(`${message}\n`)
  process.exitCode = 2
}

/** The bundle; in a checkout that was not built, the source, which needs a Node that strips types. */
function program() {
  if (fs.existsSync(path.join(here, '../dist/main.js'))) return '../dist/main.js'
  return fs.existsSync(path.join(here, '../src/main.ts')) ? '../src/main.ts' : undefined
}

function start(file) {
  delete process.env[RESTARTED]
  builtin('module')
    .then((module) => {
      if (module.enableCompileCache) module.enableCompileCache()
      return import(file)
    })
    .then((rein) => rein.main(process.argv.slice(2)))
    .then((code) => {
      process.exitCode = code
    })
}

function begin() {
  const file = program()
  const unbuilt = file === '../src/main.ts'
  const able = unbuilt ? /^v(2[4-9]|[3-9]\d)/.test(process.version) : satisfies(process.version)
  if (file === undefined) return stop('rein is not built: run npm run build in its checkout')
  if (able) return start(file)
  const node = process.env[RESTARTED] === undefined ? bundledNode() : undefined
  if (node !== undefined) return builtin('child_process').then((loaded) => runOn(node, loaded.spawn))
  stop(`rein needs Node ${unbuilt ? '>=24 while it is not built' : WANTED}; this is ${process.version}`)
}

Promise.all(['fs', 'path', 'url'].map(builtin)).then((loaded) => {
  fs = loaded[0]
  path = loaded[1]
  here = path.dirname(loaded[2].fileURLToPath(import.meta.url))
  return begin()
})
