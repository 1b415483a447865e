import type { Key } from './key.ts'

/**
 * Every broken contract the store reports: a stable `code`, a typed `detail`, and a sentence that names the
 * offending value and says what to do. Outcomes (the four results, a stale summary) are values, not errors.
 */
export interface ErrorDetail {
  /** An argument has the wrong shape. `path` names it (`spans[3].text`). */
  INVALID_ARGUMENT: { path: string; value?: unknown }
  /** A string is not well-formed Unicode (a lone surrogate), so it could not be given back as it came. */
  ILL_FORMED_TEXT: { path: string; offset: number }
  /** A metadata filter cannot be understood. `path` is where in the filter (`$and[1].year.$gt`). */
  INVALID_FILTER: { path: string; value?: unknown }
  /** A chunker returned chunks whose text or order does not fit the source. */
  INVALID_CHUNKS: { chunker: string; ordinal: number }
  /** A foreign splitter returned a chunk that cannot be placed uniquely and in order. */
  CHUNK_UNPLACEABLE: { ordinal: number; why: 'not-found' | 'ambiguous' | 'out-of-order'; chunk: string }
  /** A vector has another length than the collection's, or holds a number that is not finite. */
  INVALID_VECTOR: { path: string; expected?: number; actual: number }
  /** `putMany` names a source twice; the order of the two writes would be a guess. */
  DUPLICATE_SOURCE: { source: string }

  /** The collection exists with another metric. */
  COLLECTION_MISMATCH: { collection: string; expected: string; actual: string }
  /** No collection of this name; only `store.collection` creates one. */
  COLLECTION_UNKNOWN: { collection: string }
  /** The name is in use. */
  COLLECTION_EXISTS: { collection: string }
  /** The name was renamed away; `recreate: true` makes a new collection of that name. */
  COLLECTION_RENAMED: { collection: string; now: string }
  /** The collection was dropped; `recreate: true` makes a new one of that name. */
  COLLECTION_DROPPED: { collection: string }

  /** The source moved on: the write was made for an older revision. */
  REVISION_CONFLICT: { source: string; expected: number; actual: number }
  /** No such revision of this source. */
  REVISION_UNKNOWN: { source: string; revision: number }
  /** The source was never seen here, or is removed, and the call needs it. */
  SOURCE_UNKNOWN: { source: string }
  /** A key that the call needs live is not. */
  KEY_NOT_LIVE: { keys: readonly { key: string; status: 'tombstone' | 'absent' }[] }
  /** The position lies in the future of this collection, or is not a position. */
  POSITION_UNKNOWN: { position: number; latest: number }
  /** This text was erased from this source; `readmit: true` takes it back. */
  ERASED_TEXT: { source: string; ordinals: readonly number[] }
  /** Live spans hold the same bytes; `cascade: true` erases them too. */
  CASCADE_REQUIRED: { keys: readonly Key[] }

  /** A dependency is absent, empty or not satisfied. */
  DEPENDENCY_UNSATISFIED: {
    dependencies: readonly {
      key: string
      status: 'absent' | 'empty' | 'tombstone' | 'stale'
      successors?: readonly Key[]
    }[]
  }
  /** An input changed after the summarizer read it. */
  INPUTS_MOVED: { keys: readonly Key[] }
  /** The replacement would stand on what it replaces. */
  CYCLE: { replaces: Key; through: Key }

  /** The gate refused: claims that the action stands on cannot be substantiated now. */
  REHYDRATION_BOUNDARY: {
    action?: string
    /** What speaks against the whole (`NO_CLAIMS`, or a summary that cannot be read). */
    codes: readonly string[]
    /** Every refused claim. */
    claims: readonly {
      text: string
      code: string
      reasons: readonly { code: string; message: string; key?: string; successors?: readonly Key[] }[]
    }[]
  }
  /** A summarizer lost, changed or invented anchors, or its pointers became prose; nothing was registered. */
  RECALL_BROKEN: {
    session: string
    attempts: number
    problems: readonly { code: string; about?: string; original?: string; message: string }[]
  }

