import { readFile, stat } from 'node:fs/promises'
import { resolve, sep } from 'node:path'
import { type Host, plugin } from '@rein/kernel'
import type { LiveSession, Ports, ReadLog, Result } from '@rein/session'
import { cwdOf, FailureError, foreseen } from '@rein/session'
import { neverApproves } from '../ask/approval.ts'
import { type ComposeOptions, compose } from '../config/compose.ts'
import { partsOf } from '../config/open-agent.ts'
import { StorePort } from '../config/rows/core.ts'
import { SandboxPort } from '../config/rows/shell.ts'
import type { World } from '../config/world.ts'
import { noSandbox } from '../sandbox/launch.ts'
import type { SessionStore } from '../store/session-store.ts'
import { SPILL_LIMIT } from '../store/spill.ts'
import { LiveRun } from './live-run.ts'
import type { OwnLeave } from './own-leave.ts'
import { play } from './play.ts'
import type { PlaybackOptions } from './playback.ts'
import { type RunCall, wholeOf } from './played-calls.ts'
import { Recording, type Stretch } from './recording.ts'
import type { Parting } from './replay-log.ts'
import { ReplayStore } from './replay-store.ts'
import { type Replayed, reportOf } from './report.ts'
import { scratchCopy } from './scratch-copy.ts'

/** What is driven again, over what, and as what it would run today. */
export interface ReplayOptions {
  readonly id: string
  readonly log: ReadLog
  /** The bytes of pictures that are loaded. */
  readonly blob: (sha256: string) => Uint8Array | undefined
  /** Where the session is; nothing is written to it. */
  readonly store: Pick<SessionStore, 'blobs' | 'spillFolder'>
  /** The settings and surroundings of today. */
  readonly world: Pick<World, 'home' | 'userHome' | 'env' | 'settings'>
  readonly preset: ComposeOptions['preset']
  readonly rows?: ComposeOptions['rows']
  /** Steps a turn may take. */
  readonly steps: number
  /** Longest wait between attempts, in milliseconds. Nothing is waited for. */
  readonly maxWaitMs: number
  /** `recorded`: results come from the log. `live`: calls run, in a copy of the session's directory as it is now. */
  readonly tools: 'recorded' | 'live'
  /**
   * A person saw every call and wants them run as the recording was allowed to. Otherwise nothing the recording says of
   * leave counts: calls run in no wider mode than that of the settings, and what needs a person's yes is not run.
   */
  readonly trusted?: boolean
}

/**
 * Drive today's prompt, loop and pipeline over a recorded session: model, tools and people answer from the log.
 * Fails `FILE_ERROR` or `USAGE` when the workspace cannot be copied, and as `compose` does.
 */
export async function replaySession(options: ReplayOptions): Promise<Result<Replayed>> {
  const { log } = options
  const recording = new Recording(log.events)
  const cwd = cwdOf(log.events)
  const copy = options.tools === 'live' ? await scratchCopy(cwd) : undefined
  if (copy && !copy.ok) return copy
  const lost = new Set<string>()
  const recorded = recordedRun(options, lost)
  const leave = options.trusted ? undefined : leaveOf(options, recording)
  const live = copy && new LiveRun({ cwd, copy: copy.value.folder, recorded, leave })
  const hosts: Host[] = []
  try {
    const played = await play(playing(options, { recording, run: live?.run ?? recorded, lost, live, hosts }))
    return { ok: true, value: reportOf({ ...options, recording, played, live, copy: copy?.value }) }
  } catch (error) {
    return foreseen(error)
  } finally {
    for (const host of hosts) await host[Symbol.asyncDispose]()
    await copy?.value[Symbol.asyncDispose]()
  }
}

