/** One way's answer, best first, and how much it counts. */
export interface Ranking {
  readonly ids: readonly number[]
  readonly weight: number
}

/**
 * Damps the first ranks: the lower, the more the first of one ranking stand before what is in the middle of both. Over
 * two halves of meetings, 5 found more than words alone and put the right spans higher on each; with 20, and with the
 * customary 60, words alone ranked better (`npm run bench -- search-defaults`).
 */
const DAMPING = 5

/**
 * Reciprocal rank fusion: what is ranked high by several ways comes first, without comparing their scores, which have
 * no scale in common. Ids with their scores, best first; among equals the older.
 */
export function fuse(rankings: readonly Ranking[]): (readonly [id: number, score: number])[] {
  const scores = new Map<number, number>()
  for (const { ids, weight } of rankings)
    ids.forEach((id, i) => {
      scores.set(id, (scores.get(id) ?? 0) + weight / (DAMPING + i + 1))
    })
  return [...scores].sort(([a, scoreA], [b, scoreB]) => scoreB - scoreA || a - b)
}
