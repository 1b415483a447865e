import { type Filter, parseFilter, type Where } from '../core/filter.ts'
import type { Key } from '../core/key.ts'
import type { Span } from '../core/model.ts'
import type { TextRange } from '../ports/text.ts'
import type { VectorPath } from '../ports/vectors.ts'
import { abortSignal, flag, invalid, object, vectorOf, wellFormed, wholeNumber } from './input.ts'

export type SearchMode = 'vector' | 'text' | 'hybrid'

/** `scores[i]` is of `hits[i]`. */
export type Rerank = (
  text: string,
  hits: readonly Hit[],
  signal: AbortSignal | undefined,
) => Promise<readonly number[]> | readonly number[]

export interface SearchOptions {
  /**
   * Words as they come, a question for instance. Every word is optional: spans with more of them, and with rarer
   * ones, come first. `"a phrase"`, `prefix*`, `+required` and `-excluded` narrow it; nothing is a syntax error.
   */
  readonly text?: string
  /** What to compare vectors with; left out, the store's embedder makes it from `text`. */
  readonly vector?: Float32Array | readonly number[]
  /**
   * Left out: `hybrid` (words and vectors, by reciprocal rank fusion) for text where the collection has vectors of an
   * embedder, `vector` for a vector alone, else `text`.
   */
  readonly mode?: SearchMode
  /** How many hits. Default 10, at most 1000. */
  readonly k?: number
  readonly offset?: number
  /** Only spans whose metadata match. The answer is exact whatever the filter. */
  readonly where?: Where
  /**
   * How a vector index may answer: `exact`, or the part of the true nearest it should find, from 0 to 1. Default 0.98.
   * Small collections are always searched exactly, and so are words: by bm25 over all of them. In mode `hybrid` words of
   * very many spans may only rank what rarer ones find, since vectors find the rest.
   */
  readonly accuracy?: 'exact' | number
  /**
   * Search the collection as it stood at this position. Words are looked for in the index and in what was retired since
   * (about ten microseconds each), and ranked as they would have been then. Vectors of the past are not indexed: all that
   * were live then are compared.
   */
  readonly asOf?: number
  /** How much words and vectors count in mode `hybrid`. Default 1 and 0.5, chosen on meetings of which others were kept apart (`npm run bench -- search-defaults`). */
  readonly weights?: { readonly text?: number; readonly vector?: number }
  /** Leave out hits whose `score` is lower. */
  readonly minScore?: number
  /**
   * Orders the best hits anew: a cross-encoder, a language model, a rule of your own. It gets the query's text and the
   * best 64 hits (for later pages more) and answers one score for each, higher is better; they become the hits' scores.
   * What lies deeper is not in the answer. When it fails the search does. @throws RERANKER_FAILED
   */
  readonly rerank?: Rerank
  /** At most so many hits of one source. */
  readonly perSource?: number
  /**
   * From 0, the ranking as it is, to 1: prefer hits that say something else than those before (maximal marginal
   * relevance). Hits are in the order in which they were chosen then, not in that of their scores.
   */
  readonly diversity?: number
  /** Say where in each hit's text the words are. */
  readonly highlight?: boolean
  /** Say how the query was understood and answered. */
  readonly explain?: boolean
  readonly signal?: AbortSignal
}

/** What `similar` takes of a search. */
export type SimilarOptions = Pick<
  SearchOptions,
  'k' | 'offset' | 'where' | 'accuracy' | 'minScore' | 'explain' | 'signal'
>

/**
 * Why an answer may be missing something.
 * - `TEXT_INDEX_BEHIND`: the word index could not absorb the latest writes in time; search again.
 * - `INDEX_REBUILDING`: an index is being made anew; search again later.
 * - `WORDS_LEFT_OUT`: the query has more words than are looked for (of its first 1000, the 256 rarest); spans that have
 *   none but the others may be missing.
 * - `NO_WORDS`: the query holds nothing that is a word, so that there was nothing to look for.
 * - `VECTORS_PENDING`: spans wait for their vectors.
 * - `NO_EMBEDDER`: this process cannot turn the text into a vector of this collection: it was searched by words alone,
 *   and not at all in mode `vector`.
 */
export type SearchReason =
  | 'TEXT_INDEX_BEHIND'
  | 'INDEX_REBUILDING'
  | 'WORDS_LEFT_OUT'
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
  /** Where vectors were compared: cosine 1 − cos, l2 squared, ip 1 − product. Lower is closer. */
  readonly distance?: number
  /** Where the query's words are in `span.text`, in UTF-16 units, in order, without overlaps. */
  readonly highlights?: readonly TextRange[]
}

