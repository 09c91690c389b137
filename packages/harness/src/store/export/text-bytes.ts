/**
 * Hide texts in a file that may be anything: read as UTF-8 where it is that, else byte for byte.
 * @returns the same bytes when there is nothing to hide.
 */
export function hiddenBytes(bytes: Uint8Array, hide: (text: string) => string): Uint8Array {
  const text = utf8Of(bytes)
  if (text !== undefined) {
    const safe = hide(text)
    return safe === text ? bytes : Buffer.from(safe)
  }
  const raw = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')
  const parts = raw.split(/([^\x20-\x7e\s]+)/)
  // What is not ASCII is no text here: it stays, and what stands between is looked through.
  const safe = parts.map((part, index) => (index % 2 === 1 ? Buffer.from(part, 'latin1') : Buffer.from(hide(part))))
  const whole = Buffer.concat(safe)
  return whole.equals(bytes) ? bytes : whole
}

/** Lines of anything, each but the last with its line end. */
export function joinedLines(lines: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat(lines.flatMap((line, index) => (index === 0 ? [line] : [Uint8Array.of(10), line])))
}

function utf8Of(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (cause) {
    if (cause instanceof TypeError) return undefined
    throw cause
  }
}
