import type { Authority } from './core/authority.ts'
import type { Changeset, Entry, Lead } from './core/changeset.ts'
import type { Decision, Freeze, Probes, Purpose, Reading } from './core/compaction.ts'
import type { ConsumerInfo, DeadLetter, EventFilter, Lag, Start } from './core/consumer.ts'
import type { Filter } from './core/filter.ts'
import type { Key } from './core/key.ts'
import type {
  Dependent,
  FetchResult,
  FetchStatus,
  Lineage,
  Metric,
  PutResult,
  Revision,
  RevisionDiff,
  RevisionText,
  SourceResult,
  Span,
  Summary,
  WriteResult,
} from './core/model.ts'
import type { Admits, LiveRecord, RecordChange, RecordOutcome, RecordResult } from './core/record.ts'

/*
 * Ports carry commands, not transactions: the store decides with pure functions, a ledger commits what was decided
 * atomically. Nothing here can hold a transaction open across an await, which is what lets the same store run on
 * synchronous SQLite and on a server database.
 */

/** Turns texts into vectors. `id` names model and parameters: equal ids mean comparable vectors. */
export interface Embedder {
  readonly id: string
  /** 0 until the first vector, where only the model can say. */
  readonly dimensions: number
  /** Longest input in tokens, where the model has a limit. */
  readonly maxTokens?: number
  embedDocuments(texts: readonly string[], signal?: AbortSignal): Promise<readonly Float32Array[]>
  embedQuery(text: string, signal?: AbortSignal): Promise<Float32Array>
  /** For whoever made it; a store does not close an embedder, which may serve several. */
  close?(): Promise<void>
}

export interface CollectionInfo {
  /** The ledger's integer id. */
  readonly ref: number
  /** The collection's own id, which outlives its names. */
  readonly id: Key
  readonly name: string
  readonly metric: Metric
  readonly position: number
  readonly live: number
  /** The active embedder's id, once a computed vector was stored. */
  readonly embedder?: string
}

/** What a source looked like when a write was planned. */
export interface Head {
  /** 0: never seen. Counts every change, so that a plan made on an older one is refused. */
  readonly version: number
  readonly revision: number
  readonly removed: boolean
  readonly live: number
  readonly spans: number
  readonly fingerprint?: string
  readonly chunker?: string
  readonly metadata?: string
  readonly expiresAt?: number
  readonly trailing: string
  /** Where its last revision lies in the collection's log. */
  readonly position: number
}

/** A draft at a glance, to find out where it differs without looking at every span. */
export interface Outline {
  /** Hashes of its chunks, of `HASH_LENGTH` characters each, in one string. */
  readonly hashes: string
  readonly leads: readonly Lead[]
  /** True when no chunk has metadata or a vector: then equal hashes and leads mean equal chunks. */
  readonly plain: boolean
}

/** Characters of a text's hash. */
export const HASH_LENGTH = 22

/** Stands for the hash of a record without text, and of an erased text. */
export const NO_HASH = ' '.repeat(HASH_LENGTH)

/** The first `before` and the last `after` places stay as they are; `entries` are those between. */
export interface Window {
  readonly before: number
  readonly after: number
  readonly entries: readonly Entry[]
}

export interface NewSpan {
  readonly text: string | undefined
  readonly hash: string | undefined
  readonly length: number
  /** Canonical JSON; undefined when empty. */
  readonly metadata: string | undefined
  /** Supplied by the caller. */
  readonly vector: Float32Array | undefined
}

export interface PlannedPut {
  readonly source: string
  readonly version: number
  /** Where the draft may differ; `chunks` and `changeset` are about this part alone. */
  readonly window: Window
  readonly chunks: readonly (NewSpan & { readonly lead: Lead })[]
  readonly trailing: string
  readonly changeset: Changeset
  readonly fingerprint: string
  readonly chunker: string | undefined
  readonly metadata: string | undefined
  readonly expiresAt: number | undefined
  readonly readmit: boolean
  /** The answer where the source is as the put wants it, but for vectors: only the ledger can compare those. */
  readonly unchanged: PutResult | undefined
}