  /** The compaction monitor froze the session: nothing is registered until it is reconciled. */
  SESSION_FROZEN: {
    session: string
    decision: 'freeze' | 'freeze_and_rollback'
    /** Whether the last epoch was discarded, which `freeze_and_rollback` asks for first. */
    discarded: boolean
  }

  /** No consumer of this name. */
  CONSUMER_UNKNOWN: { consumer: string }
  /** The consumer exists with another filter; changing it is explicit (`consumers().setFilter`). */
  CONSUMER_MISMATCH: { consumer: string }
  /** Another holder has the consumer's lease. */
  CONSUMER_LEASED: { consumer: string; until: number }
  /** The holder lost its lease, so it can no longer acknowledge. */
  LEASE_LOST: { consumer: string }
  /** The cursor points at events that were pruned. */
  CURSOR_EXPIRED: { collection: string; position: number; oldest: number }
  /** The text is not a cursor of this store. */
  CURSOR_INVALID: { cursor: string }
  /** An event can be acknowledged only by the delivery that holds it, in order. */
  ACK_OUT_OF_ORDER: { consumer: string; id: string }

  /** The embedder failed or answered with the wrong shape; nothing was written. */
  EMBEDDER_FAILED: { embedder: string }
  /** The reranker of a search failed, or answered other than one score for each hit. */
  RERANKER_FAILED: { hits: number }
  /** This process holds another embedder than the collection's active one. */
  EMBEDDER_MISMATCH: { collection: string; expected: string; actual: string }
  /** A vector search in a collection that has no vectors. */
  NO_VECTORS: { collection: string }

  /** Another writer held the store for longer than the configured wait (milliseconds). */
  STORE_BUSY: { waited: number }
  /** The store was written by a newer version of this package. */
  STORE_TOO_NEW: { applied: number; known: number }
  /** An applied migration differs from the one shipped. */
  MIGRATION_CHANGED: { migration: string }
  /** The directory holds no store, and the call must not create one. */
  STORE_NOT_FOUND: { path: string }
  /** The database is damaged or is not one of this package. */
  STORE_CORRUPT: { path: string }
  /** Disk full, no permission, or another failure of the disk. */
  STORAGE_FAILED: { reason: string }
  /** The store was closed. */
  STORE_CLOSED: Record<string, never>
  /** A backup's checksum does not fit, or its target is not empty. */
  BACKUP_INVALID: { path: string; file?: string }
  /** A client got no answer from its server. Whether a write was done is not known; with a `commandId` it can be sent again. */
  SERVER_UNREACHABLE: { url: string }
  /** A server refused a request for reasons of its own (`problem`): no token, no access, too much at once. */
  SERVER_REFUSED: { status: number; problem: string }
  /** The caller's signal aborted the work; nothing of the unfinished step was kept. */
  ABORTED: Record<string, never>
}

export type ErrorCode = keyof ErrorDetail

const MARK: unique symbol = Symbol.for('spanstore.error') as never

export class SpanStoreError<C extends ErrorCode = ErrorCode> extends Error {
  override readonly name = 'SpanStoreError'
  readonly code: C
  readonly detail: ErrorDetail[C]
  readonly [MARK] = true

  constructor(code: C, message: string, detail: ErrorDetail[C], options?: { cause?: unknown }) {
    super(message, options)
    this.code = code
    this.detail = detail
  }
}

/**
 * Narrows an unknown error to this package's, and to one code when given. Works across duplicate copies of the
 * package in one process, because it looks for a mark instead of asking `instanceof`.
 */
export function isSpanStoreError(error: unknown): error is SpanStoreError
export function isSpanStoreError<C extends ErrorCode>(error: unknown, code: C): error is SpanStoreError<C>
export function isSpanStoreError(error: unknown, code?: ErrorCode): boolean {
  if (typeof error !== 'object' || error === null || !(MARK in error)) return false
  return code === undefined || (error as SpanStoreError).code === code
}

export const storeClosed = () => new SpanStoreError('STORE_CLOSED', 'the store is closed; open it again', {})
