import { textClasses } from './align.ts'
import type { DraftChunk, Entry } from './changeset.ts'
import { classes, NEVER } from './subsequence.ts'

/** A run that moved needs this many UTF-16 units: a "Yes." elsewhere answers another question. */
const MOVED_LENGTH = 32

/** How many elements the shortest unique part of a run that moved may have. */
const MOVED_WINDOW = 16

/**
 * Runs of live entries that stand elsewhere in the draft, by chunk. A run counts if its texts occur, in that order,
 * once among the unmatched of each side, and if it is long enough to be recognised.
 */
export function movesOf(
  entries: readonly Entry[],
  chunks: readonly DraftChunk[],
  inOrder: Int32Array,
): readonly (readonly [chunk: number, entry: number])[] {
  const free = new Uint8Array(entries.length).fill(1)
  for (const entry of inOrder) if (entry >= 0) free[entry] = 0
  const textOf = textClasses()
  const old = new Int32Array(entries.length).fill(NEVER)
  const newer = new Int32Array(chunks.length).fill(NEVER)
  for (let i = 0; i < old.length; i++) if (free[i] === 1 && entries[i]!.live) old[i] = textOf(entries[i]!)
  for (let j = 0; j < newer.length; j++) if (inOrder[j]! < 0) newer[j] = textOf(chunks[j]!)

  const entryOf = new Map<number, number>()
  const taken = new Uint8Array(entries.length)
  const same = (i: number, j: number) =>
    old[i] !== undefined && old[i] === newer[j] && old[i] !== NEVER && taken[i] === 0 && !entryOf.has(j)
  const take = (oldSeed: number, newSeed: number, size: number) => {
    for (let k = 0; k < size; k++) if (!same(oldSeed + k, newSeed + k)) return
    let from = 0
    while (same(oldSeed + from - 1, newSeed + from - 1)) from--
    let to = size
    while (same(oldSeed + to, newSeed + to)) to++
    let length = 0
    for (let k = from; k < to; k++) length += entries[oldSeed + k]!.length
    if (length < MOVED_LENGTH) return
    for (let k = from; k < to; k++) {
      taken[oldSeed + k] = 1
      entryOf.set(newSeed + k, oldSeed + k)
    }
  }

  // Windows grow until they are unique. A run around a unique window is unique itself.
  let olds = windowsOf(old)
  let news = windowsOf(newer)
  for (let size = 1; size <= MOVED_WINDOW; size++) {
    const places = new Map<number, { olds: number; news: number; old: number; new: number }>()
    for (const [i, kind] of olds) {
      const place = places.get(kind)
      if (place) place.olds++
      else places.set(kind, { olds: 1, news: 0, old: i, new: -1 })
    }
    for (const [j, kind] of news) {
      const place = places.get(kind)
      if (!place) continue
      place.news++
      place.new = j
    }
    const repeated = new Set<number>()
    for (const [kind, place] of places) {
      if (place.olds === 1 && place.news === 1) take(place.old, place.new, size)
      else if (place.news > 0) repeated.add(kind)
    }
    if (repeated.size === 0) break
    const longer = classes<number>()
    const grow = (windows: Windows, side: Int32Array): Windows =>
      windows.flatMap(([at, kind]) => {
        const next = side[at + size] ?? NEVER
        if (next === NEVER || !repeated.has(kind)) return []
        return [[at, longer(kind * (entries.length + chunks.length + 1) + next)] as const]
      })
    olds = grow(olds, old)
    news = grow(news, newer)
  }
  return [...entryOf].sort((a, b) => a[0] - b[0])
}

/** Where a window starts, and the class of its contents. */
type Windows = readonly (readonly [at: number, kind: number])[]

function windowsOf(side: Int32Array): Windows {
  const windows: [number, number][] = []
  for (let at = 0; at < side.length; at++) if (side[at] !== NEVER) windows.push([at, side[at]!])
  return windows
}
