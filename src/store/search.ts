import { SpanStoreError } from '../core/errors.ts'
import { type Filter, parseFilter, type Where } from '../core/filter.ts'
import type { Key } from '../core/key.ts'
import type { Metric, Span } from '../core/model.ts'
import type {
  CollectionInfo,
  Embedder,
  TextAnswer,
  TextIndex,
  TextRange,
  VectorAnswer,
  VectorIndex,
  VectorPath,
  VectorRecords,
  VectorSpace,
} from '../ports.ts'
import { fuse } from './fusion.ts'
import { flag, invalid, object, vectorOf, wellFormed, wholeNumber } from './input.ts'

export type SearchMode = 'vector' | 'text' | 'hybrid'

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
   * Small collections, and words, are always searched exactly.
   */
  readonly accuracy?: 'exact' | number
  /**
   * Search the collection as it stood at this position. The past is not indexed, so that this reads every span that
   * was live then: about ten microseconds each.
   */
  readonly asOf?: number
  /** How much words and vectors count in mode `hybrid`. Default 1 and 0.7. */
  readonly weights?: { readonly text?: number; readonly vector?: number }
  /** Leave out hits whose `score` is lower. */
  readonly minScore?: number
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
 * - `NO_WORDS`: the query holds nothing that is a word, so that there was nothing to look for.
 * - `VECTORS_PENDING`: spans wait for their vectors.
 * - `NO_EMBEDDER`: this process cannot turn the text into a vector of this collection: it was searched by words alone,
 *   and not at all in mode `vector`.
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
  /** Where vectors were compared: cosine 1 − cos, l2 squared, ip 1 − product. Lower is closer. */
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
  /** How vectors were compared, where they were. */
  readonly vectors?: VectorPath
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

/** What a search asks. */
export interface Searched {
  readonly text: TextIndex
  readonly vectors: VectorIndex
  readonly records: VectorRecords
  readonly embedder: Embedder | undefined
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
  'highlight',
  'explain',
  'signal',
]
const MODES: readonly unknown[] = ['vector', 'text', 'hybrid']

/** What part of the true nearest an answer holds unless told. */
const ACCURACY = 0.98

/** How deep each ranking is read before two are fused, at least. */
const DEPTH = 64

function weight(name: string, value: unknown): number {
  if (typeof value === 'number' && value >= 0 && Number.isFinite(value)) return value
  throw invalid(`search.weights.${name}`, value, 'give a number of at least 0')
}

interface Asked {
  readonly text: string | undefined
  readonly vector: Float32Array | undefined
  readonly k: number
  readonly offset: number
  readonly where: Filter | undefined
  readonly accuracy: number
  readonly asOf: number | undefined
  readonly minScore: number
  readonly weights: { readonly text: number; readonly vector: number }
  readonly highlight: boolean
  readonly explain: boolean
  readonly signal: AbortSignal | undefined
  readonly except: number | undefined
}

function check(options: SearchOptions): Asked {
  object('search', options, FIELDS)
  const { mode, accuracy, minScore } = options
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
      vector: weight('vector', options.weights?.vector ?? 0.7),
    },
    highlight: flag('search.highlight', options.highlight),
    explain: flag('search.explain', options.explain),
    signal: options.signal,
    except: undefined,
  }
}

/**
 * @throws INVALID_ARGUMENT, INVALID_FILTER, INVALID_VECTOR, NO_VECTORS, EMBEDDER_MISMATCH, EMBEDDER_FAILED,
 * COLLECTION_DROPPED, POSITION_UNKNOWN, ABORTED
 */
export async function search(
  searched: Searched,
  collection: CollectionInfo,
  options: SearchOptions,
): Promise<SearchResult> {
  const asked = check(options)
  const { space, position } = searched.records.head(collection.ref)
  const mode = options.mode ?? modeOf(asked, space)
  if (mode === 'text' || (mode === 'hybrid' && asked.text === undefined)) {
    if (asked.text === undefined)
      throw invalid('search.text', undefined, `mode ${JSON.stringify(mode)} needs words to look for`)
    const answer = await byText(searched, collection, asked, asked.k, asked.offset)
    const untold = options.mode === undefined && waits(searched, collection, space)
    return resultOf('text', textHits(answer), asked, { text: answer, untold })
  }
  if (space === undefined)
    throw new SpanStoreError(
      'NO_VECTORS',
      `collection ${JSON.stringify(collection.name)} has no vectors; search its words with mode 'text', or open the store with an embedder and put again`,
      { collection: collection.name },
    )
  const vector = asked.vector ?? (await embedQuery(searched.embedder, collection, space, asked))
  if (vector === undefined) {
    if (mode === 'vector') return resultOf('vector', [], asked, { mute: position })
    const answer = await byText(searched, collection, asked, asked.k, asked.offset)
    return resultOf('text', textHits(answer), asked, { text: answer, mute: position })
  }
  if (mode === 'vector') {
    const answer = await byVector(searched, collection, asked, vector, asked.k, asked.offset)
    return resultOf('vector', vectorHits(answer, space.metric), asked, { vectors: answer })
  }
  return await hybrid(searched, collection, asked, vector)
}

