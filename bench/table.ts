import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus, loadavg } from 'node:os'
import { fileURLToPath } from 'node:url'
import { misses, type Row } from './measure.ts'

const digits = (value: number | null): string => {
  if (value === null) return '–'
  if (value >= 1000) return Math.round(value).toLocaleString('en')
  return value.toFixed(value >= 100 ? 0 : value >= 10 ? 1 : 2)
}

const cells = (row: Row): string[] => {
  const { name, unit, ours, bare, budget, note = '' } = row
  const limit = budget ? `${budget.atLeast ? '≥' : '≤'} ${digits(budget.limit)}${misses(row) ? ' !' : ''}` : ''
  const ratio = digits(bare === null ? null : ours / bare)
  return [name, unit, digits(ours), digits(bare), ratio, limit, budget?.words ?? '', note]
}

export function print(rows: readonly Row[]): void {
  const lines = [['what', 'unit', 'ours', 'bare', 'ratio', 'limit', 'budget', 'note'], ...rows.map(cells)]
  const widths = (lines[0] ?? []).map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)))
  const numeric = (column: number) => column >= 2 && column <= 4
  const aligned = (cell: string, column: number) =>
    numeric(column) ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0)
  for (const line of lines) console.log(line.map(aligned).join('  ').trimEnd())
}

/** Keep the rows as JSON, so that two runs can be compared. @returns the path of the file. */
export function keep(rows: readonly Row[], loadBefore: readonly number[]): string {
  const folder = new URL('./results/', import.meta.url)
  mkdirSync(folder, { recursive: true })
  const [cpu] = cpus()
  const load = { before: loadBefore, after: loadavg() }
  const machine = { node: process.version, platform: process.platform, cpus: cpus().length, model: cpu?.model, load }
  const time = new Date().toISOString()
  const file = new URL(`${time.replaceAll(':', '-')}.json`, folder)
  writeFileSync(file, `${JSON.stringify({ time, machine, rows }, null, 2)}\n`)
  return fileURLToPath(file)
}
