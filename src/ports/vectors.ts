import type { Filter } from '../core/filter.ts'
import type { Key } from '../core/key.ts'
import type { Metric, Span } from '../core/model.ts'
import type { Admits } from '../core/record.ts'
import type { DerivedIndex } from './derived.ts'
import type { Computed } from './planned.ts'

/**
 * What vectors of a collection are compared in. A span's vector is the last one supplied with it, else the embedding
 * of its text by the active embedder.
 */
export interface VectorSpace {
  readonly metric: Metric
  readonly dimensions: number
  /** Id of the active embedder; '' where all vectors were supplied by callers. */
  readonly embedder: string
  /** Whether vectors supplied by callers are among them. */
  readonly supplied: boolean
}

export interface VectorHead {
  /** The collection's own id. */
  readonly id: Key
  readonly name: string
  readonly position: number
  /** Events up to here were pruned. */
  readonly floor: number
  readonly live: number
  /** Undefined: no vector was ever stored. */
  readonly space: VectorSpace | undefined
}

/** What a span's vector is now. */
export interface VectorRow {
  readonly id: number
  /** A span that is not live has none. */
  readonly vector: Float32Array | undefined
  /** Hash of the text of a live span that has words and waits for its vector. */
  readonly waitsFor: string | undefined
}

/** How far the embeddings of the store were read. */
export interface VectorArrivals {
  readonly row: number
  readonly hash: string
}

/** An event by which a log that went another way (a restored backup) is recognised. */
export interface VectorMark {
  readonly position: number
  readonly at: number
  readonly key: Key
}

/**
 * A ledger's vectors, for those that derive an index from them. Every call is one snapshot, answers at once and reads
 * a bounded number of rows, so that a caller decides what belongs together and when others may run.
 */
export interface VectorRecords {
  /** Commits what has expired. Await it before reading the present. */
  settle(): Promise<unknown>
  /** Collections in use with at least so many live spans. */
  large(least: number): readonly number[]
  /** The collections of these spans. */
  collectionsOf(ids: readonly number[]): readonly number[]
  /** @throws COLLECTION_DROPPED */
  head(collection: number): VectorHead
  /** Its head's position alone. @throws COLLECTION_DROPPED */
  position(collection: number): number
  /** Live spans with ids above `after`, by id. `last`: go on from there; undefined: there were no more at that moment. */
  copy(
    collection: number,
    space: VectorSpace,
    after: number,
    limit: number,
  ): { readonly rows: readonly VectorRow[]; readonly last: number | undefined }
  /** The present state of every span whose vector or life the events after a position touch. */
  follow(
    collection: number,
    space: VectorSpace,
    after: number,
    limit: number,
  ): {
    readonly rows: readonly VectorRow[]
    readonly through: number
    readonly position: number
    /** Whether one of these events is an erasure. */
    readonly erased: boolean
  }
  /** Whether an event after a position is an erasure. */
  erasedAfter(collection: number, after: number): boolean
  /** Hashes of texts embedded since, in this collection or another; undefined: up to now, without looking. */
  arrived(
    embedder: string,
    since: VectorArrivals | undefined,
  ): { readonly hashes: readonly string[]; readonly through: VectorArrivals }
  /** The present state of these spans. */
  rows(collection: number, space: VectorSpace, ids: readonly number[]): readonly VectorRow[]
  /** Those of these spans that are live, for those who only want vectors: what a span waits for is not said. */
  vectors(collection: number, space: VectorSpace, ids: readonly number[]): readonly VectorRow[]
  /** Spans among which all are that pass a filter, where that is known without looking at each. */
  possible(collection: number, where: Filter): readonly number[] | undefined
  /** Ids of the live spans that pass a filter, oldest first. `pause` is awaited between steps of a few milliseconds. */
  matching(collection: number, where: Filter, pause: () => Promise<void>): Promise<readonly number[]>
  /** Those of these ids that are live and pass the filter, in the given order, and the position of that snapshot. */
  passing(
    collection: number,
    ids: readonly number[],
    where: Filter | undefined,
    admits?: Admits,
  ): { readonly ids: readonly number[]; readonly position: number }
  /** Live spans as the ledger has them. */
  spans(ids: readonly number[], asOf?: number): readonly Span[]
  /** Spans that were live at a position and whose text still exists, with the vectors they had. @throws POSITION_UNKNOWN */
  past(
    collection: number,
    space: VectorSpace,
    position: number,
    where: Filter | undefined,
    after: number,
    limit: number,
  ): { readonly rows: readonly VectorRow[]; readonly last: number | undefined }
  /**
   * Texts, by their hashes, of live spans above `after` that have words and no vector. Reads a bounded part of the
   * collection, so that an answer may be empty though there are more: `last` says where to go on.
   */
  waiting(
    collection: number,
    embedder: string,
    after: number,
    limit: number,
  ): { readonly texts: ReadonlyMap<string, string>; readonly last: number | undefined }
  /**
   * Keeps vectors computed for texts of spans above `after`, up to `through`, that are live; positions do not move.
   * `beside`: of an embedder not yet active.
   */
  keep(
    collection: number,
    computed: Computed,
    options: { readonly after: number; readonly through: number; readonly beside?: boolean },
  ): Promise<void>
  /**
   * Makes an embedder the active one, unless a span above `after` lacks its vector: then `undefined`, and nothing
   * happens. Answers the position of the event.
   */
  switchTo(
    collection: number,
    embedder: string,
    dimensions: number,
    after: number,
  ): Promise<number | undefined>
  /** Some live spans, by chance, with the vectors that were computed of their texts. */
  sample(
    collection: number,
    space: VectorSpace,
    count: number,
  ): readonly { readonly key: Key; readonly text: string; readonly vector: Float32Array }[]
  /** A live span's id and its vector. */
  find(collection: number, space: VectorSpace, key: string): VectorRow | undefined
  /** Much was read that is not soon read again: what it left in memory may go. */
  letGo(): void
  /** The last event up to a position that concerns a span. */
  mark(collection: number, position: number): VectorMark | undefined
}

