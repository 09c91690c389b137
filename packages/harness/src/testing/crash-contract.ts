// Public: what a store of somebody else is crashed with.
export type { CrashStore } from './crash/point.ts'
export type { CrashScript } from './crash/scripts.ts'
export { crashScripts } from './crash/scripts.ts'
export type { Crashed, CrashSuite } from './crash/suite.ts'
export { crashContract, crashScript } from './crash/suite.ts'