export interface PlannedAppend {
  readonly source: string
  readonly spans: readonly NewSpan[]
  readonly metadata: string | undefined
  readonly expiresAt: number | undefined
  readonly readmit: boolean
}

export interface Computed {
  readonly embedder: string
  readonly dimensions: number
  readonly vectors: ReadonlyMap<string, Float32Array>
}

export interface WriteOptions {
  readonly commandId?: string
  /** Vectors computed before the commit, by text hash. */
  readonly computed?: Computed
}

export interface Retired extends WriteResult {
  readonly retired: readonly Key[]
  readonly already: readonly Key[]
  readonly absent: readonly string[]
}

export interface Erased extends Retired {
  readonly erased: readonly Key[]
  /** Other sources and dependents that carry the text, for the caller to judge. */
  readonly alsoIn: readonly {
    readonly key: Key
    readonly collection: string
    readonly source?: string
    readonly session?: string
  }[]
  /** True once no file of the store holds the text. */
  readonly complete: boolean
  readonly waitingFor: readonly string[]
}

export interface RegisterCommand {
  readonly text: string
  readonly claims: readonly ClaimRecord[]
  readonly dependsOn: readonly { readonly key: Key; readonly printed: boolean }[]
  readonly covers: readonly Key[]
  readonly replaces: readonly Key[]
  /** Position by collection id: what the summarizer had read. */
  readonly basedOn: ReadonlyMap<string, number> | undefined
  /** Text with its anchors blanked: equal for summaries that say the same about other keys. */
  readonly skeleton: string
  /** How complete the summarizer called it, from 0 to 1. */
  readonly completeness: number | undefined
}

export interface ClaimRecord {
  readonly text: string
  /** Whether a key can be derived for it from the summary's text alone. */
  readonly derivable: boolean
  /** Registered although it was found unfaithful. */
  readonly unverified: boolean
}

export interface Registered extends WriteResult {
  readonly epoch: number
  readonly keys: readonly Key[]
}

export interface FindQuery {
  readonly where?: Filter
  readonly sources?: readonly string[]
  readonly limit: number
  readonly offset: number
}

/** What `verify` can find in a ledger. Derived rows can be repaired; the rest asks for a backup. */
export interface Problem {
  readonly code:
    | 'DAMAGED_FILE'
    | 'BROKEN_REFERENCE'
    | 'POSITION_GAP'
    | 'WRONG_HEAD'
    | 'WRONG_COUNT'
    | 'MISSING_CAUSE'
    | 'SURPLUS_CAUSE'
    | 'WRONG_IDENTICAL'
    | 'WRONG_SESSION_COUNT'
    | 'WRONG_TEXT_INDEX'
    | 'WRONG_VECTOR_INDEX'
    | 'WRONG_ATTRIBUTE_INDEX'
  readonly what: string
  readonly repaired: boolean
}

export interface LedgerStats {
  readonly collections: readonly {
    readonly name: string
    readonly position: number
    readonly sources: number
    readonly live: number
    readonly tombstones: number
    readonly summaries: { readonly current: number; readonly suspect: number; readonly stale: number }
    /**
     * Reads through sessions, by how their keys were found: printed in a summary of the session, or by a query. Only
     * the former say whether summaries still stand.
     */
    readonly rehydrations: { readonly anchored: Probes; readonly queried: Probes }
    readonly frozen: number
  }[]
  readonly events: number
  readonly bytes: number
}

export interface Backup {
  readonly store: Key
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly files: readonly { readonly name: string; readonly bytes: number; readonly sha256: string }[]
}

/** Which dead letters: one, or all of the consumer. */
export type WhichDeadLetters = 'all' | { readonly collection: string; readonly position: number }

/**
 * The durable consumers of a store: who reads its events, how far, and what failed. Everything that changes a
 * consumer takes it from its present holder, who learns so by LEASE_LOST. @throws CONSUMER_UNKNOWN
 */
