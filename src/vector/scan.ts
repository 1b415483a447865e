import type { Filter } from '../core/filter.ts'
import { Pace } from '../core/pace.ts'
import type { VectorRecords, VectorSpace } from '../ports/vectors.ts'
import { distanceTo, type Query } from './metric.ts'
import { type Candidate, Nearest } from './nearest.ts'

/**
 * The nearest of a collection as it stood at a position, read from the ledger itself: exact, whatever became of any
 * index, at about the price of reading every vector. Also answers how many spans had words but no vector.
 */
export async function scanLedger(
  records: VectorRecords,
  collection: number,
  space: VectorSpace,
  query: Query,
  options: {
    readonly position: number
    readonly where: Filter | undefined
    readonly limit: number
    readonly except: number | undefined
  },
  pause: () => Promise<void>,
): Promise<{ readonly nearest: readonly Candidate[]; readonly waiting: number; readonly seen: number }> {
  const { position, where, limit, except } = options
  const nearest = new Nearest(limit)
  const pace = new Pace(250, 5, 300)
  let waiting = 0
  let seen = 0
  for (let after: number | undefined = 0; after !== undefined; ) {
    const from: number = after
    const { rows, last } = pace.step((size) => records.past(collection, space, position, where, from, size))
    for (const { id, vector, waitsFor } of rows) {
      if (waitsFor !== undefined) waiting++
      if (vector === undefined || id === except) continue
      seen++
      nearest.offer(id, distanceTo(query, vector))
    }
    after = last
    if (after !== undefined) await pause()
  }
  return { nearest: nearest.sorted(), waiting, seen }
}
