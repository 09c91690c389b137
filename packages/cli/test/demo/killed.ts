import { parseCommandLine } from '../../src/args.ts'
import { demo } from '../../src/commands/demo.ts'

// Runs the demo and dies, as of kill -9, once the event named by the first argument is in the log. What follows it are
// more words of the command.

const at = Number(process.argv[2])
const parsed = parseCommandLine(['demo', '--json', '--quiet', ...process.argv.slice(3)])
if (!parsed.ok) throw new Error(JSON.stringify(parsed.problem))
const { env } = process
await demo(
  {
    env,
    cwd: process.cwd(),
    home: env['REIN_HOME'] ?? '',
    version: '0.0.0-test',
    stdin: process.stdin,
    terminal: false,
    color: false,
    err: () => undefined,
    out: async (line) => {
      if (JSON.parse(line).seq >= at) process.kill(process.pid, 'SIGKILL')
    },
  },
  parsed.args,
)
