import type { Command } from '../cli.ts'

/**
 * What stands under `rein sessions`, by the whole name its row in `flags.ts` has; each is loaded when it is called.
 * A word that is none of them is looked for: `rein sessions -- title` looks for the word.
 */
const under: { readonly [name: string]: () => Promise<Command> } = {
  sessions: () => import('./sessions/list.ts').then(({ list }) => list),
  'sessions title': () => import('./sessions/title.ts').then(({ title }) => title),
  'sessions trash': () => import('./sessions/trash.ts').then(({ trash }) => trash),
  'sessions move': () => import('./sessions/move.ts').then(({ move }) => move),
  'sessions import': () => import('./sessions/import.ts').then(({ importCommand }) => importCommand),
}

/** `rein sessions …`: the list and the search, or what is done to sessions as wholes. */
export const sessions: Command = async (cli, args) => {
  const command = await under[args.command]?.()
  if (!command) throw new Error(`${JSON.stringify(args.command)} is in the table of commands and has no module`)
  return command(cli, args)
}
