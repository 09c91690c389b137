import { plugin, seam } from '@rein/kernel'
import { LivingTrees } from '../../process/living.ts'
import { processShell, type Shell } from '../../process/shell.ts'
import { noSandbox, policyOf, type Sandbox } from '../../sandbox/launch.ts'
import { childEnvironment } from '../../secret/environment.ts'
import { withholdBy } from '../../secret/withhold.ts'
import type { Settings } from '../settings.ts'
import { WorldPort } from '../world.ts'
import { SecretsPort } from './core.ts'

/** What runs command lines. Pinned for one command. */
export const ShellPort = seam<Shell>('shell')

/** What confines them. Pinned for one command. */
export const SandboxPort = seam<Sandbox>('sandbox')

/** No backend exists yet; the row says so, and the modes fall back to what holds without one. */
export const sandboxRow = plugin({
  name: 'sandbox',
  needs: {},
  setup: ({ provide }) => provide(SandboxPort, noSandbox),
})

/** Variables that providers take their keys from. */
const keyVariables = (providers: Settings['providers']): ReadonlySet<string> =>
  new Set(Object.values(providers).flatMap(({ key }) => (typeof key === 'object' && 'env' in key ? [key.env] : [])))

export const shellRow = plugin({
  name: 'shell',
  needs: { world: WorldPort, secrets: SecretsPort, sandbox: SandboxPort },
  setup({ needs, scope, provide }) {
    const { world, secrets, sandbox } = needs
    const living = new LivingTrees()
    scope.defer(() => living.endAll(), 'processes that are still running')
    const { permissions, providers } = world.settings
    const withhold = withholdBy(permissions.env, secrets.registered, keyVariables(providers))
    const confinedBy = (box: Sandbox): Shell =>
      processShell({
        living,
        environment: () => childEnvironment(world.env, withhold),
        mark: () => crypto.randomUUID(),
        now: () => performance.now(),
        confine(spec, { mode, cwd }) {
          const policy = policyOf(mode, cwd)
          return policy ? box.wrap(spec, policy) : spec
        },
      })
    // One sandbox from the start of a command to its end.
    provide(ShellPort, { run: (command, callbacks) => sandbox.use((box) => confinedBy(box).run(command, callbacks)) })
  },
})
