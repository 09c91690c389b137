// Loaded before anything else into a measured process, ours and bare alike; CommonJS, so that a bare start does not
// pay for the loader of modules. Says at the end what the whole process used.
const { readFileSync, writeFileSync } = require('node:fs')

/** Peak resident memory in KB. Linux counts what the parent had into `maxRSS`, and not into `VmHWM`. */
function peak(maxRSS) {
  if (process.platform !== 'linux') return maxRSS
  return Number(/^VmHWM:\s*(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))[1])
}

process.on('exit', () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage()
  const usage = { cpuMs: (userCPUTime + systemCPUTime) / 1000, peakMb: peak(maxRSS) / 1024 }
  writeFileSync(process.env.REIN_BENCH_REPORT, JSON.stringify(usage))
})
