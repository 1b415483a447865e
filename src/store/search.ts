import { SpanStoreError } from '../core/errors.ts'
import type { Metric, Span } from '../core/model.ts'
import type { Embedder } from '../ports/embedder.ts'
import type { CollectionInfo } from '../ports/ledger.ts'
import type { TextAnswer, TextIndex, TextRange } from '../ports/text.ts'
import type { VectorAnswer, VectorIndex, VectorRecords, VectorSpace } from '../ports/vectors.ts'
import { depthOf, diversified, grouped, type Page } from './arrange.ts'
import { fuse } from './fusion.ts'
import { invalid } from './input.ts'
import { reranked } from './rerank.ts'
import {
  type Asked,
  check,
  type Hit,
  type SearchMode,
  type SearchOptions,
  type SearchReason,
  type SearchResult,
  type SimilarOptions,
} from './search-options.ts'

/** What a search asks. */
export interface Searched {
  readonly text: TextIndex
  readonly vectors: VectorIndex
  readonly records: VectorRecords
  readonly embedder: Embedder | undefined
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
  const { records } = searched
  const found = (page: Page) =>
    answer(
      searched,
      collection,
      // Scores are given anew.
      { ...asked, ...page, ...(asked.rerank === undefined ? {} : { minScore: Number.NEGATIVE_INFINITY }) },
      options.mode,
    )
  const { rerank, text, signal, minScore } = asked
  const ask =
    rerank === undefined || text === undefined
      ? found
      : (page: Page) => reranked(page, { rerank, text, signal, minScore }, found)
  const { perSource, diversity } = asked
  const some =
    perSource === undefined ? ask : (page: Asked) => grouped(page, perSource, (inner) => ask(inner))
  if (diversity === 0) return await some(asked)
  const { space } = records.head(collection.ref)
  const vectorOf = ({ key }: Hit) => space && records.find(collection.ref, space, key)?.vector
  return await diversified(asked, diversity, vectorOf, (page) => some({ ...asked, ...page }))
}

async function answer(
  searched: Searched,
  collection: CollectionInfo,
  asked: Asked,
  given: SearchMode | undefined,
): Promise<SearchResult> {
  const { space, position } = searched.records.head(collection.ref)
  const mode = given ?? modeOf(asked, space)
  if (mode === 'text' || (mode === 'hybrid' && asked.text === undefined)) {
    if (asked.text === undefined)
      throw invalid('search.text', undefined, `mode ${JSON.stringify(mode)} needs words to look for`)
    const answer = await byText(searched, collection, asked, asked.k, asked.offset)
    const untold = given === undefined && waits(searched, collection, space)
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
    const by = { vector, embedder: space.embedder }
    const answer = await byVector(searched, collection, asked, by, asked.k, asked.offset)
    return resultOf('vector', vectorHits(answer, space.metric), asked, { vectors: answer })
  }
  return await hybrid(searched, collection, asked, { vector, embedder: space.embedder })
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
  const by = { vector: row.vector, embedder: space.embedder }
  const answer = await byVector(searched, collection, asked, by, asked.k, asked.offset)
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

const optional = <T>(name: string, value: T | undefined) => (value === undefined ? {} : { [name]: value })

const byText = (
  searched: Searched,
  { ref }: CollectionInfo,
  asked: Asked,
  limit: number,
  offset: number,
  quick = false,
) =>
  searched.text.search(ref, {
    text: asked.text!,
    limit,
    offset,
    highlight: asked.highlight,
    explain: asked.explain,
    quick,
    ...optional('where', asked.where),
    ...optional('asOf', asked.asOf),
    ...optional('signal', asked.signal),
  })

const byVector = (
  searched: Searched,
  { ref }: CollectionInfo,
  asked: Asked,
  { vector, embedder }: { readonly vector: Float32Array; readonly embedder: string },
  limit: number,
  offset: number,
) =>
  searched.vectors.search(ref, {
    vector,
    limit,
    offset,
    accuracy: asked.accuracy,
    ...optional('embedder', asked.vector === undefined ? embedder : undefined),
    ...optional('where', asked.where),
    ...optional('asOf', asked.asOf),
    ...optional('except', asked.except),
    ...optional('signal', asked.signal),
  })

/** Both ways to one depth, which does not follow the page asked for: pages of one query are parts of one ranking. */
async function hybrid(
  searched: Searched,
  collection: CollectionInfo,
  asked: Asked,
  by: { readonly vector: Float32Array; readonly embedder: string },
): Promise<SearchResult> {
  const depth = depthOf(asked)
  const [quick, vectors] = await Promise.all([
    byText(searched, collection, asked, depth, 0, true),
    byVector(searched, collection, asked, by, depth, 0),
  ])
  let text = quick
  let fused = together(searched, collection, asked, text, vectors)
  // Words of very many spans were not looked for; where the rest does not fill the page, they are.
  if (fused.length < asked.offset + asked.k && text.pruned.length > 0 && text.hits.length < depth) {
    text = await byText(searched, collection, asked, depth, 0)
    fused = together(searched, collection, asked, text, vectors)
  }
  const words = new Map(text.hits.map((hit) => [hit.id, hit]))
  const near = new Map(vectors.hits.map((hit) => [hit.id, hit]))
  const hits = fused.slice(asked.offset, asked.offset + asked.k).map(([id, score]) => {
    const { span } = (near.get(id) ?? words.get(id))!
    return hitOf(span, score, near.get(id)?.distance, words.get(id)?.highlights)
  })
  return resultOf('hybrid', hits, asked, { text, vectors })
}

/** One ranking of what both found and is live. */
function together(
  { records }: Searched,
  { ref }: CollectionInfo,
  { weights, asOf, where }: Asked,
  text: TextAnswer,
  vectors: VectorAnswer,
): (readonly [id: number, score: number])[] {
  const fused = fuse([
    { ids: text.hits.map(({ id }) => id), weight: weights.text },
    { ids: vectors.hits.map(({ id }) => id), weight: weights.vector },
  ])
  if (asOf !== undefined) return fused
  // The two answers are of two moments: what the first still found alive may be gone.
  const ids = fused.map(([id]) => id)
  const live = new Set(records.passing(ref, ids, where).ids)
  return fused.filter(([id]) => live.has(id))
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
  // Beside vectors, a query without words is no lack, nor is one of more than are looked for.
  if (text?.cut === true && vectors === undefined) reasons.push('WORDS_LEFT_OUT')
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
