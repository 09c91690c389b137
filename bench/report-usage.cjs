// Loaded before anything else into a measured process, ours and bare alike; CommonJS, so that a bare start does not
// pay for the loader of modules. Says at the end what the whole process used.
process.on('exit', () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage()
  const usage = { cpuMs: (userCPUTime + systemCPUTime) / 1000, peakMb: maxRSS / 1024 }
  require('node:fs').writeFileSync(process.env.REIN_BENCH_REPORT, JSON.stringify(usage))
})
