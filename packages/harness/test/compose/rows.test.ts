import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Json } from '@rein/session'
import { scriptedProvider } from '../../src/model/scripted.ts'
import { product } from './kit.ts'

const provider = scriptedProvider({ script: [], name: 'demo' })
const withStore = (config: { readonly [key: string]: Json }) => product(provider, { plugins: { store: { config } } })

test('how long a holder may be silent is a setting of the store row', async () => {
  const on = await withStore({ silentMs: 9000 })
  await on.close()
})

for (const config of [{ silentMs: 100 }, { silentMs: 'long' }, { silent: 5000 }])
  test(`the store row refuses ${JSON.stringify(config)} and names the key`, async () => {
    await assert.rejects(withStore(config), new RegExp(Object.keys(config)[0] ?? ''))
  })

test('a row that takes no configuration refuses one', async () => {
  await assert.rejects(
    product(provider, { plugins: { loop: { config: { steps: 3 } } } }),
    /loop.*takes no configuration/,
  )
})
