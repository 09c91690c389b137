import { plugin } from '@rein/kernel'
import { isGranted, sessionGrants } from '../../ask/grants.ts'
import { type PermissionCheck, permissionApproval, permissionCheck, permissionGuard } from '../../ask/guard.ts'
import { pathRules } from '../../ask/paths.ts'
import { resolvePath } from '../../files/path.ts'
import { ApprovalPort, type CallSession, type CheckedCall, Tools } from '../../tools/ports.ts'
import { type World, WorldPort } from '../world.ts'
import { SandboxPort } from './shell.ts'

/** Holds calls to the permission mode: a guard that refuses, and the questions that only a person can answer. */
export const permissionsRow = plugin({
  name: 'permissions',
  needs: { world: WorldPort, tools: Tools, sandbox: SandboxPort },
  setup({ needs, scope, provide }) {
    const { world, tools, sandbox } = needs
    const checks = new WeakMap<CallSession, Promise<PermissionCheck>>()
    const checkOf = (session: CallSession): Promise<PermissionCheck> => {
      const known = checks.get(session)
      if (known) return known
      const made = sessionCheck(session, world, () => sandbox.current()?.report.level ?? 'none')
      checks.set(session, made)
      return made
    }
    tools.guardCall.guard(scope, 'permissions', async (call) => permissionGuard(await checkOf(call.session))(call))
    const approvalOf = async ({ session }: CheckedCall) => permissionApproval(await checkOf(session), world.approvals)
    provide(ApprovalPort, {
      needed: async (call) => (await approvalOf(call)).needed(call),
      ask: async (asked, signal) => (await approvalOf(asked.call)).ask(asked, signal),
    })
  },
})

async function sessionCheck(
  session: CallSession,
  { home, userHome, person }: World,
  backend: () => 'none' | 'partial' | 'full',
): Promise<PermissionCheck> {
  const paths = await pathRules({
    workspaces: [session.cwd],
    temp: [],
    home,
    userHome,
    readable: session.spillFolders,
    resolve: async (path) => {
      const real = await resolvePath(path, session.cwd)
      return real.ok ? { ok: true, value: real.value.path } : real
    },
  })
  const granted = (command: string) => isGranted(session.state(sessionGrants), command)
  return permissionCheck({ paths, situation: () => ({ backend: backend(), person, granted }) })
}
