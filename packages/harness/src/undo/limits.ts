import { FailureError } from '@rein/session'

/** What a snapshot covers and what may be kept; `plugins.snapshots.config`. */
export interface SnapshotLimits {
  /** A larger file is skipped, in bytes. */
  readonly fileBytes: number
  /** Of all files of one snapshot, in bytes; what comes after is skipped. */
  readonly totalBytes: number
  /** Files of one snapshot; what comes after is skipped. */
  readonly files: number
  /** Of all that is kept for every workspace, in bytes; the oldest goes first. */
  readonly keepBytes: number
  /** Longest wait of a call or of the end of a turn, in milliseconds. */
  readonly waitMs: number
  /** Names of files and folders that are skipped wherever they are. */
  readonly ignore: readonly string[]
}

/** Only names that nobody gives to what is written by hand: `dist`, `build` and `target` are covered. */
const rebuilt = [
  'node_modules',
  'bower_components',
  '.venv',
  '__pycache__',
  '.tox',
  '.nox',
  '.mypy_cache',
  '.pytest_cache',
  '.ruff_cache',
  '.gradle',
  '.next',
  '.nuxt',
  '.svelte-kit',
  '.turbo',
  '.parcel-cache',
  '.terraform',
  '.DS_Store',
]

export const defaultLimits: SnapshotLimits = {
  fileBytes: 10 * 1024 ** 2,
  totalBytes: 1024 ** 3,
  files: 100_000,
  keepBytes: 2 * 1024 ** 3,
  waitMs: 10_000,
  ignore: rebuilt,
}

/** The limits with what the settings say. @throws FailureError `BAD_SETTINGS` naming the key. */
export function limitsOf(raw: unknown): SnapshotLimits {
  if (raw === undefined) return defaultLimits
  if (typeof raw !== 'object' || raw === null) throw refused('plugins.snapshots.config is not a map.')
  for (const [key, value] of Object.entries(raw)) {
    if (!Object.hasOwn(defaultLimits, key)) throw refused(`plugins.snapshots.config.${key} is not known.`)
    if (key === 'ignore' ? !isNames(value) : !(Number.isSafeInteger(value) && value >= 0)) {
      const must = key === 'ignore' ? 'a list of names without /' : 'a whole number from 0 up'
      throw refused(`plugins.snapshots.config.${key} must be ${must}.`)
    }
  }
  return { ...defaultLimits, ...raw }
}

const isNames = (value: unknown): boolean =>
  Array.isArray(value) && value.every((name) => typeof name === 'string' && name !== '' && !name.includes('/'))

const refused = (message: string): FailureError =>
  new FailureError({
    code: 'BAD_SETTINGS',
    message,
    next: `The keys are ${Object.keys(defaultLimits).join(', ')}.`,
  })
