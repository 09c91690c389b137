import type { SeenFile } from '../events/message.ts'
import type { Fold } from '../fold.ts'
import { SharedMap } from '../shared.ts'

/** What the model has seen of one file, at one version. */
export interface SeenState {
  readonly hash: string
  /** True when the whole file was seen at this version. */
  readonly whole: boolean
  /** 1-based inclusive line ranges, sorted, not touching; empty when `whole`. */
  readonly ranges: readonly (readonly [number, number])[]
}

/** By resolved path. A rewound read was never seen; a pruned result shows nothing new. */
export const seen: Fold<SharedMap<string, SeenState>> = {
  rewinds: true,
  initial: SharedMap.empty(),
  step(state, event) {
    if (event.type !== 'tool/result' || event.surface !== 'append' || !event.data.seen) return state
    return event.data.seen.reduce((files, file) => files.set(file.path, merge(files.get(file.path), file)), state)
  },
}

function merge(before: SeenState | undefined, file: SeenFile): SeenState {
  if (!file.range) return { hash: file.hash, whole: true, ranges: [] }
  if (before?.hash !== file.hash) return { hash: file.hash, whole: false, ranges: [file.range] }
  if (before.whole) return before
  return { ...before, ranges: union([...before.ranges, file.range]) }
}

function union(ranges: readonly (readonly [number, number])[]): readonly (readonly [number, number])[] {
  const merged: [number, number][] = []
  for (const [first, last] of [...ranges].sort((a, b) => a[0] - b[0])) {
    const previous = merged.at(-1)
    if (previous && first <= previous[1] + 1) previous[1] = Math.max(previous[1], last)
    else merged.push([first, last])
  }
  return merged
}