export interface Consumers {
  /** Makes the consumer, so that events from now on wait for it. @throws CONSUMER_MISMATCH with another filter */
  open(
    name: string,
    options?: { readonly filter?: EventFilter; readonly start?: Start },
  ): Promise<ConsumerInfo>
  list(): Promise<ConsumerInfo[]>
  info(name: string): Promise<ConsumerInfo>
  /** How far behind it is, in events its filter admits and in the age of the oldest of them. */
  lag(name: string): Promise<Lag>
  /** Starts over from there; what it did not acknowledge is passed over, or comes again. */
  reset(name: string, start: Start, options?: { readonly collection?: string }): Promise<void>
  setFilter(name: string, filter: EventFilter): Promise<void>
  /** Forgets the consumer, its cursors and its dead letters. */
  delete(name: string): Promise<void>
  deadLetters(name: string): Promise<DeadLetter[]>
  /** Delivers dead letters again, before anything else. */
  replay(name: string, which: WhichDeadLetters): Promise<{ readonly replayed: number }>
  discard(name: string, which: WhichDeadLetters): Promise<{ readonly discarded: number }>
  /** Deletes a collection's events before a position. Refused while a consumer has not acknowledged them, unless `force`. */
  pruneEvents(
    collection: string,
    options: { readonly before: number; readonly force?: boolean },
  ): Promise<{ readonly pruned: number }>
}

/** Records, as clients of vector databases know them (see `core/record.ts`). */
export interface RecordLedger {
  /**
   * One transaction; one outcome per change, in order. `unless`: nothing is written if one of these sources changed
   * after a position of this collection; the answer then names those that did.
   */
  write(
    collection: number,
    changes: readonly RecordChange[],
    options: WriteOptions & {
      readonly unless?: { readonly after: number; readonly sources: readonly string[] }
    },
  ): Promise<RecordsWritten | { readonly moved: readonly string[] }>
  /** One slot per id, in request order, all of one snapshot. */
  read(
    collection: number,
    sources: readonly string[],
    vectors: boolean,
  ): Promise<{ readonly slots: readonly RecordResult[]; readonly position: number }>
  /** Span ids of the live records that pass, in the order in which their sources came (or came back). */
  order(
    collection: number,
    where: Filter | undefined,
    admits: Admits | undefined,
  ): Promise<{ readonly ids: readonly number[]; readonly position: number }>
  /** Those of these spans that are live, in the given order. */
  rows(collection: number, ids: readonly number[], vectors: boolean): Promise<readonly LiveRecord[]>
  /** Those of these sources that changed after a position. */
  moved(collection: number, after: number, sources: readonly string[]): Promise<readonly string[]>
}

export interface RecordsWritten extends WriteResult {
  /** Where the collection stood before. */
  readonly before: number
  readonly outcomes: readonly RecordOutcome[]
}

/** Keys that were read the same way and answered the same. */
export interface Rehydrations {
  readonly status: FetchStatus
  /** Whether there was text to stand on, at the key or at its `identical`. */
  readonly hit: boolean
  readonly cited: 'self' | 'external'
  readonly purpose: Purpose
  /** Found by a search, not by a key the session had. */
  readonly queried: boolean
  /** One for each time; may repeat. */
  readonly keys: readonly string[]
}

/** What an agent read elsewhere and told the store. */
export interface Report {
  readonly key: string
  readonly hit: boolean
  readonly cited: 'self' | 'external'
}

/** An agent's context at one time. Texts stay outside. */
export interface Snapshot {
  readonly tokens: number
  /** Tokens for what another part of the context stands for as well. */
  readonly duplicate: number
  /** Parts that are no text of this store, and those among them that cite no key. */
  readonly foreign: number
  readonly uncited: number
  /** What foreign parts cite. */
  readonly cites: readonly Key[]
}

/** A batch of what one session observed. */
export interface Observed {
  readonly rehydrations: readonly Rehydrations[]
  readonly reports: readonly Report[]
  readonly citations: readonly string[]
  readonly snapshots: readonly Snapshot[]
  /** How far an index beside the store has read this collection's log. */
  readonly through?: number
}

