export type { CollectionApi, SessionApi, StoreApi } from './api.ts'
export { type Anchors, parseAnchors } from './core/anchors.ts'
export type { Authority } from './core/authority.ts'
export type { Advice, Decision, Freeze, Probes, Purpose, Reading, Regime } from './core/compaction.ts'
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
export { eventSchema, type JsonSchema } from './core/event-schema.ts'
export type { FieldCondition, FieldOperators, Where } from './core/filter.ts'
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
export { type CompactionSignals, checkCompactionBoundary } from './guarantees/boundary.ts'
export type {
  CompactedClaim,
  CompactionAnswer,
  CompactionProblem,
  CompactionRequest,
  CompactionSpan,
  Summarize,
} from './guarantees/compaction.ts'
export type { Elision, ElisionMarkers, Language } from './guarantees/elisions.ts'
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
export type { ClaimVerdict, GateCode, GateReason, Rehydrated } from './guarantees/gate.ts'
export {
  type AnchorIsolation,
  type AnchorResolver,
  checkAnchorIsolation,
  type IsolationCode,
  type IsolationOptions,
  type IsolationViolation,
} from './guarantees/isolation.ts'
export type { RecallSignals } from './guarantees/recall.ts'
export { openStore, restoreBackup, type StoreOptions } from './open.ts'
export type { Consumers, WhichDeadLetters } from './ports/consumers.ts'
export type { Embedder } from './ports/embedder.ts'
export type { EmbeddingCheck, EmbedEstimate, EmbedOptions, Switched } from './ports/embedding.ts'
export type { UnbackedClaim, UnreadSummary } from './ports/gates.ts'
export type { Backup, CollectionInfo, Erased, LedgerStats, Retired } from './ports/ledger.ts'
export type { Problem } from './ports/problem.ts'
export type { EpochDiscarded, Report, SessionKnobs } from './ports/sessions.ts'
export type { TextRange } from './ports/text.ts'
export type { VectorPath } from './ports/vectors.ts'
export type { Collection, FindOptions } from './store/collection.ts'
export type { Compacted, CompactOptions } from './store/compacting.ts'
export type { AppendInput, PutInput, SpanInput, VectorInput } from './store/draft.ts'
export type { ClaimInput, Gated, GateOptions, Recheck } from './store/gating.ts'
export type {
  Boundary,
  BoundarySignals,
  Condition,
  ContextPart,
  Due,
  HitRate,
  Observation,
} from './store/monitor.ts'
export type {
  ReconcileResult,
  Reconciling,
  Rewrite,
  RewriteSource,
  RewriteTask,
  Unresolved,
} from './store/reconcile.ts'
export type { SummaryInput } from './store/registration.ts'
export type {
  Hit,
  Rerank,
  SearchExplanation,
  SearchMode,
  SearchOptions,
  SearchReason,
  SearchResult,
  SimilarOptions,
} from './store/search-options.ts'
export type { Context, ContextEntry, Registration, Session } from './store/session.ts'
export type { CollectionOptions, Store, StoreActivity } from './store/store.ts'
export type { Delivery, EventStream, NackOptions, SubscribeOptions } from './subscription/index.ts'
