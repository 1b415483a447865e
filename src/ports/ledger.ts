import type { Probes } from '../core/compaction.ts'
import type { Filter } from '../core/filter.ts'
import type { Key } from '../core/key.ts'
import type {
  Dependent,
  FetchResult,
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
} from '../core/model.ts'
import type { GateRecords } from './gates.ts'
import type { Head, Outline, PlannedAppend, PlannedPut, Window, WriteOptions } from './planned.ts'
import type { Problem } from './problem.ts'
import type { RecordLedger } from './records.ts'
import type { RegisterCommand, Registered, SessionRecords } from './sessions.ts'
import type { VectorRecords } from './vectors.ts'

/*
 * Ports carry commands, not transactions: the store decides with pure functions, a ledger commits what was decided
 * atomically. Nothing here can hold a transaction open across an await, which is what lets the same store run on
 * synchronous SQLite and on a server database.
 */

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

export interface FindQuery {
  readonly where?: Filter
  readonly sources?: readonly string[]
  readonly limit: number
  readonly offset: number
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
