import type { Command } from './cli.ts'
import { keepClean } from './retention.ts'

/** `rein`, `rein -p` and `rein resume`: a session, of which only the part that is wanted is loaded. */
export const session: Command = async (cli, args) => {
  const exit = await opened(cli, args)
  await keepClean(cli, args)
  return exit
}

const opened: Command = async (cli, args) => {
  if (args.has('print')) {
    const { headless } = await import('./headless.ts')
    return headless(cli, args)
  }
  const { interactive } = await import('./interactive.ts')
  return interactive(cli, args)
}
