import { Pace } from '../core/pace.ts'
import type { VectorQuery, VectorRecords } from '../ports/vectors.ts'
import { idSet } from './id-set.ts'
import type { Candidate } from './nearest.ts'
import type { Names, Pause, View } from './view.ts'

/*
 * A filter over an approximate index. It names many spans for next to nothing, nearest by guess first; those that pass
 * are compared exactly, as many as an unfiltered search would compare. Its own comparing costs as much for spans that do
 * not pass.
 */

/** Milliseconds for which the ledger is asked at a stretch. */
const STEP = 6

/** More than this are not named: sorting them costs more than looking for the spans that pass. */
const MOST = 60_000

/** Where fewer of those looked at pass, looking for the spans that pass costs less. */
const LEAST = 0.01

/** How many times as many are named as have to be compared, where nothing is known of the filter: many pass, mostly. */
const UNKNOWN = 6

/** How often more are named when too few of them pass. */
const ROUNDS = 3

/** Beyond what was asked for: the last of it may be retired while the rest is compared. */
const SPARE = 8

/**
 * The nearest that pass, closest first, with true distances. Undefined: this is not the way to find them, because few
 * pass, or most of what passes lies in parts of the index that were not gone through.
 */
export async function nearestNamed(
  {
    records,
    collection,
    view,
    names,
    possible,
  }: {
    readonly records: VectorRecords
    readonly collection: number
    readonly view: View
    readonly names: Names
    /** No others pass. */
    readonly possible: readonly number[] | undefined
  },
  { where, admits, offset, limit }: VectorQuery,
  pause: Pause,
): Promise<{ readonly found: readonly Candidate[]; readonly looked: number } | undefined> {
  const wanted = offset + limit
  const enough = names.enough(wanted)
  const isPossible = possible && idSet(possible)
  const pace = new Pace(256, STEP, 2_000)
  let looked = 0
  /** The first `most` of `ids` that pass. */
  const passing = async (ids: readonly number[], most: number): Promise<number[]> => {
    const some = isPossible === undefined ? ids : ids.filter(isPossible)
    const passed: number[] = []
    for (let i = 0; i < some.length && passed.length < most; ) {
      if (i > 0) await pause()
      const from = i
      i = pace.step((size) => {
        const part = some.slice(from, from + size)
        looked += part.length
        passed.push(...records.passing(collection, part, where, admits).ids)
        return from + part.length
      })
    }
    return passed.slice(0, most)
  }
  const { live } = records.head(collection)
  let count = possible === undefined ? UNKNOWN * enough : Math.ceil((1.2 * enough * live) / possible.length)
  for (let round = 0; round < ROUNDS && count <= MOST; round++) {
    const { guessed, known, all } = await names.nearest(count)
    const first = looked
    const some = await passing(guessed, enough)
    if (some.length >= enough) {
      // Their distances are known, so that only as many as are wanted can be among the nearest.
      const others = await passing(known, wanted + SPARE)
      const found = await view.among(new Set([...some, ...others]), wanted + SPARE)
      return { found, looked }
    }
    const share = some.length / Math.max(1, isPossible === undefined ? looked - first : guessed.length)
    if (all || share < LEAST) return undefined
    count = Math.ceil(Math.max(2 * count, (1.5 * enough) / share))
  }
  return undefined
}
