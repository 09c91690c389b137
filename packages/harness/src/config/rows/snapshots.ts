import { join } from 'node:path'
import { plugin } from '@rein/kernel'
import { Commands } from '../../agent/commands.ts'
import { privatePaths } from '../../ask/private-paths.ts'
import { Tools } from '../../tools/ports.ts'
import { limitsOf } from '../../undo/limits.ts'
import { restoreCommand } from '../../undo/restore-command.ts'
import { Snapshots, type SnapshotsOptions, SnapshotsPort } from '../../undo/snapshots.ts'
import { Undo } from '../../undo/undo-thread.ts'
import { WorldPort } from '../world.ts'

/** Where snapshots are and what they leave out. @param home `$REIN_HOME`. Both absolute. */
const snapshotPlaces = (home: string, userHome: string): Omit<SnapshotsOptions, 'limits'> => ({
  folder: join(home, 'snapshots'),
  userHome,
  hidden: [home, ...privatePaths(home, userHome).map(({ path }) => path)],
})

/** For a restore without an agent. @param config that of the row. @throws FailureError `BAD_SETTINGS`. */
export const undoIn = (home: string, userHome: string, config: unknown): Undo =>
  new Undo({ ...snapshotPlaces(home, userHome), limits: limitsOf(config) })

/** Looks at the files before the first change of a turn and after it, so that they can go back. */
export const snapshotsRow = plugin({
  name: 'snapshots',
  needs: { world: WorldPort, tools: Tools, commands: Commands },
  config: limitsOf,
  setup({ needs, scope, provide, config }) {
    const { home, userHome } = needs.world
    const snapshots = scope.use(new Snapshots({ ...snapshotPlaces(home, userHome), limits: config }), 'snapshots')
    needs.tools.aroundCall.wrap(scope, 'snapshots', (call, next) => snapshots.call(call, next))
    needs.commands.add(scope, 'restore', restoreCommand({ undo: snapshots.undo, userHome }))
    provide(SnapshotsPort, snapshots)
  },
})