/** Where a session stands: a write that was decided on an older one is refused. */
export interface SessionMark {
  /** 0 before the first. */
  readonly epoch: number
  /** Counts freezes, discarded epochs and reconcile passes. */
  readonly interventions: number
}

/** What the monitor decides on, of the cycles since the last reconcile pass and within a window. */
export interface SignalRows {
  readonly mark: SessionMark
  readonly freeze?: Freeze
  /** The epoch of the last reconcile pass or discarded epoch; 0 without one. */
  readonly checkpoint: number
  /** Keys that live summaries cite and that do not resolve. */
  readonly unresolvable: readonly Key[]
  /** So, of foreign parts of the context. */
  readonly unresolvableForeign: readonly Key[]
  /** Keys cited in live summaries that an index beside the store cannot know yet, or did not find. */
  readonly behind: readonly Key[]
  readonly self: Probes
  readonly external: Probes
  /** Reads told to the store; misses among them of keys that were live. */
  readonly reported: number
  readonly lagging: number
  /** Whether an index beside the store was ever named. */
  readonly beside: boolean
  readonly snapshot?: Snapshot
  /** Summaries that took the place of others over the same spans; those that cite more than what they replaced. */
  readonly recompacted: number
  readonly inflated: readonly { readonly key: Key; readonly before: number; readonly after: number }[]
  /** How many reads of spans, and how many citations, by age in cycles; the reads of the window before, too. */
  readonly rehydratedAges: ReadonlyMap<number, number>
  readonly rehydratedBefore: ReadonlyMap<number, number>
  readonly citedAges: ReadonlyMap<number, number>
  /** Readings of this window and the one before, oldest first. */
  readonly earlier: readonly Reading[]
}

export interface SessionKnobs {
  /** Milliseconds for which `prune` leaves the texts of retired spans that live summaries of the session stand on. */
  readonly retention?: number
  /** How many cycles old a span may be that the session's `search` returns. */
  readonly recencyWindow?: number
}

export interface EpochDiscarded extends WriteResult {
  /** 0: there was none to discard. */
  readonly epoch: number
  readonly discarded: readonly Key[]
  /** What the epoch had replaced, back under new keys. */
  readonly restored: readonly { readonly from: Key; readonly to: Key }[]
  /** What could not come back, and the dependencies it lacks; none where its text was erased. */
  readonly lost: readonly { readonly key: Key; readonly missing: readonly Key[] }[]
}

/** A live summary of the session, as `reconcile` finds it. */
export interface Reconcilable {
  readonly summary: Summary
  readonly standings: readonly {
    readonly key: Key
    readonly printed: boolean
    readonly result: FetchResult
    readonly satisfied: boolean
    /** What stands for it now: itself, its `identical`, or the live ends of its successors. */
    readonly live: readonly FetchResult[]
  }[]
  /** The live spans that stand for those it covers. */
  readonly covers: readonly Key[]
}

export interface Reconciliation {
  readonly mark: SessionMark
  readonly freeze?: Freeze
  /** Position by collection id. */
  readonly basedOn: ReadonlyMap<string, number>
  /** Equal for as long as the session's live summaries and what they lack are the same. */
  readonly fingerprint: string
  /** Those that are not current, oldest first. */
  readonly summaries: readonly Reconcilable[]
  /** What all current summaries cite. */
  readonly cited: readonly Key[]
  /** Keys the agent cited in its own words since the last pass that do not resolve. */
  readonly citations: readonly FetchResult[]
}

export interface ReconcileCommand {
  readonly mark: SessionMark
  readonly basedOn: ReadonlyMap<string, number>
  readonly fingerprint: string
  /** In the order in which they are written; a later one may cite the old key of an earlier one. */
  readonly rewrites: readonly { readonly key: Key; readonly summary: RegisterCommand }[]
  readonly withdrawn: readonly Key[]
}

export interface Reconciled extends Registered {
  readonly resumed: boolean
}

/**
 * What a ledger keeps of a session beside its summaries: observations, the monitor's readings, freezes. A freeze is
 * ended by `reconcile` alone, and by that only where every live summary of the session is current afterwards.
 */
