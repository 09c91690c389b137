import type { Command } from './cli.ts'

/** `rein`, `rein -p` and `rein resume`: a session, of which only the part that is wanted is loaded. */
export const session: Command = async (cli, args) => {
  if (args.has('print')) {
    const { headless } = await import('./headless.ts')
    return headless(cli, args)
  }
  const { interactive } = await import('./interactive.ts')
  return interactive(cli, args)
}
