import type BetterSqlite3 from 'better-sqlite3'
import { SpanStoreError } from '../../core/errors.ts'
import type { Filter } from '../../core/filter.ts'
import type { Key } from '../../core/key.ts'
import type { FetchResult, Metric, PutResult, Span } from '../../core/model.ts'
import type { AttributeIndex } from '../../ports/attributes.ts'
import type { DerivedIndex } from '../../ports/derived.ts'
import type { GateRecords } from '../../ports/gates.ts'
import type { Backup, CollectionInfo, Erased, FindQuery, Ledger, LedgerStats } from '../../ports/ledger.ts'
import type { Head, Outline, PlannedAppend, PlannedPut, Window, WriteOptions } from '../../ports/planned.ts'
import type { Problem } from '../../ports/problem.ts'
import type { RecordLedger } from '../../ports/records.ts'
import type { RegisterCommand, SessionRecords } from '../../ports/sessions.ts'
import type { VectorRecords } from '../../ports/vectors.ts'
import { nextTurn } from '../../threads/turn.ts'
import { backupLedger } from './backup.ts'
import {
  checkMetric,
  findCollection,
  knownCollection,
  listCollections,
  requireCollection,
  writeCollection,
  writeDrop,
  writeRename,
} from './collections.ts'
import type { EraseTarget } from './erase.ts'
import { SqliteGates } from './gates.ts'
import { readingDependents, readingLineage } from './graph.ts'
import { forgetHashes, Gaps, readSource, readWindow } from './heads.ts'
import { HeavyWrites } from './heavy-writes.ts'
import { type MatchingHost, withMatching } from './matching.ts'
import { openDatabase, storageError } from './open.ts'
import { prepareTemporaryTables } from './propagate.ts'
import { fetchingAsOf, fetchingInFull, fetchLive, NODE_BY_ID, type NodeRow, spanOf } from './read.ts'
import { SqliteRecords } from './record-ledger.ts'
import { comparingRevisions, history, listSources, readingRevisionText, sourceResult } from './revisions.ts'
import { SqliteSessions } from './sessions.ts'
import { keysOf } from './source-rows.ts'
import { Connection } from './statements.ts'
import { listingSummaries, representative } from './summaries.ts'
import { Transactions } from './transactions.ts'
import { SqliteVectors } from './vectors.ts'
import { WholeLedger } from './whole.ts'
import { OUTDATED } from './write-command.ts'

export interface LedgerOptions {
  /** Milliseconds since the epoch. */
  readonly clock?: () => number
  /** How long a write waits for other writers before it fails with STORE_BUSY, in milliseconds. */
  readonly wait?: number
  /** Spans from which it is read from end to end in a thread. Default 20 000. */
  readonly large?: number
  /** Microseconds that a write may take in this thread; one that will take longer is done in another. Default 8 000. */
  readonly heavy?: number
  /** Called after each commit. `quiet`: it wrote nothing that anybody follows. */
  readonly onCommit?: (quiet: boolean) => void
  /** Files derived from the ledger, which an erasure has to reach. They answer what they still wait for. */
  readonly derived?: readonly Pick<DerivedIndex, 'erase'>[]
  /** Which spans a filter may let pass, where that is known without looking at each. */
  readonly candidates?: AttributeIndex['candidates']
}

/** Spans read in one go: a few milliseconds. */
const READ_AT_ONCE = 500

/** How often more than that are read in several goes, while others write in between. */
const READ_ATTEMPTS = 3

/** Opens or creates the ledger in an SQLite file. */
export function openSqliteLedger(path: string, options: LedgerOptions = {}): SqliteLedger {
  const clock = options.clock ?? Date.now
  const wait = options.wait ?? 10_000
  const db = openDatabase(path, { clock, wait })
  return new SqliteLedger(db, path, {
    clock,
    wait,
    large: options.large ?? 20_000,
    heavy: options.heavy ?? 12_000,
    onCommit: options.onCommit ?? (() => {}),
    derived: options.derived ?? [],
    candidates: options.candidates ?? (() => undefined),
  })
}

export class SqliteLedger implements Ledger {
  readonly id: Key
  readonly connection: Connection
  readonly vectors: VectorRecords
  readonly sessions: SessionRecords
  readonly gates: GateRecords
  readonly records: RecordLedger
  readonly #db: BetterSqlite3.Database
  readonly #path: string
  readonly #options: Required<LedgerOptions>
  readonly #transactions: Transactions
  readonly #whole: WholeLedger
  readonly #writes: HeavyWrites
  readonly #matching: MatchingHost

