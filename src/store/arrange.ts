import type { Hit, SearchResult } from './search-options.ts'

/** How deep a ranking is read at most for the sake of its arrangement. */
const DEEPEST = 10_000

export interface Page {
  readonly k: number
  readonly offset: number
}

/** How deep rankings are read before they are put together anew, at least. */
const DEPTH = 64

/** The same for most pages of one query, so that they are parts of one ranking. */
export function depthOf({ k, offset }: Page): number {
  let depth = DEPTH
  while (depth < 2 * (offset + k)) depth *= 2
  return depth
}

/** At most `perSource` hits of each source: reads the ranking as deep as that takes. */
export async function grouped(
  { k, offset }: Page,
  perSource: number,
  ask: (page: Page) => Promise<SearchResult>,
): Promise<SearchResult> {
  const wanted = offset + k
  for (let depth = 4 * wanted; ; depth *= 4) {
    const result = await ask({ k: depth, offset: 0 })
    const counts = new Map<string, number>()
    const hits = result.hits.filter(({ source }) => {
      const count = (counts.get(source) ?? 0) + 1
      counts.set(source, count)
      return count <= perSource
    })
    if (hits.length >= wanted || result.hits.length < depth || depth >= DEEPEST)
      return { ...result, hits: hits.slice(offset, wanted) }
  }
}

/** How many hits are considered for each one that is given. */
const CHOICE = 4

/**
 * Maximal marginal relevance: each next hit is the best of those that say something else than the ones before. 0 is
 * the ranking as it is, 1 looks at nothing but difference. Hits without a vector are unlike all others.
 */
export async function diversified(
  { k, offset }: Page,
  diversity: number,
  vectorOf: (hit: Hit) => Float32Array | undefined,
  ask: (page: Page) => Promise<SearchResult>,
): Promise<SearchResult> {
  const wanted = offset + k
  const result = await ask({ k: CHOICE * wanted, offset: 0 })
  const scores = result.hits.map(({ score }) => score)
  const [best, worst] = [Math.max(...scores), Math.min(...scores)]
  const left = result.hits.map((hit) => ({
    hit,
    relevance: best === worst ? 1 : (hit.score - worst) / (best - worst),
    vector: vectorOf(hit),
    /** Cosine to the most similar of those chosen. */
    likeness: 0,
  }))
  const chosen: Hit[] = []
  while (chosen.length < wanted && left.length > 0) {
    let at = 0
    let most = Number.NEGATIVE_INFINITY
    left.forEach(({ relevance, likeness }, i) => {
      const worth = (1 - diversity) * relevance - diversity * likeness
      if (worth <= most) return
      most = worth
      at = i
    })
    const [next] = left.splice(at, 1)
    chosen.push(next!.hit)
    for (const one of left)
      if (one.vector !== undefined && next!.vector !== undefined)
        one.likeness = Math.max(one.likeness, cosine(one.vector, next!.vector))
  }
  return { ...result, hits: chosen.slice(offset, wanted) }
}

function cosine(a: Float32Array, b: Float32Array): number {
  let dot = 0
  let aa = 0
  let bb = 0
  for (let i = 0; i < a.length; i++) {
    dot += a[i]! * b[i]!
    aa += a[i]! * a[i]!
    bb += b[i]! * b[i]!
  }
  return aa === 0 || bb === 0 ? 0 : dot / Math.sqrt(aa * bb)
}
