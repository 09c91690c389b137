import type { Failure } from '@rein/session'
import { type Place, placeText } from './traced.ts'

/** One thing that is wrong with the settings. All of them are found before any is reported. */
export interface Problem {
  readonly place: Place
  /** The key, dotted; empty when the file as a whole is meant. */
  readonly key: string
  /** Never holds the value: it may be a secret. */
  readonly message: string
}

/** `file:line:column: permissions.mode: expected …` */
export const problemText = ({ place, key, message }: Problem): string =>
  [placeText(place), key, message].filter((part) => part !== '').join(': ')

/** All problems as one failure, a line each. */
export const badSettings = (problems: readonly Problem[]): Failure => ({
  code: 'BAD_SETTINGS',
  message: problems.map(problemText).join('\n'),
  next: problems.length === 1 ? 'Correct it and start again.' : `Correct these ${problems.length} and start again.`,
})
