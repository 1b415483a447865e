import { SpanStoreError } from '../core/errors.ts'
import { depthOf, type Page } from './arrange.ts'
import type { Hit, Rerank, SearchResult } from './search-options.ts'

/** The best hits in the order of other scores than those that found them. */
export async function reranked(
  page: Page,
  {
    rerank,
    text,
    signal,
    minScore,
  }: {
    readonly rerank: Rerank
    readonly text: string
    readonly signal: AbortSignal | undefined
    readonly minScore: number
  },
  ask: (page: Page) => Promise<SearchResult>,
): Promise<SearchResult> {
  const result = await ask({ k: depthOf(page), offset: 0 })
  const { hits, explain } = result
  const started = performance.now()
  const scores = hits.length === 0 ? [] : await scoresOf(rerank, text, hits, signal)
  const order = hits
    .map((hit, i) => ({ ...hit, score: scores[i]! }))
    .filter(({ score }) => score >= minScore)
    // Equal scores leave the order as it was.
    .sort((a, b) => b.score - a.score)
    .slice(page.offset, page.offset + page.k)
  const took = performance.now() - started
  return {
    ...result,
    hits: order,
    ...(explain === undefined ? {} : { explain: { ...explain, reranked: { hits: hits.length, took } } }),
  }
}

async function scoresOf(
  rerank: Rerank,
  text: string,
  hits: readonly Hit[],
  signal: AbortSignal | undefined,
): Promise<readonly number[]> {
  const failed = (why: string, cause?: unknown) =>
    new SpanStoreError(
      'RERANKER_FAILED',
      `the reranker ${why}; it is asked for one number for each of ${hits.length} hits. Search without it, or repair it`,
      { hits: hits.length },
      { cause },
    )
  let scores: readonly number[]
  try {
    scores = await rerank(text, hits, signal)
  } catch (error) {
    if (signal?.aborted) throw new SpanStoreError('ABORTED', 'the search was aborted by its signal', {})
    throw failed(`failed (${(error as Error)?.message ?? error})`, error)
  }
  if (!Array.isArray(scores) || scores.length !== hits.length)
    throw failed(`answered ${Array.isArray(scores) ? `${scores.length} scores` : 'no list'}`)
  if (!scores.every((score) => typeof score === 'number' && !Number.isNaN(score)))
    throw failed('answered scores that are no numbers')
  return scores
}
