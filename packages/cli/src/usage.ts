import { nearest } from '@rein/harness'
import type { Result } from '@rein/session'
import { commands, type Flag, flags } from './flags.ts'

export const usage = (message: string): Result<never> & { readonly ok: false } => ({
  ok: false,
  failure: { code: 'USAGE', message, next: 'rein --help lists what there is.' },
})

export function unknownFlag(raw: string): string {
  const near = nearest(
    raw.replace(/^-+/, ''),
    flags.map(({ name }) => name),
  )
  return near === undefined ? `there is no flag ${raw}` : `there is no flag ${raw}; did you mean --${near}?`
}

/** A first word that is no command: a typing error, or a task that lacks its -p. */
export function strayWord(word: string): string {
  const near = nearest(
    word,
    commands.map(({ name }) => name),
  )
  if (near !== undefined) return `there is no command ${JSON.stringify(word)}; did you mean ${near}?`
  return `there is no command ${JSON.stringify(word)}; a task is given with -p: rein -p ${JSON.stringify(word)}`
}

const looksLikeFlag = /^--?[a-z][a-z-]*(=|$)/i

/** What is wrong with a flag's value, in words. @param inline whether it was given with `=`. */
export function flagProblem(flag: Flag, value: string | undefined, inline = false): string | undefined {
  const name = `--${flag.name}`
  if (flag.value === undefined) return value === undefined ? undefined : `${name} takes no value`
  if (value === undefined) return `${name} needs ${flag.value}`
  if (!inline && looksLikeFlag.test(value)) {
    return `${name} needs ${flag.value}, and ${value} looks like a flag; ${name}=${value} says that it is meant`
  }
  if (flag.choices && !flag.choices.includes(value)) {
    const near = nearest(value, flag.choices)
    const hint = near === undefined ? `it is one of ${flag.choices.join(', ')}` : `did you mean ${near}?`
    return `${name} cannot be ${JSON.stringify(value)}; ${hint}`
  }
  return numberProblem(flag, value)
}

function numberProblem({ name, value: kind, ...flag }: Flag, value: string): string | undefined {
  const number = Number(value)
  const whole = /^\d+$/.test(value) && Number.isSafeInteger(number)
  const told = `not ${JSON.stringify(value)}`
  if (kind === 'SEQ' || name === 'seed') return whole ? undefined : `--${name} takes a whole number, ${told}`
  if (kind === 'N') return whole && number >= 1 ? undefined : `--${name} takes a whole number from 1, ${told}`
  if (kind === 'N M') {
    const both = /^[1-9]\d*\s+[1-9]\d*$/.test(value)
    return both ? undefined : `--${name} takes two whole numbers from 1, ${told}`
  }
  if (kind !== 'SECONDS') return value === '' && !flag.choices ? `--${name} needs ${kind}` : undefined
  const usable = /^\d*\.?\d+$/.test(value) && number > 0 && number <= longest
  return usable ? undefined : `--${name} takes seconds, above 0 and up to ${longest}, ${told}`
}

/** The longest time a timer of Node can hold, in whole seconds. */
const longest = 2_147_483
