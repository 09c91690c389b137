import { nearest } from '@rein/harness'
import type { Problem } from './args.ts'
import { commands, flags } from './flags.ts'

/** What is wrong with a command line, in words, with the name that was most likely meant. */
export function problemText(problem: Problem): string {
  switch (problem.kind) {
    case 'unknown-flag':
      return unknownFlag(problem.raw)
    case 'stray-word':
      return strayWord(problem.word)
    case 'choice': {
      const { flag, value, choices } = problem
      const near = nearest(value, choices)
      const hint = near === undefined ? `it is one of ${choices.join(', ')}` : `did you mean ${near}?`
      return `--${flag} cannot be ${JSON.stringify(value)}; ${hint}`
    }
    case 'told':
      return problem.message
  }
}

function unknownFlag(raw: string): string {
  const names = flags.map(({ name }) => name)
  const near = nearest(raw.replace(/^-+/, ''), names)
  return near === undefined ? `there is no flag ${raw}` : `there is no flag ${raw}; did you mean --${near}?`
}

/** A first word that is no command: a typing error, or a task that lacks its -p. */
function strayWord(word: string): string {
  const names = commands.map(({ name }) => name)
  const near = nearest(word, names)
  if (near !== undefined) return `there is no command ${JSON.stringify(word)}; did you mean ${near}?`
  return `there is no command ${JSON.stringify(word)}; a task is given with -p: rein -p ${JSON.stringify(word)}`
}