/** The nearest other spans of a live span that has a vector. @throws KEY_NOT_LIVE, NO_VECTORS */
export async function similar(
  searched: Searched,
  collection: CollectionInfo,
  key: string,
  options: SimilarOptions,
): Promise<SearchResult> {
  await searched.records.settle()
  const { space } = searched.records.head(collection.ref)
  const row = space && searched.records.find(collection.ref, space, key)
  if (space === undefined || (row !== undefined && row.vector === undefined && row.waitsFor !== undefined))
    throw new SpanStoreError(
      'NO_VECTORS',
      space === undefined
        ? `collection ${JSON.stringify(collection.name)} has no vectors`
        : `the vector of ${key} is not there yet; wait for the indexer`,
      { collection: collection.name },
    )
  if (row?.vector === undefined)
    throw new SpanStoreError(
      'KEY_NOT_LIVE',
      `${key} is no live span of collection ${JSON.stringify(collection.name)} with a vector; fetch it to learn what became of it`,
      { keys: [{ key, status: row === undefined ? 'absent' : 'tombstone' }] },
    )
  const asked = { ...check({ ...options, vector: row.vector }), except: row.id }
  const answer = await byVector(searched, collection, asked, row.vector, asked.k, asked.offset)
  return resultOf('vector', vectorHits(answer, space.metric), asked, { vectors: answer })
}

/** Words of a collection whose vectors callers supplied cannot be compared with them: nobody says which model made them. */
function modeOf(asked: Asked, space: VectorSpace | undefined): SearchMode {
  if (asked.text === undefined) return 'vector'
  if (asked.vector !== undefined) return 'hybrid'
  return space === undefined || space.embedder === '' ? 'text' : 'hybrid'
}

/** Whether this process could have compared vectors, were they there. */
function waits({ embedder, records }: Searched, collection: CollectionInfo, space: VectorSpace | undefined) {
  if (space !== undefined || embedder === undefined) return false
  for (let after: number | undefined = 0; after !== undefined; ) {
    const { texts, last } = records.waiting(collection.ref, embedder.id, after, 1)
    if (texts.size > 0) return true
    after = last
  }
  return false
}

async function embedQuery(
  embedder: Embedder | undefined,
  collection: CollectionInfo,
  space: VectorSpace,
  { text, signal }: Asked,
): Promise<Float32Array | undefined> {
  if (embedder === undefined || space.embedder === '') return undefined
  if (embedder.id !== space.embedder)
    throw new SpanStoreError(
      'EMBEDDER_MISMATCH',
      `collection ${JSON.stringify(collection.name)} uses the embedder ${space.embedder}, this process holds ${embedder.id}; open the store with the former, switch the collection, or search with mode 'text'`,
      { collection: collection.name, expected: space.embedder, actual: embedder.id },
    )
  const failed = (why: string, cause?: unknown) =>
    new SpanStoreError(
      'EMBEDDER_FAILED',
      `embedder ${embedder.id} ${why}; try again, or search with mode 'text'`,
      { embedder: embedder.id },
      { cause },
    )
  let vector: Float32Array
  try {
    vector = await embedder.embedQuery(text!, signal)
  } catch (error) {
    if (signal?.aborted) throw new SpanStoreError('ABORTED', 'the search was aborted by its signal', {})
    throw failed(`failed (${(error as Error)?.message ?? error})`, error)
  }
  if (vector.length !== space.dimensions || !vector.every(Number.isFinite))
    throw failed(`answered a vector of ${vector.length} dimensions or with numbers that are not finite`)
  return vector
}

const given = <T>(name: string, value: T | undefined) => (value === undefined ? {} : { [name]: value })

const byText = (searched: Searched, { ref }: CollectionInfo, asked: Asked, limit: number, offset: number) =>
  searched.text.search(ref, {
    text: asked.text!,
    limit,
    offset,
    highlight: asked.highlight,
    ...given('where', asked.where),
    ...given('asOf', asked.asOf),
    ...given('signal', asked.signal),
  })

