import { baseName, shellCommands } from './shell-words.ts'

/** What a program destroys with these words after its name; undefined when it does not look like it. */
type Rule = (words: readonly string[]) => string | undefined

/** Short flags may be joined: `-rf` has `r` and `f`. */
const flag = (words: readonly string[], short: string, ...long: readonly string[]): boolean =>
  words.some((word) => (/^-[A-Za-z]+$/.test(word) && word.includes(short)) || long.includes(word.replace(/=.*/, '')))

const device = /^\/dev\/(?!null$|zero$|stdout$|stderr$|tty$|fd\/|shm\/)/

const git: Rule = (words) => {
  const command = words.find((word, at) => !word.startsWith('-') && words[at - 1] !== '-C' && words[at - 1] !== '-c')
  const rest = command === undefined ? [] : words.slice(words.indexOf(command) + 1)
  switch (command) {
    case 'reset':
      return rest.includes('--hard') || rest.includes('--merge')
        ? 'throws away changes that are not committed'
        : undefined
    case 'clean':
      return flag(rest, 'f', '--force') && !flag(rest, 'n', '--dry-run') ? 'deletes files git does not know' : undefined
    case 'push': {
      const forced = flag(rest, 'f', '--force', '--mirror', '--delete', '--force-with-lease') || flag(rest, 'd')
      return forced || rest.some((word) => /^[+:]./.test(word))
        ? 'overwrites or deletes history on the remote'
        : undefined
    }
    case 'checkout':
    case 'restore': {
      const paths = rest.some((word) => word === '--' || word === '.' || word.startsWith(':'))
      const lost = command === 'restore' ? !rest.includes('--staged') || rest.includes('--worktree') : paths
      return lost || flag(rest, 'f', '--force') ? 'throws away changes that are not committed' : undefined
    }
    case 'branch':
      return rest.some((word) => word === '-D') ? 'deletes a branch that may not be merged' : undefined
    case 'stash':
      return rest[0] === 'drop' || rest[0] === 'clear' ? 'deletes stashed changes' : undefined
    case 'reflog':
      return rest[0] === 'expire' || rest[0] === 'delete' ? 'deletes what lost commits could be found by' : undefined
    case 'filter-branch':
    case 'filter-repo':
      return 'rewrites history'
    default:
      return undefined
  }
}

const always =
  (what: string): Rule =>
  () =>
    what

const rules: { readonly [program: string]: Rule } = {
  git,
  rm: (words) => (flag(words, 'r', '--recursive') || flag(words, 'R') ? 'deletes a whole folder' : undefined),
  find: (words) => (words.includes('-delete') ? 'deletes every file it finds' : undefined),
  dd: (words) => (words.some((word) => /^of=\/dev\//.test(word)) ? 'overwrites a device' : undefined),
  chmod: (words) => (flag(words, 'R', '--recursive') ? 'changes the rights of a whole folder' : undefined),
  chown: (words) => (flag(words, 'R', '--recursive') ? 'changes the owner of a whole folder' : undefined),
  chgrp: (words) => (flag(words, 'R', '--recursive') ? 'changes the group of a whole folder' : undefined),
  rsync: (words) => (words.some((word) => word.startsWith('--delete')) ? 'deletes files at its target' : undefined),
  kill: (words) => (words.includes('-1') && words.length > 1 ? 'ends every process' : undefined),
  shred: always('destroys the content of files'),
  wipefs: always('destroys a file system'),
  fdisk: always('changes the partitions of a disk'),
  parted: always('changes the partitions of a disk'),
  sfdisk: always('changes the partitions of a disk'),
  shutdown: always('stops the machine'),
  reboot: always('stops the machine'),
  halt: always('stops the machine'),
  poweroff: always('stops the machine'),
}

/**
 * What a command destroys that cannot be had back, as one phrase; undefined when nothing is recognised. Every program
 * name in a simple command is looked at, not only the first word, so that a wrapper (`sudo`, `xargs`, `timeout 5`)
 * hides nothing. It asks too often rather than too seldom, and is no confinement.
 */
export function destructive(command: string): string | undefined {
  for (const words of shellCommands(command)) {
    const target = words.findIndex((word, at) => /^>/.test(words[at - 1] ?? '') && device.test(word))
    if (target >= 0) return 'overwrites a device'
    for (const [at, word] of words.entries()) {
      const name = baseName(word)
      if (name.startsWith('mkfs')) return 'destroys a file system'
      const what = Object.hasOwn(rules, name) ? rules[name]?.(words.slice(at + 1)) : undefined
      if (what !== undefined) return what
    }
  }
  return undefined
}