function playing(
  options: ReplayOptions,
  at: { recording: Recording; run: RunCall; lost: ReadonlySet<string>; live: LiveRun | undefined; hosts: Host[] },
): Omit<PlaybackOptions, 'stretch'> {
  const { recording, run, lost, live, hosts } = at
  const store = new ReplayStore(options.store)
  const cwd = cwdOf(recording.events)
  const { steps, maxWaitMs } = options
  return {
    recording,
    store,
    settings: { cwd, steps, maxWaitMs },
    patience: 100,
    run,
    busy: live?.busy ?? (() => false),
    tolerates: (parting) => live?.tolerates(parting) === true || isLostSpill(parting, lost),
    async parts({ session, ports, stretch }) {
      for (const host of hosts.splice(0)) await host[Symbol.asyncDispose]()
      const host = await today(options, { session, ports, store, person: personIn(recording, stretch) })
      hosts.push(host)
      const parts = await partsOf(host, { session, store, cwd: cwd || process.cwd() })
      if (live) live.today = parts
      return parts
    },
  }
}

const leaveOf = ({ world }: ReplayOptions, { calls }: Recording): OwnLeave => ({
  mode: world.settings.permissions.mode,
  wasAsked: (call) => calls.wasAsked(call),
})

async function today(
  { world, preset, rows = [], tools }: ReplayOptions,
  at: { session: LiveSession; ports: Ports; store: ReplayStore; person: boolean },
): Promise<Host> {
  const { session, ports, store, person } = at
  const surroundings: World = { ...world, cwd: cwdOf(session.log.events), ports, person, approvals: neverApproves }
  const own = [
    ...rows,
    { id: 'store', plugin: plugin({ name: 'store', needs: {}, setup: ({ provide }) => provide(StorePort, store) }) },
    ...(tools === 'live' ? [] : [{ id: 'sandbox', plugin: recordedSandbox(session) }]),
  ]
  const host = await compose({ preset, world: surroundings, rows: own })
  if (!host.ok) throw new FailureError(host.failure)
  return host.value
}

/** What confined processes on that day; where calls run for real, today's does. */
const recordedSandbox = ({ log }: LiveSession) =>
  plugin({
    name: 'sandbox',
    needs: {},
    setup: ({ provide }) =>
      provide(SandboxPort, {
        ...noSandbox,
        get report() {
          const found = log.events.findLast((event) => event.type === 'sandbox/enforced')
          return found?.type === 'sandbox/enforced' ? found.data : noSandbox.report
        },
      }),
  })

/** Whether somebody could be asked: then somebody was, or nothing wanted asking. */
function personIn({ events, calls }: Recording, { from, until }: Stretch): boolean {
  return events
    .slice(from, until)
    .some((event) => event.type === 'approval/asked' && calls.decided(event.data.id)?.data.by !== 'headless')
}

/** Results from the log; one that was cut is cut again from its spill file, where that still lies in its folder. */
function recordedRun({ store, id, log }: ReplayOptions, lost: Set<string>): RunCall {
  const lineage = [id, ...log.events.flatMap((e) => (e.type === 'session/fork' ? [e.data.parent] : []))]
  const folders = Promise.all(lineage.map((one) => store.spillFolder(one)))
  const read = async (path: string): Promise<string | undefined> => {
    const isInside = (await folders).some((folder) => folder !== undefined && resolve(path).startsWith(folder + sep))
    return isInside ? spilled(path) : undefined
  }
  return async (checked, result) => {
    return wholeOf(result, async (path) => {
      const text = await read(path)
      if (text === undefined) lost.add(checked.call.id)
      return text
    })
  }
}

/** @returns undefined when it is gone, or ends before the output did. */
async function spilled(path: string): Promise<string | undefined> {
  try {
    const { size } = await stat(path)
    return size < SPILL_LIMIT ? await readFile(path, 'utf8') : undefined
  } catch {
    // It was removed, or never written whole: then the cut result is all there is.
    return undefined
  }
}

/** A result whose whole is gone was given as it was cut: that it names the whole is all that is missing. */
const isLostSpill = ({ now, place }: Parting, lost: ReadonlySet<string>): boolean => {
  const { call } = (now.type === 'tool/result' ? now.data : {}) as { readonly call?: string }
  return place.path === 'spill' && place.now === undefined && call !== undefined && lost.has(call)
}