export interface VectorQuery {
  readonly vector: Float32Array
  readonly limit: number
  readonly offset: number
  readonly where?: Filter
  /** Asked of live spans that pass `where`; not together with `asOf`. */
  readonly admits?: Admits
  /** Compare these spans alone. Not together with `asOf`. */
  readonly among?: readonly number[]
  readonly asOf?: number
  /** What made the vector, where that is known: it is not compared with vectors of another. @throws EMBEDDER_MISMATCH */
  readonly embedder?: string
  /** 1: exact. Less: an approximate index may answer, with about this part of the true nearest. */
  readonly accuracy: number
  /** Left out of the answer. */
  readonly except?: number
  readonly signal?: AbortSignal
}

export interface VectorHit {
  readonly id: number
  readonly span: Span
  /** The metric's own: cosine 1 − cos, l2 squared, ip 1 − product. */
  readonly distance: number
}

/** How an answer was found. Times are milliseconds. */
export interface VectorPath {
  /** Where vectors were compared: in memory, in the index and its tail in memory, or read from the ledger. */
  readonly path: 'resident' | 'index' | 'ledger'
  readonly approximate: boolean
  /** How many candidates were checked against the ledger. */
  readonly candidates: number
  /** How a filter was answered: on the nearest, or by comparing the spans that pass it. */
  readonly filter: 'none' | 'checked' | 'set'
  /** Spans not in the index yet, searched in memory. */
  readonly tail: number
  readonly absorbing: number
  readonly searching: number
}

/** Closest first; every hit was live at `position`. */
export interface VectorAnswer {
  readonly hits: readonly VectorHit[]
  readonly position: number
  readonly indexedThrough: number
  /** Live spans with words that have no vector, and so cannot be hits. */
  readonly waiting: number
  readonly path: VectorPath
}

/** An answer without what the ledger says of its spans, for those who ask it themselves. */
export interface VectorNearest extends Omit<VectorAnswer, 'hits'> {
  readonly nearest: readonly Omit<VectorHit, 'span'>[]
}

/** Vectors. Where the index lags or is missing, answers are complete all the same. */
export interface VectorIndex extends DerivedIndex {
  /** Position up to which the table of a collection has absorbed its log; undefined where there is to be no table. */
  watermark(collection: number): number | undefined
  /** @throws NO_VECTORS, INVALID_VECTOR, EMBEDDER_MISMATCH, COLLECTION_DROPPED, POSITION_UNKNOWN, ABORTED */
  search(collection: number, query: VectorQuery): Promise<VectorAnswer>
  /** As `search`, without reading the spans. */
  nearest(collection: number, query: VectorQuery): Promise<VectorNearest>
  /** Makes the table of vectors that are not searched yet, so that there is no gap when they are. */
  prepare(collection: number, space: VectorSpace, options?: { readonly signal?: AbortSignal }): Promise<void>
}
