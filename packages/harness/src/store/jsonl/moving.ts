import { lstat, mkdir, readdir, readFile, rename, rm, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { FailureError, type Holder, type Result } from '@rein/session'
import { exists, fail, missing } from '../failures.ts'
import { type Arrival, type Contents, type MovableStore, type Pack, piecesIn, type Standing } from '../movable.ts'
import { acquireSession, type Opening, onDisk } from './acquire.ts'
import { disk, syncFolder } from './disk.ts'
import { directoryOf } from './entry.ts'
import { Inbox } from './inbox.ts'
import { writeBytes, writeStream } from './log-file.ts'
import { FOLDER_MODE, logPath, type Place, partPath, readEpochs, workspaceSlug } from './names.ts'
import { moveToTrash } from './trash.ts'

const PARTS = ['blobs', 'aside', 'spill', 'inbox'] as const

/** How sessions come to this store from another and leave it. */
export function movingIn(of: Opening): Pick<MovableStore, 'standing' | 'pack' | 'unpack'> {
  return {
    async standing(id) {
      const at = await of.locate(id)
      return at && standingAt(at)
    },
    pack: (id, holder) => pack(of, id, holder),
    unpack: (from, holder) =>
      onDisk(`could not copy session ${from.id}`, async () => ({ ok: true, value: await unpack(of, from, holder) })),
  }
}

async function standingAt(at: Place): Promise<Standing> {
  const { locks, logs } = await readEpochs(at)
  return { epoch: Math.max(locks.at(-1) ?? 0, logs.at(-1) ?? 0), whole: logs.length > 0 }
}

async function pack(of: Opening, id: string, holder: Holder): Promise<Result<Pack>> {
  const opened = await acquireSession(of, id, { holder, silentMs: of.silentMs })
  if (!opened.ok) return opened
  const lease = opened.value
  return onDisk<Pack>(`could not read session ${id}`, async () => {
    const at = await of.locate(id)
    if (!at) return fail(missing(id))
    const log = logPath(at, (await readEpochs(at)).logs.at(-1) ?? lease.epoch)
    let away: string | undefined
    return {
      ok: true,
      value: {
        id,
        cwd: directoryOf(log),
        epoch: lease.epoch,
        changed: (await lstat(log)).mtimeMs,
        log: () => lease.bytes(),
        blobs: () => piecesIn(partPath(at, 'blobs')),
        asides: () => piecesIn(partPath(at, 'aside')),
        spilled: () => piecesIn(partPath(at, 'spill')),
        posted: () => lease.posted(),
        renew: () => lease.renew(),
        async putAway() {
          await lease.check()
          // Still held: nobody becomes its writer before its files are away.
          away = await moveToTrash(at, of.trash)
        },
        late: async () =>
          away === undefined ? [] : new Inbox(partPath({ folder: away, id }, 'inbox'), of.now).posted(),
        release: () => lease.release(),
      },
    }
  })
}

/** In a hidden folder beside the sessions first. */
async function unpack(of: Opening, from: Pack, holder: Holder): Promise<Arrival> {
  const at: Place = { folder: join(of.root, workspaceSlug(from.cwd ?? '')), id: from.id }
  const staging = join(at.folder, `.arriving-${from.id}`)
  await rm(staging, { recursive: true, force: true })
  for (const part of PARTS) await mkdir(join(staging, part), { recursive: true, mode: FOLDER_MODE })
  const log = join(staging, 'log')
  await writeStream(log, from.log())
  await utimes(log, from.changed / 1000, from.changed / 1000)
  const sets = { blobs: from.blobs(), aside: from.asides(), spill: from.spilled() }
  for (const [part, all] of Object.entries(sets))
    for await (const { name, bytes } of all) await writeBytes(join(staging, part, name), bytes, 'wx')
  const inbox = new Inbox(join(staging, 'inbox'), of.now)
  for (const item of await from.posted()) await inbox.post(item)
  for (const part of PARTS) await syncFolder(join(staging, part))
  const contents: Contents = {
    log: () => blocks(log),
    blobs: () => piecesIn(join(staging, 'blobs')),
    asides: () => piecesIn(join(staging, 'aside')),
    spilled: () => piecesIn(join(staging, 'spill')),
  }
  return { ...contents, show: () => show(of, { at, staging, epoch: from.epoch }, holder) }
}

async function* blocks(path: string): AsyncGenerator<Uint8Array> {
  yield await readFile(path)
}

/** The log goes last: before it nothing of this counts beside the original, and with it all is there. */
async function show(
  of: Opening,
  { at, staging, epoch }: { readonly at: Place; readonly staging: string; readonly epoch: number },
  holder: Holder,
): Promise<void> {
  const shown = await onDisk<void>(`could not show session ${at.id}`, async () => {
    const lock = (await of.locate(at.id)) ? undefined : await disk(at, of.now).createLock(epoch, holder, 'released')
    if (!lock) return fail(exists(at.id))
    lock.close()
    for (const part of PARTS) {
      if (part === 'inbox' || (await readdir(join(staging, part))).length > 0)
        await rename(join(staging, part), partPath(at, part))
    }
    await rename(join(staging, 'log'), logPath(at, epoch))
    await syncFolder(at.folder)
    await rm(staging, { recursive: true, force: true })
    return { ok: true, value: undefined }
  })
  if (!shown.ok) throw new FailureError(shown.failure)
}
