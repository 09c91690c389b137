/**
 * How long the server asks to wait: `retry-after-ms`, or Retry-After in seconds or as a date.
 * @param now milliseconds since 1970.
 * @returns milliseconds, from 0 up; undefined when it does not ask, or not in a way that can be read.
 * Source: RFC 9110 §10.2.3; `retry-after-ms` is OpenAI's and Azure's.
 */
export const retryAfter = (headers: { readonly [name: string]: string }, now: number): number | undefined => {
  const exact = headers['retry-after-ms']?.trim() ?? ''
  if (/^\d+(\.\d+)?$/.test(exact)) return Math.ceil(Number(exact))
  const given = headers['retry-after']?.trim() ?? ''
  if (/^\d+(\.\d+)?$/.test(given)) return Math.ceil(Number(given) * 1000)
  const date = given === '' ? Number.NaN : Date.parse(given)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}
