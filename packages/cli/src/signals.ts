import { exits } from './exit.ts'

export type StopSignal = 'SIGINT' | 'SIGTERM'

/**
 * Hear of the first signal that asks to stop. A second one ends the process at once: whoever sends two does not want
 * to wait.
 */
export function onStop(stop: (signal: StopSignal) => void): Disposable {
  let before: StopSignal | undefined
  const hear = (signal: NodeJS.Signals): void => {
    const named = signal === 'SIGINT' ? 'SIGINT' : 'SIGTERM'
    if (before !== undefined) process.exit(named === 'SIGINT' ? exits.interrupted : exits.terminated)
    before = named
    stop(named)
  }
  const heard = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  for (const signal of heard) process.on(signal, hear)
  return {
    [Symbol.dispose]: () => {
      for (const signal of heard) process.off(signal, hear)
    },
  }
}
