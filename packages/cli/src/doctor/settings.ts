import { statSync } from 'node:fs'
import { join } from 'node:path'
import { credentialOf, noSandbox, problemText, RegisteredSecrets, type Settings } from '@rein/harness'
import type { Args } from '../args.ts'
import type { Cli } from '../cli.ts'
import { modelNamed } from '../model.ts'
import { loadFor } from '../settings.ts'
import type { Finding } from './finding.ts'

const area = 'config'

/** What is enforced of a command's confinement, and what is not. */
export function sandbox(): readonly Finding[] {
  const { backend, level, missing } = noSandbox.report
  const word = `sandbox-${level}`
  const says = missing.length === 0 ? `${backend}: everything is enforced` : `${backend}: ${missing.join(', ')}`
  const next = 'Commands ask, or are refused when nobody is there; `rein --mode read-only` allows the least.'
  const whole = level === 'full'
  return [{ area: 'sandbox', word, level: whole ? 'fine' : 'note', about: '', says, ...(!whole && { next }) }]
}

/** Settings with the file and line of what is wrong, and the keys they name. */
export async function settings(cli: Cli, args: Args): Promise<readonly Finding[]> {
  const loaded = await loadFor(cli, args, 'withhold')
  if (!loaded.ok) return [{ area, word: 'settings-wrong', level: 'trouble', about: '', says: loaded.failure.message }]
  const { value } = loaded
  if (value.kind === 'unconsented') return []
  const effective = value.kind === 'bad' ? value.rest : value.effective
  const wrong = value.kind === 'bad' ? value.problems : []
  const found: Finding[] = wrong.map((problem) => {
    const next = 'Correct it; `rein config` shows what is in force.'
    return { area, word: 'settings-wrong', level: 'trouble', about: '', says: problemText(problem), next }
  })
  for (const { file, line, hash } of effective.withheld) {
    const says = 'holds settings you did not agree to; they are not in force'
    const next = `Agree for one run with --trust-project ${hash}.`
    found.push({ area, word: 'consent-missing', level: 'note', about: `${file}:${line}`, says, next })
  }
  found.push(...model(effective.settings), ...(await credentials(cli, effective.settings)))
  return found.length > 0
    ? found
    : [{ area, word: 'settings', level: 'fine', about: '', says: 'nothing is wrong with them' }]
}

function model({ model: name, providers }: Settings): readonly Finding[] {
  if (name === undefined) {
    const next = 'Put `model: PROVIDER/MODEL` into rein.yaml, or name one with --model.'
    return [{ area, word: 'model-missing', level: 'note', about: '', says: 'no model is chosen', next }]
  }
  const choice = modelNamed(name)
  const there = choice.ok && (Object.hasOwn(providers, choice.value.provider) || choice.value.provider === 'demo')
  if (there) return []
  const says = choice.ok ? `its provider ${choice.value.provider} is not configured` : choice.failure.message
  return [{ area, word: 'model-wrong', level: 'trouble', about: name, says, next: 'Add it under `providers:`.' }]
}

/** Whether each key can be read now. The file of keys is looked at even when no provider asks for it. */
async function credentials({ home, env }: Cli, { providers }: Settings): Promise<readonly Finding[]> {
  const found: Finding[] = []
  const file = join(home, 'credentials.yaml')
  const mode = statSync(file, { throwIfNoEntry: false })?.mode ?? 0
  if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
    const says = `can be read by others (mode ${(mode & 0o777).toString(8)}) and is not used`
    found.push({ area, word: 'credentials-open', level: 'trouble', about: file, says, next: `chmod 600 ${file}` })
  }
  const registered = new RegisteredSecrets()
  for (const [provider, { key: source }] of Object.entries(providers)) {
    const credential = await credentialOf({ provider, source, home, env, registered })
    const key = credential.ok && credential.value.kind === 'key' ? await credential.value.read() : undefined
    const failure = !credential.ok ? credential.failure : key?.ok === false ? key.failure : undefined
    const about = `provider ${provider}`
    if (failure) {
      const next = failure.next === undefined ? {} : { next: failure.next }
      found.push({ area, word: 'credential-missing', level: 'trouble', about, says: failure.message, ...next })
    } else if (credential.ok && credential.value.kind === 'not-configured') {
      const { message, next } = credential.value.failure
      found.push({
        area,
        word: 'credential-none',
        level: 'note',
        about,
        says: message,
        ...(next !== undefined && { next }),
      })
    }
  }
  return found
}
