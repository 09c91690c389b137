import { mockServer } from '@rein/harness/testing/mock-server'
import { Place, rein } from './program.ts'
import { says } from './replies.ts'

/** Headless runs at once in one directory, each a process of the command with a session of its own; then all are proved. */
export async function together(count: number): Promise<readonly string[]> {
  using place = new Place()
  await using server = await mockServer({ script: Array.from({ length: count }, () => says('Done.')) })
  const args = ['--base-url', server.baseUrl, '--model', 'made', '--quiet', '-p', 'Do it.']
  const runs = await Promise.all(Array.from({ length: count }, () => rein(place, args)))
  const failed = runs.filter(({ code }) => code !== 0).map(({ code, stderr }) => `a run ended with ${code}: ${stderr}`)
  const listed = await rein(place, ['sessions', '--json'])
  const ids = listed.stdout.match(/"id":"(s-[0-9a-f]+)"/g)?.map((found) => found.slice(6, -1)) ?? []
  if (ids.length !== count) failed.push(`${ids.length} sessions are listed: ${listed.stderr}`)
  const verified = await Promise.all(ids.map((id) => rein(place, ['verify', id])))
  return [...failed, ...verified.filter(({ stdout }) => !/^clean/.test(stdout)).map(({ stdout }) => stdout)]
}
