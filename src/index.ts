export { parseAnchors } from './core/anchors.ts'
export type {
  CollectionLag,
  ConsumerInfo,
  DeadLetter,
  EventFilter,
  Lag,
  Start,
} from './core/consumer.ts'
export { type ErrorCode, type ErrorDetail, isSpanStoreError, SpanStoreError } from './core/errors.ts'
export type { EventData, EventOf, EventType, StoreEvent } from './core/event.ts'
export { eventSchema } from './core/event-schema.ts'
export type { Where } from './core/filter.ts'
export type { Json, Metadata } from './core/json.ts'
export type { Key } from './core/key.ts'
export {
  type Cause,
  type Claim,
  type Dependent,
  type FetchResult,
  type FetchStatus,
  type Lineage,
  type LineageNode,
  type Metric,
  match,
  type Place,
  type PutOutcome,
  type PutResult,
  type Reason,
  type Revision,
  type RevisionDiff,
  type RevisionText,
  type SourceInfo,
  type SourceResult,
  type Span,
  type SpanReason,
  type Summary,
  type SummaryReason,
  type SummaryState,
  type Tombstone,
  type WriteResult,
} from './core/model.ts'
export {
  checkFidelity,
  type FidelityCode,
  type FidelityPair,
  type FidelityReason,
  type FidelityResult,
  type FidelityVerdict,
  judgeFidelity,
  type SecondOpinion,
} from './guarantees/fidelity/index.ts'
export { openStore, restoreBackup, type StoreOptions } from './open.ts'
export type {
  Backup,
  CollectionInfo,
  Consumers,
  Embedder,
  EmbedEstimate,
  EmbedOptions,
  Erased,
  LedgerStats,
  Problem,
  Retired,
  Switched,
  TextRange,
  VectorPath,
} from './ports.ts'
export type { Collection, FindOptions } from './store/collection.ts'
export type { AppendInput, PutInput, SpanInput, VectorInput } from './store/draft.ts'
export type {
  Hit,
  SearchExplanation,
  SearchMode,
  SearchOptions,
  SearchReason,
  SearchResult,
  SimilarOptions,
} from './store/search-options.ts'
export type { Context, ContextEntry, Registration, Session, SummaryInput } from './store/session.ts'
export type { CollectionOptions, Store } from './store/store.ts'
export type { Delivery, EventStream, NackOptions, SubscribeOptions } from './subscription/index.ts'
