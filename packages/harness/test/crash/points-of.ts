// One script at many crash points on one store, as JSON: `node points-of.ts STORE SCRIPT POINTS SEED`.
import { crashScripts } from '../../src/testing/crash/scripts.ts'
import { crashScript } from '../../src/testing/crash/suite.ts'
import { crashSuite } from './stores.ts'

const [, , store, title, points, seed] = process.argv
const script = crashScripts.find(({ name }) => name === title)
if (!script) throw new Error(`there is no script ${title}`)
if (store !== 'memory' && store !== 'jsonl' && store !== 'sqlite') throw new Error(`there is no store ${store}`)
const crashed = await crashScript(crashSuite(store, Number(points), Number(seed)), script)
console.log(JSON.stringify(crashed))
