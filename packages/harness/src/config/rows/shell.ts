import { plugin, seam } from '@rein/kernel'
import { LivingTrees } from '../../process/living.ts'
import { processShell, type Shell } from '../../process/shell.ts'
import { noSandbox, type Sandbox } from '../../sandbox/launch.ts'
import { childEnvironment } from '../../secret/environment.ts'
import { withholdBy } from '../../secret/withhold.ts'
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

export const shellRow = plugin({
  name: 'shell',
  needs: { world: WorldPort, secrets: SecretsPort, sandbox: SandboxPort },
  setup({ needs, scope, provide }) {
    const { world, secrets, sandbox } = needs
    const living = new LivingTrees()
    scope.defer(() => living.endAll(), 'processes that are still running')
    const withhold = withholdBy(world.settings.permissions.env, secrets.registered)
    const shell = processShell({
      living,
      environment: () => childEnvironment(world.env, withhold),
      mark: () => crypto.randomUUID(),
      now: () => performance.now(),
    })
    const run: Shell['run'] = (command, callbacks) => sandbox.use(() => shell.run(command, callbacks))
    provide(ShellPort, { run })
  },
})