  constructor(db: BetterSqlite3.Database, path: string, given: Required<LedgerOptions>) {
    this.#db = db
    this.#path = path
    const options = {
      ...given,
      onCommit: (quiet: boolean) => {
        this.#whole.noteCommit()
        given.onCommit(quiet)
      },
    }
    this.#options = options
    this.connection = new Connection(db)
    prepareTemporaryTables(this.connection)
    this.id = this.connection.value<Key>('SELECT key FROM store')!
    this.#transactions = new Transactions(this.connection, path, options)
    this.#whole = new WholeLedger(this.#transactions, path, options)
    this.#writes = new HeavyWrites(this.#transactions, this.#whole.thread, {
      path: path === ':memory:' ? undefined : path,
      clock: options.clock,
      heavy: options.heavy,
      onCommit: options.onCommit,
    })
    this.gates = new SqliteGates({
      connection: this.connection,
      record: (collection, session, gate) =>
        this.#writes.write(collection, { verb: 'gate', session, gate }, {}),
      read: (work) => this.#transactions.read(work),
      readInSteps: (work) => this.#transactions.readInSteps(work),
    })
    this.sessions = new SqliteSessions({
      connection: this.connection,
      write: (collection, options, work) => this.#transactions.writeIn(collection, options, work),
      carryOut: (collection, command, options) => this.#writes.write(collection, command, options),
      transact: (work) => this.#transactions.transact(work),
      read: (work) => this.#transactions.read(work),
      readInSteps: (work) => this.#transactions.readInSteps(work),
    })
    this.#matching = {
      snapshot: (work) => this.#transactions.snapshot(work),
      candidates: options.candidates,
    }
    this.records = new SqliteRecords(this.#transactions, this.#writes, this.#matching)
    this.vectors = new SqliteVectors({
      ...this.#matching,
      connection: this.connection,
      transact: (work) => this.#transactions.transact(work),
      expire: () => this.#transactions.expire(),
    })
  }

  /** One write transaction, for those who write beside the spans: see `Transactions`. */
  transact<T>(work: (connection: Connection, now: number) => T, quiet = false): Promise<T> {
    return this.#transactions.transact(work, quiet)
  }

  expire(): Promise<number | undefined> {
    return this.#transactions.expire()
  }

  // ── collections ───────────────────────────────────────────────────────────────────────────────────────────

  async collections(): Promise<readonly CollectionInfo[]> {
    return await this.#transactions.read(listCollections)
  }

  async openCollection(
    name: string,
    metric: Metric | undefined,
    { recreate, create }: { readonly recreate: boolean; readonly create: boolean },
  ): Promise<CollectionInfo> {
    this.#transactions.checkOpen()
    if (!create)
      return checkMetric(
        await this.#transactions.read((connection) => knownCollection(connection, name)),
        metric,
      )
    const found = findCollection(this.connection, name)
    if (found !== undefined) return checkMetric(found, metric)
    const made = await this.#transactions.write({}, (commit) =>
      writeCollection(commit, name, metric ?? 'cosine', recreate, this.#transactions.mint(commit.at)),
    )
    return checkMetric(made, metric)
  }

  async renameCollection(name: string, to: string): Promise<void> {
    await this.#transactions.write({}, (commit) => writeRename(commit, name, to))
  }

  dropCollection(name: string) {
    return this.#transactions.write({}, (commit) => writeDrop(commit, name))
  }

  // ── reading ───────────────────────────────────────────────────────────────────────────────────────────────

  /** One key, without a transaction of its own: a single statement is a snapshot. */
  fetchOne(key: string, collection?: number): FetchResult | Promise<FetchResult> {
    let result: FetchResult | 'due' | undefined
    try {
      result = fetchLive(this.connection, key, collection, this.#options.clock())
    } catch (error) {
      // Asking whether the store is open costs as much as a page of the index, so it is asked afterwards.
      this.#transactions.checkOpen()
      throw storageError(error, this.#path)
    }
    if (result === undefined)
      return this.#transactions.readAtOnceOrInSteps((connection) => fetchingInFull(connection, key))
    if (result !== 'due') return result
    return this.#transactions.expire().then(() => this.fetchOne(key, collection))
  }

  async fetch(keys: readonly string[], collection?: number, asOf?: number): Promise<readonly FetchResult[]> {
    return await this.#transactions.readInSteps(function* (connection) {
      const results: FetchResult[] = []
      for (const key of keys) {
        results.push(
          asOf === undefined
            ? // What is due was committed just now; the snapshot may not judge by a later clock.
              ((fetchLive(connection, key, collection, Number.NEGATIVE_INFINITY) as
                | FetchResult
                | undefined) ?? (yield* fetchingInFull(connection, key)))
            : yield* fetchingAsOf(connection, key, collection, asOf),
        )
        yield
      }
      return results
    })
  }

  async find(collection: number, query: FindQuery): Promise<readonly Span[]> {
    const { limit, offset } = query
    await this.#transactions.expire()
    const read = (connection: Connection, ids: readonly number[]) =>
      ids.map((id) => {
        const row = connection.row<NodeRow>(NODE_BY_ID, id)!
        return spanOf(row, row[3])
      })
    const positionOf = (connection: Connection) =>
      connection.value<number>('SELECT position FROM collection_head WHERE collection = ?', collection)
    for (let attempt = 0; ; attempt++) {
      const found = await withMatching(
        this.#matching,
        collection,
        query,
        { needed: offset + limit },
        (connection, matching) => {
          const ids = matching.slice(offset)
          const atOnce = ids.length <= READ_AT_ONCE || attempt === READ_ATTEMPTS
          return atOnce ? { spans: read(connection, ids) } : { ids, position: positionOf(connection) }
        },
      )
      if ('spans' in found) return found.spans
      const spans: Span[] = []
      for (let i = 0; i < found.ids.length; i += READ_AT_ONCE) {
        await nextTurn()
        spans.push(
          ...this.#transactions.snapshot((connection) =>
            read(connection, found.ids.slice(i, i + READ_AT_ONCE)),
          ),
        )
      }
      // Otherwise some of them may be of another moment.
      if (this.#transactions.snapshot(positionOf) === found.position) return spans
    }
  }

  async count(collection: number, where?: Filter): Promise<number> {
    if (where !== undefined) {
      await this.#transactions.expire()
      return await withMatching(this.#matching, collection, { where }, {}, (_, ids) => ids.length)
    }
    return await this.#transactions.read((connection) => {
      requireCollection(connection, collection)
      return connection.value<number>('SELECT live FROM collection_head WHERE collection = ?', collection)!
    })
  }

  async matching(collection: number, where: Filter): Promise<readonly Key[]> {
    await this.#transactions.expire()
    const ids = await withMatching(this.#matching, collection, { where }, {}, (_, ids) => ids)
    const keys: Key[] = []
    for (let i = 0; i < ids.length; i += READ_AT_ONCE) {
      if (i > 0) await nextTurn()
      // Whatever is written meanwhile, a span's key stays the same.
      const part = ids.slice(i, i + READ_AT_ONCE)
      keys.push(...this.#transactions.snapshot((connection) => keysOf(connection, part)))
    }
    return keys
  }

  async source(collection: number, source: string, asOf?: number) {
    return await this.#transactions.read((connection) => sourceResult(connection, collection, source, asOf))
  }

  async sources(collection: number, after: string | undefined, limit: number) {
    return await this.#transactions.read((connection) => listSources(connection, collection, after, limit))
  }

  async history(collection: number, source: string) {
    return await this.#transactions.read((connection) => history(connection, collection, source))
  }

  async read(collection: number, source: string, revision?: number) {
    return await this.#transactions.readInSteps((connection) =>
      readingRevisionText(connection, collection, source, revision),
    )
  }

  async diff(collection: number, source: string, from: number, to: number) {
    return await this.#transactions.readInSteps((connection) =>
      comparingRevisions(connection, collection, source, from, to),
    )
  }

  async lineage(key: Key) {
    return await this.#transactions.readInSteps((connection) => readingLineage(connection, key))
  }

  async dependents(key: Key) {
    return await this.#transactions.readInSteps((connection) => readingDependents(connection, key))
  }

  // ── planning ──────────────────────────────────────────────────────────────────────────────────────────────

  async head(collection: number, source: string): Promise<Head> {
    return await this.#transactions.read((connection) => {
      requireCollection(connection, collection)
      const row = readSource(connection, collection, source)
      if (row === undefined)
        return { version: 0, revision: 0, removed: false, live: 0, spans: 0, trailing: '', position: 0 }
      const { last } = row
      return {
        version: row.version,
        revision: row.revision,
        removed: last.removed,
        live: row.live,
        spans: last.spans,
        trailing: last.trailing === null ? '' : new Gaps(connection).text(last.trailing),
        position: last.position,
        ...(row.fingerprint === null ? {} : { fingerprint: row.fingerprint }),
        ...(last.chunker === null ? {} : { chunker: last.chunker }),
        ...(last.metadata === null ? {} : { metadata: last.metadata }),
        ...(row.expires === null ? {} : { expiresAt: row.expires }),
      }
    })
  }

  async changed(collection: number, source: string, outline: Outline): Promise<Window> {
    return this.#transactions.snapshot((connection) => {
      const row = readSource(connection, collection, source)
      return row === undefined ? { before: 0, after: 0, entries: [] } : readWindow(connection, row, outline)
    })
  }

  async texts(ids: readonly number[]): Promise<(string | undefined)[]> {
    return ids.map((id) => {
      const row = this.connection.row<[string | null, number]>(
        `SELECT text, EXISTS (SELECT 1 FROM erasure WHERE span = ?1) OR EXISTS (SELECT 1 FROM pruning WHERE span = ?1)
         FROM span WHERE id = ?1`,
        id,
      )
      return row === undefined || row[1] === 1 || row[0] === null ? undefined : row[0]
    })
  }

  async embedded(embedder: string, hashes: readonly string[]): Promise<ReadonlySet<string>> {
    const known = new Set<string>()
    for (let i = 0; i < hashes.length; i += READ_AT_ONCE) {
      if (i > 0) await nextTurn()
      this.#transactions.snapshot((connection) => {
        for (const hash of hashes.slice(i, i + READ_AT_ONCE))
          if (
            connection.value('SELECT 1 FROM embedding WHERE hash = ? AND name = ?', hash, embedder) !==
            undefined
          )
            known.add(hash)
      })
    }
    return known
  }

  async command(commandId: string): Promise<unknown> {
    this.#transactions.checkOpen()
    const result = this.connection.value<string>('SELECT result FROM command WHERE id = ?', commandId)
    return result === undefined ? undefined : JSON.parse(result)
  }

  // ── writing ───────────────────────────────────────────────────────────────────────────────────────────────

  async put(
    collection: number,
    puts: readonly PlannedPut[],
    options: WriteOptions,
  ): Promise<readonly PutResult[] | undefined> {
    try {
      return await this.#writes.write(collection, { verb: 'put', puts }, options)
    } catch (error) {
      if (error === OUTDATED) return undefined
      throw error
    }
  }

  append(collection: number, append: PlannedAppend, options: WriteOptions) {
    return this.#writes.write(collection, { verb: 'append', append }, options)
  }

  remove(collection: number, source: string, options: WriteOptions) {
    return this.#writes.write(collection, { verb: 'remove', source }, options)
  }

  retire(collection: number, keys: readonly string[], reason: 'deleted' | 'evicted', options: WriteOptions) {
    return this.#writes.write(collection, { verb: 'retire', keys, reason }, options)
  }

  update(
    collection: number,
    keys: readonly string[],
    patch: (metadata: string | undefined) => string | undefined,
    options: WriteOptions,
  ) {
    return this.#writes.write(collection, { verb: 'update', keys, patch }, options)
  }

  register(
    collection: number,
    session: string,
    summaries: readonly RegisterCommand[],
    options: WriteOptions,
  ) {
    return this.#writes.write(collection, { verb: 'register', session, summaries }, options)
  }

  async erase(
    collection: number,
    target: EraseTarget,
    cascade: boolean,
    options: WriteOptions,
  ): Promise<Erased> {
    const carriers = await this.#whole.carriers(collection, target)
    const command = { verb: 'erase', target, cascade, carriers } as const
    const { ids, ...done } = await this.#writes.write(collection, command, options)
    forgetHashes(this.connection)
    const waitingFor: string[] = []
    if (!(await this.#whole.checkpoint())) waitingFor.push(`a reader of ${this.#path}`)
    for (const derived of this.#options.derived) waitingFor.push(...(await derived.erase(ids)))
    return { ...done, complete: waitingFor.length === 0, waitingFor }
  }

  async prune(
    before: number,
    signal?: AbortSignal,
  ): Promise<{ readonly pruned: number; readonly reclaimed: boolean }> {
    let pruned = 0
    for (let after: number | undefined = 0; after !== undefined; ) {
      if (signal?.aborted)
        throw new SpanStoreError(
          'ABORTED',
          `pruning was aborted after ${pruned} texts; call again to go on`,
          {},
        )
      const from: number = after
      const batch = await this.#whole.prune({ before, after: from })
      pruned += batch.pruned
      after = batch.last
    }
    return { pruned, reclaimed: pruned > 0 && (await this.#whole.reclaim()) }
  }

  async verify(repair: boolean): Promise<readonly Problem[]> {
    return await this.#whole.verify(repair)
  }

  async stats(): Promise<LedgerStats> {
    return await this.#whole.stats()
  }

  async backup(directory: string, onProgress?: (done: number, total: number) => void): Promise<Backup> {
    this.#transactions.checkOpen()
    return await backupLedger(this.#db, this.id, directory, this.#options.clock(), {
      onProgress,
      copy: (target, onProgress) => this.#whole.copy(target, onProgress),
    })
  }

  async summaries(collection: number, session: string, which: 'live' | 'notCurrent') {
    return await this.#transactions.readInSteps((connection) =>
      listingSummaries(connection, collection, session, which),
    )
  }

  async representative(collection: number, session: string, key: Key) {
    return await this.#transactions.read((connection) => representative(connection, collection, session, key))
  }

  async close(): Promise<void> {
    await this.#writes.close()
    await this.#whole.shorten()
    if (this.#db.open) this.#db.close()
    await this.#whole.close()
  }
}
