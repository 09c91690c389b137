import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bashTool } from '../../src/builtin/bash.ts'
import { editTool } from '../../src/builtin/edit.ts'
import { globTool } from '../../src/builtin/glob.ts'
import { grepTool } from '../../src/builtin/grep.ts'
import { readTool } from '../../src/builtin/read.ts'
import { todoTool } from '../../src/builtin/todo.ts'
import { writeTool } from '../../src/builtin/write.ts'

const shell = { run: () => assert.fail('nothing runs here') }
const tools = [readTool(), writeTool(), editTool(), bashTool({ shell }), globTool(), grepTool(), todoTool()]

test('the tool table costs a model little: at most 9,000 bytes, about 2,200 tokens', () => {
  const table = tools.map(({ name, description, parameters }) => ({ name, description, parameters: parameters.schema }))
  assert.ok(Buffer.byteLength(JSON.stringify(table)) <= 9000)
})

test('every description is at most 150 words', () => {
  for (const { name, description } of tools) assert.ok(description.split(/\s+/).length <= 150, name)
})
