import { closeSync, constants, openSync, readlinkSync, realpathSync } from 'node:fs'
import { unlessRefused } from '../files/trouble.ts'
import { type ByteName, joined, pathOf } from './byte-name.ts'

/**
 * A folder of the workspace, held open: what is named in it stays in it, whatever becomes of the way there. Where the
 * system has no `/proc` the way is checked once, when it is opened.
 */
export class Place implements Disposable {
  readonly #file: number
  readonly #base: ByteName

  private constructor(file: number, base: ByteName) {
    this.#file = file
    this.#base = base
  }

  /**
   * @param root absolute and real.
   * @returns undefined when it is not there, is no folder, or lies elsewhere behind a link.
   */
  static open(root: ByteName, folder: ByteName): Place | undefined {
    const wanted = joined(root, folder)
    const how = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0)
    const file = unlessRefused(() => openSync(pathOf(wanted), how), undefined)
    if (file === undefined) return undefined
    const base = steadyBase(file, wanted)
    if (base !== undefined) return new Place(file, base)
    closeSync(file)
    return undefined
  }

  /** A path to the name in this folder. */
  at(name: ByteName): Buffer {
    return pathOf(`${this.#base}/${name}`)
  }

  [Symbol.dispose](): void {
    closeSync(this.#file)
  }
}

function steadyBase(file: number, wanted: ByteName): ByteName | undefined {
  const held = `/proc/self/fd/${file}`
  const target = unlessRefused(() => readlinkSync(held, { encoding: 'latin1' }), undefined)
  if (target !== undefined) return target === wanted ? held : undefined
  return realpathSync.native(pathOf(wanted), { encoding: 'latin1' }) === wanted ? wanted : undefined
}
