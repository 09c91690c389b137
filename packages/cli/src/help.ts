import { type CommandRow, commands, type Flag, flags } from './flags.ts'

/** `rein --help`, or `rein <command> --help`. Made from the tables alone, so it names nothing that is not there. */
export function help(command: string): string {
  const row = commands.find(({ name }) => name === command)
  const mine = flags.filter(({ on }) => on.includes(command))
  const everywhere = flags.filter(({ on }) => on.length === 0)
  const under = commands.filter(({ name }) => row && name.startsWith(`${row.name} `))
  const title = row ? [`rein ${row.name} ${row.takes}`.trimEnd(), `  ${row.help}`, ...aligned(under)] : overview()
  return `${[...title, '', 'Flags', ...mine.map(flagLine), ...everywhere.map(flagLine), ...(row ? [] : notes)].join('\n')}\n`
}

const overview = (): string[] =>
  aligned([
    { name: '', takes: '', help: 'an interactive session in this directory' },
    { name: '-p', takes: '"task" [files…]', help: 'one task, headless; the final answer on stdout' },
    ...commands,
  ])

/** One column for all rows, as wide as the longest takes. */
function aligned(rows: readonly CommandRow[]): string[] {
  const left = rows.map(({ name, takes }) => ['rein', name, takes].filter((part) => part !== '').join(' '))
  const width = Math.max(...left.map((text) => text.length))
  return rows.map(({ help: text }, nth) => `${left[nth]?.padEnd(width)}  ${text}`)
}

function flagLine({ name, short, value, help: text }: Flag): string {
  const left = `${short === undefined ? '    ' : `-${short}, `}--${name}${value === undefined ? '' : ` ${value}`}`
  return `  ${left.padEnd(32)} ${text}`
}

const notes = [
  '',
  '<id> is an id, the beginning of one, or last.',
  'Files after -p are read as text and sent with the task, each with its path, up to 256 KB each and 1 MB in all.',
  'With a task as an argument stdin is never read, unless @- stands among the files; -p - reads the task from it.',
  '--plugin: ID=off turns a row off, ID=PATH puts a module in its place, ID={"config":{…}} patches it as rein.yaml does.',
  'Exit: 0 answered · 1 error · 2 usage, settings or consent · 3 something was denied · 4 a budget ended it ·',
  '      5 the answer was cut · 6 a damaged log · 130 interrupted · 143 terminated',
]
