import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { type Imported, importSession, processHolder } from '@rein/harness'
import type { Command } from '../../cli.ts'
import { exits } from '../../exit.ts'
import { realPorts } from '../../ports.ts'
import { usageFailure } from '../../usage.ts'
import { counted } from '../../view/amount.ts'
import { paint } from '../../view/paint.ts'
import { safeText } from '../../view/safe-text.ts'
import { refuse, storeOf } from '../stored-log.ts'

/** `rein sessions import FILE.zip [--as ID]`: take in an exported session, once all of it was checked. */
export const importCommand: Command = async (cli, args) => {
  const [file] = args.words
  const as = args.value('as')
  if (file === undefined) {
    const message = '`rein sessions import` needs the ZIP that `rein export --zip` wrote.'
    return refuse(cli, usageFailure(message, 'rein sessions import FILE.zip'))
  }
  const imported = await importSession(resolve(cli.cwd, file), {
    store: storeOf(cli),
    ports: realPorts,
    holder: processHolder(),
    ...(as !== undefined && { as }),
  })
  if (!imported.ok) return refuse(cli, imported.failure)
  await cli.out(`${imported.value.id}\n`)
  const { dim, yellow } = paint(cli.color)
  for (const line of told(imported.value)) cli.err(`${yellow(safeText(line))}\n`)
  const { cwd, id } = imported.value
  const where = cwd === '' ? 'the directory it worked in is not known' : `resumed, it works in ${cwd}`
  const missing = (await isFolder(cwd)) ? '' : ', which is not here: make it first'
  cli.err(`${yellow(safeText(cwd === '' ? where : where + missing))}\n`)
  cli.err(`${dim(`look at it with: rein show ${id}; prove it with: rein verify ${id}`)}\n`)
  return exits.done
}

function told({ manifest, damage, missing, dropped }: Imported): readonly string[] {
  return [
    ...(manifest.exact ? [] : ['texts were removed from it before it was exported: it cannot be verified']),
    ...(damage > 0
      ? [`${counted(damage, 'damaged place')} of its log, now declared; what was damaged is kept aside`]
      : []),
    ...(missing > 0 ? [`${counted(missing, 'picture')} it names did not come with it`] : []),
    ...dropped.map((what) => `not taken over: ${what}`),
  ]
}

async function isFolder(path: string): Promise<boolean> {
  const found = await stat(path === '' ? '/nowhere' : path).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error) return undefined
    throw error
  })
  return found?.isDirectory() === true
}
