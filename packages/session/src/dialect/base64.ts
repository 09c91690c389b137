const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

/** RFC 4648 §4, with padding. */
export function base64(bytes: Uint8Array): string {
  let out = ''
  for (let at = 0; at < bytes.length; at += 3) {
    const [a = 0, b = 0, c = 0] = bytes.subarray(at, at + 3)
    const word = (a << 16) | (b << 8) | c
    const left = bytes.length - at
    out += digits.charAt(word >> 18) + digits.charAt((word >> 12) & 63)
    out += left > 1 ? digits.charAt((word >> 6) & 63) : '='
    out += left > 2 ? digits.charAt(word & 63) : '='
  }
  return out
}