export interface SearchExplanation {
  readonly mode: SearchMode
  /** The words looked for, rarest first, as the index has them: folded to lower case, without accents. */
  readonly words: readonly string[]
  /**
   * Words so common in the collection that they found nothing by themselves, because what the others found comes first:
   * they only ranked that, or, where more than half of the spans have them, did not count.
   */
  readonly pruned: readonly string[]
  /** How vectors were compared, where they were. */
  readonly vectors?: VectorPath
  /** How many hits were ordered anew, and how many milliseconds that took. */
  readonly reranked?: { readonly hits: number; readonly took: number }
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
  'minScore',
  'weights',
  'perSource',
  'diversity',
  'rerank',
  'highlight',
  'explain',
  'signal',
]
const MODES: readonly unknown[] = ['vector', 'text', 'hybrid']

/** What part of the true nearest an answer holds unless told. */
const ACCURACY = 0.98

function weight(name: string, value: unknown): number {
  if (typeof value === 'number' && value >= 0 && Number.isFinite(value)) return value
  throw invalid(`search.weights.${name}`, value, 'give a number of at least 0')
}

/** A checked search. */
export interface Asked {
  readonly text: string | undefined
  readonly vector: Float32Array | undefined
  readonly k: number
  readonly offset: number
  readonly where: Filter | undefined
  readonly accuracy: number
  readonly asOf: number | undefined
  readonly minScore: number
  readonly weights: { readonly text: number; readonly vector: number }
  readonly perSource: number | undefined
  readonly diversity: number
  readonly rerank: Rerank | undefined
  readonly highlight: boolean
  readonly explain: boolean
  readonly signal: AbortSignal | undefined
  readonly except: number | undefined
}

export function check(options: SearchOptions): Asked {
  object('search', options, FIELDS)
  const { mode, accuracy, minScore, diversity, rerank } = options
  if (rerank !== undefined && typeof rerank !== 'function')
    throw invalid('search.rerank', rerank, 'give a function from a text and hits to a score for each')
  if (rerank !== undefined && options.text === undefined)
    throw invalid('search.rerank', rerank, 'it needs a text to compare the hits with')
  if (mode !== undefined && !MODES.includes(mode))
    throw invalid('search.mode', mode, "give 'vector', 'text' or 'hybrid'")
  if (
    accuracy !== undefined &&
    accuracy !== 'exact' &&
    !(typeof accuracy === 'number' && accuracy >= 0 && accuracy <= 1)
  )
    throw invalid('search.accuracy', accuracy, "give 'exact' or a number from 0 to 1")
  if (options.text === undefined && options.vector === undefined)
    throw invalid('search', 'without text and vector', 'give text, or a vector, to search for')
  if (minScore !== undefined && (typeof minScore !== 'number' || Number.isNaN(minScore)))
    throw invalid('search.minScore', minScore, 'give a number')
  if (options.weights !== undefined) object('search.weights', options.weights, ['text', 'vector'])
  if (diversity !== undefined && !(typeof diversity === 'number' && diversity >= 0 && diversity <= 1))
    throw invalid('search.diversity', diversity, 'give a number from 0 to 1')
  const k = wholeNumber('search.k', options.k ?? 10, 1)
  if (k > 1000) throw invalid('search.k', k, 'ask for at most 1000; page with offset')
  const text = options.text === undefined ? undefined : wellFormed('search.text', options.text)
  if (text?.trim() === '') throw invalid('search.text', text, 'give at least one word')
  return {
    text,
    vector: options.vector === undefined ? undefined : vectorOf('search.vector', options.vector),
    k,
    offset: wholeNumber('search.offset', options.offset ?? 0, 0),
    where: options.where === undefined ? undefined : parseFilter(options.where),
    accuracy: accuracy === 'exact' ? 1 : (accuracy ?? ACCURACY),
    asOf: options.asOf === undefined ? undefined : wholeNumber('search.asOf', options.asOf, 0),
    minScore: minScore ?? Number.NEGATIVE_INFINITY,
    weights: {
      text: weight('text', options.weights?.text ?? 1),
      vector: weight('vector', options.weights?.vector ?? 0.5),
    },
    perSource:
      options.perSource === undefined ? undefined : wholeNumber('search.perSource', options.perSource, 1),
    diversity: diversity ?? 0,
    rerank,
    highlight: flag('search.highlight', options.highlight),
    explain: flag('search.explain', options.explain),
    signal: abortSignal('search.signal', options.signal),
    except: undefined,
  }
}
