/**
 * Parts with a dot between them, in as few lines as so many columns allow; a part is never broken, so one that is wider
 * than the line stands alone in it.
 */
export function joined(parts: readonly string[], columns: number): readonly string[] {
  const lines: string[] = []
  for (const part of parts) {
    const longer = lines.length === 0 ? part : `${lines.at(-1)} · ${part}`
    if (lines.length === 0 || longer.length > columns) lines.push(part)
    else lines[lines.length - 1] = longer
  }
  return lines
}
