/** The command line, checked: only flags that make sense for the command, each with the kind of value it takes. */
export interface Args {
  /** '' is the session itself. */
  readonly command: string
  /** What stands after the command and is no flag. */
  readonly words: readonly string[]
  /** Whether the flag was given. */
  has(flag: string): boolean
  /** The last value given. */
  value(flag: string): string | undefined
  values(flag: string): readonly string[]
}
