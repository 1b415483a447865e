import { SpanStoreError } from '../core/errors.ts'
import { parseFilter, type Where } from '../core/filter.ts'
import type { Key } from '../core/key.ts'
import type { Span } from '../core/model.ts'
import type { CollectionInfo, TextAnswer, TextIndex, TextRange } from '../ports.ts'
import { invalid, object, wellFormed, wholeNumber } from './input.ts'

export type SearchMode = 'vector' | 'text' | 'hybrid'

export interface SearchOptions {
  /**
   * Words as they come, a question for instance. Every word is optional: spans with more of them, and with rarer
   * ones, come first. `"a phrase"`, `prefix*`, `+required` and `-excluded` narrow it; nothing is a syntax error.
   */
  readonly text?: string
  readonly vector?: Float32Array | readonly number[]
  readonly mode?: SearchMode
  /** How many hits. Default 10, at most 1000. */
  readonly k?: number
  readonly offset?: number
  /** Only spans whose metadata match. The answer is exact whatever the filter. */
  readonly where?: Where
  /** How a vector index may answer. Words are always searched exactly. */
  readonly accuracy?: 'fast' | 'exact'
  /**
   * Search the collection as it stood at this position. The past is not indexed, so that this reads every span that
   * was live then: about ten microseconds each.
   */
  readonly asOf?: number
  /** Say where in each hit's text the words are. */
  readonly highlight?: boolean
  /** Say how the query was understood. */
  readonly explain?: boolean
  readonly signal?: AbortSignal
}

/**
 * Why an answer may be missing something.
 * - `TEXT_INDEX_BEHIND`: the word index could not absorb the latest writes in time; search again.
 * - `INDEX_REBUILDING`: an index is being made anew; search again later.
 * - `NO_WORDS`: the query holds nothing that is a word, so that there was nothing to look for.
 * - `VECTORS_PENDING`: spans wait for their vectors.
 * - `NO_EMBEDDER`: this process cannot turn the query into a vector, so that it was searched by words alone.
 */
export type SearchReason =
  | 'TEXT_INDEX_BEHIND'
  | 'INDEX_REBUILDING'
  | 'NO_WORDS'
  | 'VECTORS_PENDING'
  | 'NO_EMBEDDER'

export interface Hit {
  readonly key: Key
  readonly source: string
  /** The live span as the ledger has it. */
  readonly span: Span
  /** Higher is better. Comparable within one answer only. */
  readonly score: number
  /** The metric's distance, where vectors were compared. */
  readonly distance?: number
  /** Where the query's words are in `span.text`, in UTF-16 units, in order, without overlaps. */
  readonly highlights?: readonly TextRange[]
}

export interface SearchExplanation {
  readonly mode: SearchMode
  /** The words looked for, rarest first, as the index has them: folded to lower case, without accents. */
  readonly words: readonly string[]
  /** Words so common in the collection that they only rank what the rarer ones find, or do not count at all. */
  readonly pruned: readonly string[]
}

/** Hits are live spans, best first. An answer that may be missing something says so: `complete` is false. */
export interface SearchResult {
  readonly hits: readonly Hit[]
  readonly complete: boolean
  /** Empty if and only if `complete`. */
  readonly reasons: readonly SearchReason[]
  /** The index had absorbed the collection's log up to here. */
  readonly indexedThrough: number
  /** The collection as it stood at this position is what the hits were checked against. */
  readonly position: number
  /** How many events lie between. */
  readonly pending: number
  readonly explain?: SearchExplanation
}

const FIELDS = [
  'text',
  'vector',
  'mode',
  'k',
  'offset',
  'where',
  'accuracy',
  'asOf',
  'highlight',
  'explain',
  'signal',
]
const MODES: readonly unknown[] = ['vector', 'text', 'hybrid']

/** @throws INVALID_ARGUMENT, INVALID_FILTER, NO_VECTORS, COLLECTION_DROPPED, POSITION_UNKNOWN, ABORTED */
export async function search(
  index: TextIndex,
  collection: CollectionInfo,
  options: SearchOptions,
): Promise<SearchResult> {
  object('search', options, FIELDS)
  const { mode } = options
  if (mode !== undefined && !MODES.includes(mode))
    throw invalid('search.mode', mode, "give 'vector', 'text' or 'hybrid'")
  if (options.accuracy !== undefined && options.accuracy !== 'fast' && options.accuracy !== 'exact')
    throw invalid('search.accuracy', options.accuracy, "give 'fast' or 'exact'")
  if (options.text === undefined && options.vector === undefined)
    throw invalid('search', 'without text and vector', 'give text, or a vector, to search for')
  const k = wholeNumber('search.k', options.k ?? 10, 1)
  if (k > 1000) throw invalid('search.k', k, 'ask for at most 1000; page with offset')
  const offset = wholeNumber('search.offset', options.offset ?? 0, 0)
  const asOf = options.asOf === undefined ? undefined : wholeNumber('search.asOf', options.asOf, 0)
  const where = options.where === undefined ? undefined : parseFilter(options.where)
  if (options.vector !== undefined || (mode !== undefined && mode !== 'text'))
    throw new SpanStoreError(
      'NO_VECTORS',
      `collection ${JSON.stringify(collection.name)} has no vectors; search its words with mode 'text', or open the store with an embedder and put again`,
      { collection: collection.name },
    )
  const text = wellFormed('search.text', options.text)
  if (text.trim() === '') throw invalid('search.text', text, 'give at least one word')
  const answer = await index.search(collection.ref, {
    text,
    limit: k,
    offset,
    highlight: options.highlight === true,
    ...(where === undefined ? {} : { where }),
    ...(asOf === undefined ? {} : { asOf }),
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  })
  return resultOf(answer, options.explain === true)
}

function resultOf(answer: TextAnswer, explain: boolean): SearchResult {
  const reasons: SearchReason[] = []
  if (answer.rebuilding) reasons.push('INDEX_REBUILDING')
  else if (answer.indexedThrough < answer.position) reasons.push('TEXT_INDEX_BEHIND')
  if (!answer.hasWords) reasons.push('NO_WORDS')
  return {
    hits: answer.hits.map(({ span, score, highlights }) => ({
      key: span.key,
      source: span.source,
      span,
      score,
      ...(highlights === undefined ? {} : { highlights }),
    })),
    complete: reasons.length === 0,
    reasons,
    indexedThrough: answer.indexedThrough,
    position: answer.position,
    pending: answer.position - answer.indexedThrough,
    ...(explain ? { explain: { mode: 'text', words: answer.words, pruned: answer.pruned } } : {}),
  }
}
