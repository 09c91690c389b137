/** The scratch project of the demo: small, real, with one failing test whose output is the same every time. */
export const files: Readonly<Record<string, string>> = {
  'package.json': `{
  "name": "rein-demo",
  "private": true,
  "type": "module",
  "scripts": { "test": "node test.js" }
}
`,
  // A session that was killed before its first request has no model of its own: this one then goes on with it.
  '.rein/rein.yaml': `model: demo/scripted
`,
  'README.md': `# Cart

\`total(items, discount)\` gives the total of a cart in cents. The discount is in percent.
`,
  'src/cart.js': `/**
 * The total of a cart.
 * @param {{ price: number, quantity: number }[]} items prices in cents
 * @param {number} discount in percent
 * @returns {number} cents
 */
export function total(items, discount = 0) {
  let sum = 0
  for (const { price, quantity } of items) sum += price * quantity
  return Math.round(sum - discount)
}
`,
  'test.js': `import { total } from './src/cart.js'

const shirt = { price: 2500, quantity: 2 }
const socks = { price: 499, quantity: 3 }
const tests = [
  ['an empty cart costs nothing', () => total([]), 0],
  ['a price counts as often as the item is bought', () => total([shirt, socks]), 6497],
  ['a discount is a percentage of the total', () => total([shirt, socks], 10), 5847],
]

let failed = 0
for (const [name, run, expected] of tests) {
  const got = run()
  if (got !== expected) failed++
  console.log(got === expected ? \`ok    \${name}\` : \`FAIL  \${name}: expected \${expected}, got \${got}\`)
}
console.log(\`\${tests.length - failed} passed, \${failed} failed\`)
process.exitCode = failed > 0 ? 1 : 0
`,
}

export const source = 'src/cart.js'
export const test = 'test.js'
export const testCommand = 'node test.js'

/** What is wrong with the source, and what is right. */
export const fault = '  return Math.round(sum - discount)\n'
export const cure = '  return Math.round(sum * (1 - discount / 100))\n'

export const task = 'The test of this project fails. Find out why, fix it, and show that it passes.'