const byVector = (
  searched: Searched,
  { ref }: CollectionInfo,
  asked: Asked,
  vector: Float32Array,
  limit: number,
  offset: number,
) =>
  searched.vectors.search(ref, {
    vector,
    limit,
    offset,
    accuracy: asked.accuracy,
    ...given('where', asked.where),
    ...given('asOf', asked.asOf),
    ...given('except', asked.except),
    ...given('signal', asked.signal),
  })

/** Both ways to one depth, which does not follow the page asked for: pages of one query are parts of one ranking. */
async function hybrid(
  searched: Searched,
  collection: CollectionInfo,
  asked: Asked,
  vector: Float32Array,
): Promise<SearchResult> {
  let depth = DEPTH
  while (depth < 2 * (asked.offset + asked.k)) depth *= 2
  const [text, vectors] = await Promise.all([
    byText(searched, collection, asked, depth, 0),
    byVector(searched, collection, asked, vector, depth, 0),
  ])
  const fused = fuse([
    { ids: text.hits.map(({ id }) => id), weight: asked.weights.text },
    { ids: vectors.hits.map(({ id }) => id), weight: asked.weights.vector },
  ])
  const ids = fused.map(([id]) => id)
  // The two answers are of two moments: what the first still found alive may be gone.
  const live = new Set(
    asked.asOf === undefined ? searched.records.passing(collection.ref, ids, asked.where).ids : ids,
  )
  const words = new Map(text.hits.map((hit) => [hit.id, hit]))
  const near = new Map(vectors.hits.map((hit) => [hit.id, hit]))
  const hits = fused
    .filter(([id]) => live.has(id))
    .slice(asked.offset, asked.offset + asked.k)
    .map(([id, score]) => {
      const { span } = (near.get(id) ?? words.get(id))!
      return hitOf(span, score, near.get(id)?.distance, words.get(id)?.highlights)
    })
  return resultOf('hybrid', hits, asked, { text, vectors })
}

const hitOf = (
  span: Span,
  score: number,
  distance: number | undefined,
  highlights: readonly TextRange[] | undefined,
): Hit => ({
  key: span.key,
  source: span.source,
  span,
  score,
  ...(distance === undefined ? {} : { distance }),
  ...(highlights === undefined ? {} : { highlights }),
})

const textHits = ({ hits }: TextAnswer): Hit[] =>
  hits.map(({ span, score, highlights }) => hitOf(span, score, undefined, highlights))

const vectorHits = ({ hits }: VectorAnswer, metric: Metric): Hit[] =>
  hits.map(({ span, distance }) => hitOf(span, scoreOf(metric, distance), distance, undefined))

/** Cosine and inner product as they are; l2 from 1, for the same vector, towards 0. */
const scoreOf = (metric: Metric, distance: number): number =>
  metric === 'l2' ? 1 / (1 + distance) : 1 - distance

function resultOf(
  mode: SearchMode,
  hits: readonly Hit[],
  asked: Asked,
  found: {
    readonly text?: TextAnswer
    readonly vectors?: VectorAnswer
    /** No embedder made a vector of the text. The position, where nothing was searched. */
    readonly mute?: number
    /** Spans wait for the first vectors of the collection. */
    readonly untold?: boolean
  },
): SearchResult {
  const { text, vectors } = found
  const reasons: SearchReason[] = []
  if (text?.rebuilding) reasons.push('INDEX_REBUILDING')
  else if (text !== undefined && text.indexedThrough < text.position) reasons.push('TEXT_INDEX_BEHIND')
  // Beside vectors, a query without words is no lack.
  if (text?.hasWords === false && vectors === undefined) reasons.push('NO_WORDS')
  if ((vectors?.waiting ?? 0) > 0 || found.untold) reasons.push('VECTORS_PENDING')
  if (found.mute !== undefined) reasons.push('NO_EMBEDDER')
  const answers = [text, vectors].filter((answer) => answer !== undefined)
  const position =
    answers.length === 0 ? (found.mute ?? 0) : Math.min(...answers.map((answer) => answer.position))
  const indexedThrough = Math.min(position, ...answers.map((answer) => answer.indexedThrough))
  return {
    hits: hits.filter(({ score }) => score >= asked.minScore),
    complete: reasons.length === 0,
    reasons,
    indexedThrough,
    position,
    pending: position - indexedThrough,
    ...(asked.explain
      ? {
          explain: {
            mode,
            words: text?.words ?? [],
            pruned: text?.pruned ?? [],
            ...(vectors === undefined ? {} : { vectors: vectors.path }),
          },
        }
      : {}),
  }
}
