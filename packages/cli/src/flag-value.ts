import type { Flag } from './flags.ts'

const looksLikeFlag = /^--?[a-z][a-z-]*(=|$)/i

/** The longest time a timer of Node can hold, in whole seconds. */
const longest = 2_147_483

/**
 * What is wrong with a flag's value, in words; choices are held against the table by the caller.
 * @param inline whether it was given with `=`: then it is meant, whatever it looks like.
 */
export function valueProblem(flag: Flag, value: string | undefined, inline = false): string | undefined {
  const name = `--${flag.name}`
  if (flag.value === undefined) return value === undefined ? undefined : `${name} takes no value`
  if (value === undefined || value === '') return `${name} needs ${flag.value}`
  if (!inline && looksLikeFlag.test(value)) {
    return `${name} needs ${flag.value}, and ${value} looks like a flag; ${name}=${value} says that it is meant`
  }
  return numberProblem(flag, value)
}

function numberProblem({ name, value: kind }: Flag, value: string): string | undefined {
  const number = Number(value)
  const whole = /^\d+$/.test(value) && Number.isSafeInteger(number)
  const told = `not ${JSON.stringify(value)}`
  switch (kind) {
    case 'SEQ':
      return whole ? undefined : `--${name} takes a whole number, ${told}`
    case 'N': {
      const least = name === 'seed' ? 0 : 1
      return whole && number >= least ? undefined : `--${name} takes a whole number from ${least}, ${told}`
    }
    case 'N M':
      return /^[1-9]\d*\s+[1-9]\d*$/.test(value) ? undefined : `--${name} takes two whole numbers from 1, ${told}`
    case 'SECONDS': {
      const usable = /^\d*\.?\d+$/.test(value) && number > 0 && number <= longest
      return usable ? undefined : `--${name} takes seconds, above 0 and up to ${longest}, ${told}`
    }
    default:
      return undefined
  }
}
