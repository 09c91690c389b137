import type { Agent as HttpAgent, ProxyEnv } from 'node:http'
import { type Failure, FailureError } from '@rein/session'

/** Environment variables that name a proxy; the lower-case form wins, as in other programs. */
const proxyNames = { 'http:': ['http_proxy', 'HTTP_PROXY'], 'https:': ['https_proxy', 'HTTPS_PROXY'] } as const

const loopback = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/

/** Node took the proxy option of its agent in these releases. */
const takesProxy = (version: string): boolean => {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > 24 || (major === 24 && minor >= 5) || (major === 22 && minor >= 21)
}

export type Environment = { readonly [name: string]: string | undefined }

/**
 * The variable that names a proxy for this address, if one does. A server on this machine is never reached through
 * a proxy; `NO_PROXY` is read by the agent itself.
 */
export const proxyVariable = (url: URL, environment: Environment): string | undefined => {
  if (loopback.test(url.hostname)) return undefined
  const names = url.protocol === 'https:' ? proxyNames['https:'] : proxyNames['http:']
  return names.find((name) => (environment[name] ?? '') !== '')
}

const tooOld = (variable: string, version: string): Failure => ({
  code: 'BAD_SETTINGS',
  message: `${variable} names a proxy, and Node ${version} cannot use one`,
  next: 'Run on Node 24.5 or 22.21 or newer, or unset the variable.',
})

const proxyEnv = (environment: Environment): ProxyEnv => {
  const found: Record<string, string> = {}
  for (const name of [...proxyNames['http:'], ...proxyNames['https:'], 'no_proxy', 'NO_PROXY']) {
    const value = environment[name]
    if (value !== undefined && value !== '') found[name] = value
  }
  return found
}

export interface Agents {
  /** The agent for this address; sockets stay open between requests. @throws FailureError `BAD_SETTINGS`. */
  for(url: URL): Promise<HttpAgent>
  /** Close every idle socket. */
  close(): void
}

/**
 * Keep-alive agents, one a scheme and way. Nothing is loaded before it is used.
 * @param options.environment where the proxy variables are read from; default none: no proxy.
 * @param options.ca certificate authorities trusted besides the built-in ones, PEM.
 * @param options.nodeVersion for the check that this Node can use a proxy; default the running one.
 */
export const agents = (
  options: { readonly environment?: Environment; readonly ca?: readonly string[]; readonly nodeVersion?: string } = {},
): Agents => {
  const { environment = {}, ca = [], nodeVersion = process.versions.node } = options
  const made = new Map<string, Promise<HttpAgent>>()
  const make = async (secure: boolean, variable: string | undefined): Promise<HttpAgent> => {
    const common = { keepAlive: true, ...(variable === undefined ? {} : { proxyEnv: proxyEnv(environment) }) }
    if (!secure) return new (await import('node:http')).Agent(common)
    if (ca.length === 0) return new (await import('node:https')).Agent(common)
    const [https, tls] = await Promise.all([import('node:https'), import('node:tls')])
    return new https.Agent({ ...common, ca: [...tls.rootCertificates, ...ca] })
  }
  return {
    for(url) {
      const variable = proxyVariable(url, environment)
      if (variable !== undefined && !takesProxy(nodeVersion)) {
        return Promise.reject(new FailureError(tooOld(variable, nodeVersion)))
      }
      const key = `${url.protocol} ${variable ?? ''}`
      const known = made.get(key) ?? make(url.protocol === 'https:', variable)
      made.set(key, known)
      return known
    },
    close() {
      for (const agent of made.values()) void agent.then((open) => open.destroy())
      made.clear()
    },
  }
}
