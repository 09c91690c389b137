import { type Host, type Plugin, plugin, seam, service, type Token } from '../src/index.ts'

/** Let everything that only waits for settled promises happen. */
export const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

export interface Model {
  readonly answer: string
}
export const Model = seam<Model>('model')
export const Shell = service<{ readonly name: string }>('shell')

/** Provides a model and notes when it starts and when it is undone. */
export const modelPlugin = (answer: string, log: string[] = []): Plugin =>
  plugin({
    name: `model ${answer}`,
    needs: {},
    provides: [Model],
    setup({ provide, scope }) {
      log.push(`${answer} up`)
      scope.defer(() => void log.push(`${answer} undone`))
      provide(Model, { answer })
    },
  })

export const shellPlugin = (name: string, log: string[] = []): Plugin =>
  plugin({
    name: `shell ${name}`,
    needs: {},
    setup({ provide, scope }) {
      log.push(`${name} up`)
      scope.defer(() => void log.push(`${name} undone`))
      provide(Shell, { name })
    },
  })

/** Needs some tokens, provides others, notes when it starts and when it is undone. */
export const linkPlugin = (name: string, link: { needs: Token[]; provides: Token[] }, log: string[] = []): Plugin =>
  plugin({
    name,
    needs: Object.fromEntries(link.needs.map((token) => [token.name, token])),
    provides: link.provides,
    async setup({ provide, scope }) {
      await null
      log.push(`${name} up`)
      scope.defer(async () => {
        await settled()
        log.push(`${name} undone`)
      })
      for (const token of link.provides) provide(token, name)
    },
  })

export const states = (host: Host): Record<string, string> =>
  Object.fromEntries(host.rows().map((row) => [row.id, row.state]))
