import { join } from 'node:path'

/** Something no tool reads or writes below full-access, wherever the workspace is. */
export interface PrivatePath {
  /** Absolute. */
  readonly path: string
  /** What is in it, for the refusal. */
  readonly what: string
}

const inUserHome: readonly (readonly [what: string, ...paths: readonly string[]])[] = [
  ['SSH keys', '.ssh'],
  ['GnuPG keys', '.gnupg'],
  ['AWS credentials', '.aws'],
  [
    'browser profiles',
    '.mozilla',
    '.config/google-chrome',
    '.config/chromium',
    '.config/BraveSoftware',
    '.config/microsoft-edge',
    '.config/vivaldi',
    '.config/opera',
    '.librewolf',
    '.var/app/org.mozilla.firefox',
    '.var/app/com.google.Chrome',
    'snap/firefox',
    'snap/chromium',
    'Library/Application Support/Google/Chrome',
    'Library/Application Support/Chromium',
    'Library/Application Support/Firefox',
    'Library/Application Support/BraveSoftware',
    'Library/Application Support/Microsoft Edge',
    'Library/Safari',
    'Library/Cookies',
  ],
]

const inHome: readonly (readonly [what: string, ...paths: readonly string[]])[] = [
  ['keys of model providers', 'credentials.yaml'],
  ['the key that hides secrets', 'secret-key'],
  ['sessions', 'sessions'],
  ['snapshots of workspaces', 'snapshots'],
  ['what was put away', 'trash'],
  ['the index of all sessions', 'index.sqlite', 'index.sqlite-wal', 'index.sqlite-shm', 'index.sqlite-journal'],
]

/** @param home `$REIN_HOME`. @param userHome the person's home. Both absolute. */
export const privatePaths = (home: string, userHome: string): readonly PrivatePath[] => [
  ...placed(userHome, inUserHome),
  ...placed(home, inHome),
]

const placed = (folder: string, table: typeof inHome): readonly PrivatePath[] =>
  table.flatMap(([what, ...paths]) => paths.map((path) => ({ what, path: join(folder, path) })))
