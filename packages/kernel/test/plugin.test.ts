import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Host, plugin } from '../src/index.ts'
import { Model, modelPlugin, Shell, shellPlugin } from './support.ts'

test('setup is given values, slots and configuration of the declared types', async () => {
  await using host = new Host()
  const seen: string[] = []
  const typed = plugin({
    name: 'typed',
    needs: { shell: Shell, model: Model },
    config: (raw) => ({ times: Number(raw) }),
    async setup({ needs, config, provide }) {
      const shell: string = needs.shell.name
      const answer: string = await needs.model.use((model) => model.answer)
      seen.push(`${shell} ${answer}`.repeat(config.times))
      // @ts-expect-error: a service is handed over as its value, not as a slot
      assert.equal(needs.shell.lease, undefined)
      // @ts-expect-error: nothing else was declared
      assert.equal(needs.store, undefined)
      // @ts-expect-error: a model answers with text
      assert.throws(() => provide(Model, { answer: 7 }), /row "model" already has/)
    },
  })
  await host.mount('shell', shellPlugin('local'))
  await host.mount('model', modelPlugin('fast'))
  await host.mount('typed', typed, '2')
  assert.deepEqual(seen, ['local fastlocal fast'])
})

test('a plugin without config is given none', async () => {
  await using host = new Host()
  const seen: undefined[] = []
  await host.mount(
    'plain',
    plugin({ name: 'plain', needs: {}, setup: ({ config }) => void seen.push(config) }),
    'ignored',
  )
  assert.deepEqual(seen, [undefined])
})