export interface SessionRecords {
  /** One transaction. */
  observe(collection: number, session: string, observed: Observed): Promise<void>
  /** Those of the keys that were ever read with success, whatever for. */
  rehydrated(collection: number, session: string, keys: readonly Key[]): Promise<ReadonlySet<Key>>
  /** Those of the keys that the agent ever cited in its own words. */
  cited(collection: number, session: string, keys: readonly Key[]): Promise<ReadonlySet<Key>>
  /** Every read of the session, by how its key was found. */
  probes(
    collection: number,
    session: string,
  ): Promise<{ readonly anchored: Probes; readonly queried: Probes }>
  freeze(collection: number, session: string): Promise<Freeze | undefined>
  /** `window`: over how many cycles. */
  signals(collection: number, session: string, window: number): Promise<SignalRows>
  /**
   * Keeps a reading, and freezes the session where `freeze` says so. `undefined`: the session moved since the mark;
   * read again.
   */
  judge(
    collection: number,
    session: string,
    mark: SessionMark,
    reading: Reading,
    freeze: { readonly decision: Exclude<Decision, 'proceed'>; readonly reason: string } | undefined,
  ): Promise<{ readonly freeze?: Freeze } | undefined>
  /** Oldest first, the last `limit` of them. */
  readings(collection: number, session: string, limit: number): Promise<readonly Reading[]>
  knobs(collection: number, session: string): Promise<SessionKnobs>
  /** Undefined leaves a knob as it is; `null` unsets it. */
  turn(
    collection: number,
    session: string,
    knobs: { readonly retention?: number | null; readonly recencyWindow?: number | null },
  ): Promise<void>
  /** The position at which the cycle began that lies so many back. 0: before the first. */
  since(collection: number, session: string, cycles: number): Promise<number>
  discardEpoch(collection: number, session: string, options: WriteOptions): Promise<EpochDiscarded>
  reconciliation(collection: number, session: string): Promise<Reconciliation>
  /** All or nothing. @throws INPUTS_MOVED, SESSION_FROZEN (no epoch discarded yet), DEPENDENCY_UNSATISFIED, CYCLE */
  reconcile(collection: number, session: string, command: ReconcileCommand): Promise<Reconciled>
}

/** What a gate answered. */
export interface GateRecord {
  /** Of the session's collection, and of all: where the store stood when the gate began to look. */
  readonly position: number
  readonly cursor: string
  readonly positions: ReadonlyMap<string, number>
  readonly action?: string
  readonly verdict: 'substantiated' | 'refused'
  readonly claims: readonly {
    readonly text: string
    readonly summary?: Key
    readonly verdict: 'substantiated' | 'refused'
    /** It was compared with what it stands on, and says the same. */
    readonly verified: boolean
    readonly code?: string
    /** Live keys it stands on, down to spans. */
    readonly keys: readonly Key[]
  }[]
}

export interface Relied {
  readonly verdict: 'substantiated' | 'refused'
  /** Keys the gate relied on that something has happened to since. */
  moved(): Promise<readonly Key[]>
}

/** A claim that looks as if it could stand alone, whose key is not derivable and whose span no longer resolves. */
export interface UnbackedClaim {
  readonly summary: Key
  /** Which claim of the summary, from 0. */
  readonly claim: number
  readonly text: string
  /** The key it may have stood on: given beside the text, and gone. */
  readonly key: Key
}

/** A summary that was acted on, none of whose spans was read since it was registered. */
export interface UnreadSummary {
  readonly summary: Key
  /** The action, where a gate was told its name. */
  readonly action?: string
  /** When it was last acted on, in milliseconds since the epoch. */
  readonly at: number
  readonly keys: readonly Key[]
}

/** A summary, live or replaced since, of which the text is still there. */
export interface ChainStep {
  readonly key: Key
  readonly epoch: number
  readonly text: string
  readonly covers: readonly Key[]
  readonly completeness?: number
}

