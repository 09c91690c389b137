import { type Plugin, plugin } from '@rein/kernel'
import { privatePaths } from '../../ask/private-paths.ts'
import { bashTool } from '../../builtin/bash.ts'
import { editTool } from '../../builtin/edit.ts'
import { globTool } from '../../builtin/glob.ts'
import { grepTool } from '../../builtin/grep.ts'
import { readTool } from '../../builtin/read.ts'
import { todoTool } from '../../builtin/todo.ts'
import { writeTool } from '../../builtin/write.ts'
import type { Tool } from '../../tools/definition.ts'
import { Tools } from '../../tools/ports.ts'
import { WorldPort } from '../world.ts'
import { SecretsPort } from './core.ts'
import { ShellPort } from './shell.ts'

/** A tool that needs nothing but its arguments and its call. */
const plain = (name: string, make: () => Tool): Plugin =>
  plugin({
    name,
    needs: { tools: Tools },
    setup: ({ needs, scope }) => needs.tools.tools.add(scope, name, make()),
  })

export const readRow = plain('read', readTool)
export const todoRow = plain('todo', todoTool)

/** A tool that looks into many files passes over those that none may read. */
const searching = (name: string, make: typeof grepTool): Plugin =>
  plugin({
    name,
    needs: { tools: Tools, world: WorldPort },
    setup({ needs, scope }) {
      const { home, userHome } = needs.world
      const hidden = privatePaths(home, userHome).map(({ path }) => path)
      needs.tools.tools.add(scope, name, make({ hidden }))
    },
  })

export const globRow = searching('glob', globTool)
export const grepRow = searching('grep', grepTool)

/** A tool that writes files puts back the secrets that were hidden from the model in the same file. */
const writing = (name: string, make: typeof editTool): Plugin =>
  plugin({
    name,
    needs: { tools: Tools, secrets: SecretsPort },
    setup: ({ needs, scope }) => needs.tools.tools.add(scope, name, make({ secrets: needs.secrets.redactor })),
  })

export const writeRow = writing('write', writeTool)
export const editRow = writing('edit', editTool)

export const bashRow = plugin({
  name: 'bash',
  needs: { tools: Tools, shell: ShellPort },
  setup({ needs, scope }) {
    const { shell, tools } = needs
    // The shell is pinned for one command, so it can be swapped while the tool stays.
    const pinned = bashTool({ shell: { run: (command, callbacks) => shell.use((now) => now.run(command, callbacks)) } })
    tools.tools.add(scope, 'bash', pinned)
  },
})
