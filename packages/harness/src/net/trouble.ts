import type { Failure } from '@rein/session'

/** What Node's sockets, TLS and HTTP parser put on their errors. */
const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'UNKNOWN'

const certificate = /^(CERT_|ERR_TLS_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/

const advice: { readonly [code: string]: string } = {
  ECONNREFUSED: 'Check that the server is running and that the base URL names its host and port.',
  ENOTFOUND: 'Check the host name in the base URL and the name server.',
  EAI_AGAIN: 'The name server did not answer; check the network connection.',
  ENETUNREACH: 'Check the network connection.',
  EHOSTUNREACH: 'Check the network connection.',
}

const nextFor = (code: string): string =>
  certificate.test(code)
    ? 'The certificate is not trusted; name the certificate authority with NODE_EXTRA_CA_CERTS, or check the base URL.'
    : (advice[code] ?? 'Check the network connection and the base URL.')

/**
 * An error of the socket as a failure. The system's code is in the message, `ECONNREFUSED` and the like.
 * @param target what was being talked to, host and port.
 */
export const networkFailure = (error: unknown, target: string): Failure => {
  const code = codeOf(error)
  if (code.startsWith('HPE_')) {
    return {
      code: 'BAD_RESPONSE',
      message: `${target} did not answer in HTTP (${code})`,
      next: 'Check that the base URL names the right port and scheme.',
    }
  }
  return { code: 'NETWORK', message: `${code} while talking to ${target}`, next: nextFor(code) }
}

/** What was waited for when a limit ran out. */
export type Wait = 'connect' | 'first-byte' | 'idle'

const waits = {
  connect: { code: 'TIMEOUT_CONNECT', text: 'no connection to' },
  'first-byte': { code: 'TIMEOUT_FIRST_BYTE', text: 'no first byte of the reply from' },
  idle: { code: 'TIMEOUT_IDLE', text: 'the reply stood still, nothing more from' },
} as const

/** @param ms the limit that ran out, in milliseconds. */
export const timeoutFailure = (wait: Wait, ms: number, target: string): Failure => ({
  code: waits[wait].code,
  message: `${waits[wait].text} ${target} within ${ms / 1000} s`,
  next: 'Try again, or raise the limit if the server is known to be slow.',
})