/** The log of what gates answered, and what can be told from it. */
export interface GateRecords {
  /** One transaction. Answers its number, and when. */
  record(
    collection: number,
    session: string,
    gate: GateRecord,
  ): Promise<{ readonly gate: number; readonly at: number }>
  /** Of each claim, in order: what its last verification is worth now. */
  authorities(collection: number, session: string, claims: readonly string[]): Promise<readonly Authority[]>
  /** A gate of this session: by its number, else the last that answered this cursor. */
  relied(collection: number, session: string, cursor: string, gate?: number): Promise<Relied | undefined>
  /** What each live summary became out of: itself last, and at most `steps` in all. `gone`: keys not satisfied now. */
  chains(
    collection: number,
    session: string,
    steps: number,
  ): Promise<{ readonly chains: readonly (readonly ChainStep[])[]; readonly gone: ReadonlySet<Key> }>
  unbacked(collection: number, session: string): Promise<readonly UnbackedClaim[]>
  unread(collection: number, session: string): Promise<readonly UnreadSummary[]>
}

export interface Ledger {
  readonly id: Key
  readonly vectors: VectorRecords
  readonly gates: GateRecords
  readonly sessions: SessionRecords
  readonly records: RecordLedger

  collections(): Promise<readonly CollectionInfo[]>
  /** `create: false`: one that is there, or COLLECTION_UNKNOWN. */
  openCollection(
    name: string,
    metric: Metric | undefined,
    options: { readonly recreate: boolean; readonly create: boolean },
  ): Promise<CollectionInfo>
  renameCollection(name: string, to: string): Promise<void>
  dropCollection(name: string): Promise<WriteResult>

  /** One key; synchronous where the ledger can, because it is the call an agent makes most. */
  fetchOne(key: string, collection?: number): FetchResult | Promise<FetchResult>
  /** In request order, one slot per key. `collection`: keys of others answer `absent`. */
  fetch(keys: readonly string[], collection?: number, asOf?: number): Promise<readonly FetchResult[]>
  find(collection: number, query: FindQuery): Promise<readonly Span[]>
  count(collection: number, where?: Filter): Promise<number>
  /** Keys of the live spans that pass a filter, oldest first. */
  matching(collection: number, where: Filter): Promise<readonly Key[]>
  source(collection: number, source: string, asOf?: number): Promise<SourceResult>
  sources(collection: number, after: string | undefined, limit: number): Promise<readonly SourceResult[]>
  history(collection: number, source: string): Promise<readonly Revision[]>
  read(collection: number, source: string, revision?: number): Promise<RevisionText>
  diff(collection: number, source: string, from: number, to: number): Promise<RevisionDiff>
  lineage(key: Key): Promise<Lineage>
  dependents(key: Key): Promise<readonly Dependent[]>

  head(collection: number, source: string): Promise<Head>
  /** The part of the last manifest that a draft may differ in. */
  changed(collection: number, source: string, outline: Outline): Promise<Window>
  texts(ids: readonly number[]): Promise<readonly (string | undefined)[]>
  /** Which of these texts have a vector of this embedder already. */
  embedded(embedder: string, hashes: readonly string[]): Promise<ReadonlySet<string>>
  /** Answers of `commandId`, when it was executed before. */
  command(commandId: string): Promise<unknown>

  /** One transaction. `undefined`: a source moved since it was planned; plan again. */
  put(
    collection: number,
    puts: readonly PlannedPut[],
    options: WriteOptions,
  ): Promise<readonly PutResult[] | undefined>
  append(collection: number, append: PlannedAppend, options: WriteOptions): Promise<PutResult>
  remove(collection: number, source: string, options: WriteOptions): Promise<Retired>
  retire(
    collection: number,
    keys: readonly string[],
    reason: 'deleted' | 'evicted',
    options: WriteOptions,
  ): Promise<Retired>
  update(
    collection: number,
    keys: readonly string[],
    patch: (metadata: string | undefined) => string | undefined,
    options: WriteOptions,
  ): Promise<WriteResult & { readonly updated: readonly Key[] }>
  erase(
    collection: number,
    target: { readonly keys: readonly string[] } | { readonly source: string },
    cascade: boolean,
    options: WriteOptions,
  ): Promise<Erased>
  /** Drops texts of spans retired before a time (milliseconds). `reclaimed`: the files shrank. */
  prune(
    before: number,
    signal?: AbortSignal,
  ): Promise<{ readonly pruned: number; readonly reclaimed: boolean }>
  /** Compares derived rows with the append-only tables, and sets them right when told to. */
  verify(repair: boolean): Promise<readonly Problem[]>
  stats(): Promise<LedgerStats>
  backup(directory: string, onProgress?: (done: number, total: number) => void): Promise<Backup>

  register(
    collection: number,
    session: string,
    summaries: readonly RegisterCommand[],
    options: WriteOptions,
  ): Promise<Registered>
  summaries(collection: number, session: string, which: 'live' | 'notCurrent'): Promise<readonly Summary[]>
  /** The latest current summary of the session that covers the key. */
  representative(collection: number, session: string, key: Key): Promise<Key | undefined>

  close(): Promise<void>
}

/** UTF-16 offsets: `text.slice(start, end)`. */
export interface TextRange {
  readonly start: number
  readonly end: number
}

export interface TextQuery {
  /** As the user typed it. */
  readonly text: string
  readonly limit: number
  readonly offset: number
  readonly where?: Filter
  /** Search what was live at this position. */
  readonly asOf?: number
  readonly highlight: boolean
  readonly signal?: AbortSignal
}

export interface TextHit {
  readonly id: number
  readonly span: Span
  /** Higher is better; comparable within one answer. */
  readonly score: number
  /** Where the words are, in order, without overlaps. */
  readonly highlights?: readonly TextRange[]
}

/** Best first. Everything in it is of one snapshot of the ledger: the collection as it stood at `position`. */
export interface TextAnswer {
  readonly hits: readonly TextHit[]
  readonly position: number
  /** Position up to which the index had absorbed the log. Below `position` when that was not possible in time. */
  readonly indexedThrough: number
  /** True while the index is made anew, so that even old spans may be missing. */
  readonly rebuilding: boolean
  /** False when the query holds nothing that is a word to the index (`"?!"`). */
  readonly hasWords: boolean
  /** The words that were looked for, rarest first. */
  readonly words: readonly string[]
  /** Words too common to be looked for beside the rarer ones: they rank what those find, or do not count at all. */
  readonly pruned: readonly string[]
}

/** What is derived from the ledger: it may lag, may be deleted, and is made anew without an embedder. */
export interface DerivedIndex {
  /** Absorbs the log of one collection, or of all, in steps that leave the process responsive. @throws STORE_BUSY, ABORTED */
  catchUp(options?: {
    readonly collection?: number
    readonly signal?: AbortSignal
    readonly onProgress?: (collection: number, pending: number) => void
  }): Promise<void>
  /** Call after a commit: the index catches up in the background. */
  wake(): void
  /** Compares the index with the live spans, and makes it anew where they differ when told to: O(store). */
  verify(repair: boolean): Promise<readonly Problem[]>
  /** Removes every trace of these spans, which are tombstones, from its files. Answers what that still waits for. */
  erase(ids: readonly number[]): Promise<readonly string[]>
  close(): Promise<void>
}

/** Full text. */
export interface TextIndex extends DerivedIndex {
  /** Position up to which the index has absorbed a collection's log. */
  watermark(collection: number): number
  /** Absorbs what is missing, then answers. @throws COLLECTION_DROPPED, POSITION_UNKNOWN, ABORTED */
  search(collection: number, query: TextQuery): Promise<TextAnswer>
}

/** Spans that may pass a filter. */
export interface Candidates {
  /** Ascending. Every live span that passes is among them, but for those that came or changed after `position`. */
  readonly ids: readonly number[]
  readonly position: number
}

/** Which spans have which metadata. */
export interface AttributeIndex extends DerivedIndex {
  /**
   * Undefined where asking about every span is as quick, or the index is not there yet. Answers at once, and never
   * fails for what is wrong with the index.
   */
  candidates(collection: number, where: Filter): Candidates | undefined
}

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
  /** Live spans with ids above `after`, by id. `last`: go on from there; undefined: there are no more. */
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
  /** Hashes of texts embedded since, in this collection or another; undefined: up to now, without looking. */
  arrived(
    embedder: string,
    since: VectorArrivals | undefined,
  ): { readonly hashes: readonly string[]; readonly through: VectorArrivals }
  /** The present state of these spans. */
  rows(collection: number, space: VectorSpace, ids: readonly number[]): readonly VectorRow[]
  /** Whether it is known without looking that at most so many spans pass a filter. */
  selective(collection: number, where: Filter, most: number): boolean
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
  /** Keeps vectors computed for texts that are live; positions do not move. `beside`: of an embedder not yet active. */
  keep(collection: number, computed: Computed, beside?: boolean): Promise<void>
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

/** Vectors. Where the index lags or is missing, answers are complete all the same. */
export interface VectorIndex extends DerivedIndex {
  /** Position up to which the table of a collection has absorbed its log; undefined where there is to be no table. */
  watermark(collection: number): number | undefined
  /** @throws NO_VECTORS, INVALID_VECTOR, EMBEDDER_MISMATCH, COLLECTION_DROPPED, POSITION_UNKNOWN, ABORTED */
  search(collection: number, query: VectorQuery): Promise<VectorAnswer>
  /** Makes the table of vectors that are not searched yet, so that there is no gap when they are. */
  prepare(collection: number, space: VectorSpace, options?: { readonly signal?: AbortSignal }): Promise<void>
}

/** Computes vectors after the fact: those that deferred puts left out, and those of another embedder. */
export interface DeferredVectors {
  /** Call after a deferred put: with an embedder, they are computed in the background. */
  wake(collection: number): void
  /**
   * Computes every vector that is missing. What was computed before an error is kept; calling again goes on from there.
   * @throws NO_VECTORS without an embedder, EMBEDDER_FAILED, EMBEDDER_MISMATCH, COLLECTION_DROPPED, ABORTED
   */
  embed(collection: number, options?: EmbedOptions): Promise<{ readonly embedded: number }>
  /** What `switch` would have to compute. */
  estimate(collection: number, embedder: Embedder): Promise<EmbedEstimate>
  /**
   * Computes every vector by another embedder beside the active one, and makes it active when none is missing.
   * @throws as `embed`, and COLLECTION_MISMATCH where vectors were supplied by callers
   */
  switch(collection: number, embedder: Embedder, options?: EmbedOptions): Promise<Switched>
  /** Embeds some texts anew and compares. @throws as `embed` */
  check(collection: number, count: number, options?: EmbedOptions): Promise<EmbeddingCheck>
  close(): Promise<void>
}

export interface EmbedEstimate {
  readonly texts: number
  /** UTF-16 units. */
  readonly characters: number
  /** At four characters a token, which is usual for English. */
  readonly tokens: number
}

/** How stored vectors compare with those that the embedder makes of the same texts now. */
export interface EmbeddingCheck {
  readonly embedder: string
  /** How many were compared; fewer than asked for where there are no more. */
  readonly compared: number
  /** Cosine between the stored vector and the new one: 1 where the model is what it was. 1 where nothing was compared. */
  readonly least: number
  readonly mean: number
  /** The furthest first, at most ten. */
  readonly furthest: readonly { readonly key: Key; readonly cosine: number }[]
}

export interface Switched {
  readonly embedded: number
  /** Of the event `index.rebuilt`, or where the collection stood if the embedder was active already. */
  readonly position: number
}

export interface EmbedOptions {
  readonly signal?: AbortSignal
  /** Called after each batch. */
  readonly onProgress?: (embedded: number) => void
  /** Texts given to the embedder at once. Default 64. */
  readonly batch?: number
  /** Milliseconds to wait between batches. */
  readonly pause?: number
  /** At most so many texts a minute, where a provider limits the rate. */
  readonly perMinute?: number
}
