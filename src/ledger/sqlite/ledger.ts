import { setImmediate as nextTurn } from 'node:timers/promises'
import type BetterSqlite3 from 'better-sqlite3'
import { ulid } from 'ulid'
import { SpanStoreError } from '../../core/errors.ts'
import type { Filter } from '../../core/filter.ts'
import { type Key, keyAfter } from '../../core/key.ts'
import type { FetchResult, Metric, PutResult, Span } from '../../core/model.ts'
import type { Admits } from '../../core/record.ts'
import type { AttributeIndex } from '../../ports/attributes.ts'
import type { DerivedIndex } from '../../ports/derived.ts'
import type { GateRecords } from '../../ports/gates.ts'
import type { Backup, CollectionInfo, Erased, FindQuery, Ledger, LedgerStats } from '../../ports/ledger.ts'
import type { Head, Outline, PlannedAppend, PlannedPut, Window, WriteOptions } from '../../ports/planned.ts'
import type { Problem } from '../../ports/problem.ts'
import type { RecordLedger } from '../../ports/records.ts'
import type { RegisterCommand, SessionRecords } from '../../ports/sessions.ts'
import type { VectorRecords } from '../../ports/vectors.ts'
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
import { Commit } from './commit.ts'
import { type EraseTarget, writeErase } from './erase.ts'
import { SqliteGates } from './gates.ts'
import { dependents, lineage } from './graph.ts'
import { Gaps, readSource, readWindow } from './heads.ts'
import { type MatchingHost, withMatching } from './matching.ts'
import { openDatabase, storageError } from './open.ts'
import { prepareTemporaryTables } from './propagate.ts'
import { PRUNE_BATCH, writePruned } from './prune.ts'
import { writeAppend, writePut } from './put.ts'
import { fetchAsOf, fetchNow, keyOf, NODE_BY_ID, type NodeRow, spanOf } from './read.ts'
import { admitted, movedSources, readRecord, readRecordRows, recordOrder, writeRecord } from './records.ts'
import { writeExpired, writeRemove, writeRetire, writeUpdate } from './retire.ts'
import { diffRevisions, history, listSources, readRevisionText, sourceResult } from './revisions.ts'
import { SqliteSessions } from './sessions.ts'
import { Connection, insertInto } from './statements.ts'
import { ledgerStats } from './stats.ts'
import { listSummaries, representative, writeSummaries } from './summaries.ts'
import { writeComputed } from './vector-rows.ts'
import { SqliteVectors } from './vectors.ts'
import { verifyLedger } from './verify.ts'

export interface LedgerOptions {
  /** Milliseconds since the epoch. */
  readonly clock?: () => number
  /** How long a write waits for other writers before it fails with STORE_BUSY, in milliseconds. */
  readonly wait?: number
  /** Called after each commit. `quiet`: it wrote nothing that anybody follows. */
  readonly onCommit?: (quiet: boolean) => void
  /** Files derived from the ledger, which an erasure has to reach. They answer what they still wait for. */
  readonly derived?: readonly Pick<DerivedIndex, 'erase'>[]
  /** Which spans a filter may let pass, where that is known without looking at each. */
  readonly candidates?: AttributeIndex['candidates']
}

/** Spans judged by a condition in JavaScript between two turns of the event loop. */
const JUDGED = 1_000

/** Spans read in one go: a few milliseconds. */
const READ_AT_ONCE = 1_000

/** How often more than that are read in several goes, while others write in between. */
const READ_ATTEMPTS = 3

/** Milliseconds of uninterrupted writing after which others get a turn. */
const TURN = 10

/**
 * Keys that rise, so that their index grows at its end, also when the clock stands still or goes back. The library's
 * own monotonic factory costs four times as much a key.
 */
function monotonicKeys(): (at: number) => Key {
  let time = Number.NEGATIVE_INFINITY
  let last: Key | undefined
  return (at) => {
    const next = last !== undefined && at <= time ? keyAfter(last) : undefined
    if (next === undefined) time = Math.max(at, time)
    last = next ?? (ulid(time) as Key)
    return last
  }
}

/** A plan did not fit any more: roll back and tell the store to plan again. */
const OUTDATED = Symbol('outdated')

/** Opens or creates the ledger in an SQLite file. */
export function openSqliteLedger(path: string, options: LedgerOptions = {}): SqliteLedger {
  const clock = options.clock ?? Date.now
  const wait = options.wait ?? 10_000
  const db = openDatabase(path, { clock, wait })
  return new SqliteLedger(db, path, {
    clock,
    wait,
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
  readonly #mint: (at: number) => Key
  readonly #matching: MatchingHost
  /** When the event loop last had a turn, as far as writes know. */
  #turn = performance.now()

  constructor(db: BetterSqlite3.Database, path: string, options: Required<LedgerOptions>) {
    this.#db = db
    this.#path = path
    this.#options = options
    this.connection = new Connection(db)
    prepareTemporaryTables(this.connection)
    this.id = this.connection.value<Key>('SELECT key FROM store')!
    this.#mint = monotonicKeys()
    this.gates = new SqliteGates({
      connection: this.connection,
      write: (work) => this.transact(work),
      read: (work) => this.#read(work),
    })
    this.sessions = new SqliteSessions({
      connection: this.connection,
      write: (collection, options, work) => this.#writeIn(collection, options, work),
      transact: (work) => this.transact(work),
      read: (work) => this.#read(work),
    })
    this.records = this.#records()
    this.#matching = {
      snapshot: (work) => this.#snapshot(work),
      candidates: options.candidates,
    }
    this.vectors = new SqliteVectors({
      ...this.#matching,
      connection: this.connection,
      transact: (work) => this.transact(work),
      expire: () => this.expire(),
    })
  }

  // ── transactions ──────────────────────────────────────────────────────────────────────────────────────────

  #checkOpen(): void {
    if (!this.#db.open) throw new SpanStoreError('STORE_CLOSED', 'the store is closed; open it again', {})
  }

  /**
   * One write transaction. IMMEDIATE, so that a second writer waits here rather than failing at its commit. The wait
   * is asynchronous: other work of this process goes on.
   */
  async transact<T>(work: (connection: Connection, now: number) => T, quiet = false): Promise<T> {
    const started = performance.now()
    // Everything here is synchronous: without this, a loop of writes would keep timers and sockets waiting for good.
    if (started - this.#turn > TURN) {
      await nextTurn()
      this.#turn = performance.now()
    }
    for (let attempt = 0; ; attempt++) {
      this.#checkOpen()
      try {
        this.connection.run('BEGIN IMMEDIATE')
        break
      } catch (error) {
        const code = (error as { code?: string }).code ?? ''
        if (!code.startsWith('SQLITE_BUSY')) throw storageError(error, this.#path)
        const waited = Math.round(performance.now() - started)
        if (waited >= this.#options.wait)
          throw new SpanStoreError(
            'STORE_BUSY',
            `another writer held ${this.#path} for ${waited} ms; try again, or raise the wait option`,
            { waited },
            { cause: error },
          )
        await new Promise((resolve) => setTimeout(resolve, Math.random() * Math.min(20, 1 + attempt)))
      }
    }
    try {
      const result = work(this.connection, this.#options.clock())
      this.connection.run('COMMIT')
      this.#options.onCommit(quiet)
      return result
    } catch (error) {
      if (this.#db.inTransaction) this.connection.run('ROLLBACK')
      throw storageError(error, this.#path)
    }
  }

  async #write<T>(options: WriteOptions, work: (commit: Commit) => T): Promise<T> {
    return await this.transact((connection, now) => {
      if (options.commandId !== undefined) {
        const before = connection.value<string>('SELECT result FROM command WHERE id = ?', options.commandId)
        if (before !== undefined) return JSON.parse(before) as T
      }
      const commit = new Commit(connection, now, this.#mint)
      writeExpired(commit)
      const result = work(commit)
      commit.finish()
      if (options.commandId !== undefined)
        connection
          .prepare(insertInto('command', ['id', 'at', 'result']))
          .run(options.commandId, now, JSON.stringify(result))
      return result
    })
  }

  #writeIn<T>(collection: number, options: WriteOptions, work: (commit: Commit) => T): Promise<T> {
    return this.#write(options, (commit) => {
      requireCollection(commit.connection, collection)
      writeComputed(commit.connection, collection, options.computed)
      return work(commit)
    })
  }

  /** Commits what is due. Answers when the next thing falls due, if anything does. */
  async expire(): Promise<number | undefined> {
    this.#checkOpen()
    const next = () =>
      this.connection.value<number | null>(
        'SELECT min(expires) FROM source_head WHERE expires IS NOT NULL',
      ) ?? undefined
    let due = next()
    if (due !== undefined && due <= this.#options.clock()) {
      await this.#write({}, () => undefined)
      due = next()
    }
    return due
  }

  /** Reads one snapshot, after what is due was committed. */
  async #read<T>(work: (connection: Connection) => T): Promise<T> {
    await this.expire()
    return this.#snapshot(work)
  }

  #snapshot<T>(work: (connection: Connection) => T): T {
    this.#checkOpen()
    try {
      this.connection.run('BEGIN')
      try {
        return work(this.connection)
      } finally {
        this.connection.run('COMMIT')
      }
    } catch (error) {
      throw storageError(error, this.#path)
    }
  }

  // ── collections ───────────────────────────────────────────────────────────────────────────────────────────

  async collections(): Promise<readonly CollectionInfo[]> {
    return await this.#read(listCollections)
  }

  async openCollection(
    name: string,
    metric: Metric | undefined,
    { recreate, create }: { readonly recreate: boolean; readonly create: boolean },
  ): Promise<CollectionInfo> {
    this.#checkOpen()
    if (!create)
      return checkMetric(await this.#read((connection) => knownCollection(connection, name)), metric)
    const found = findCollection(this.connection, name)
    if (found !== undefined) return checkMetric(found, metric)
    const made = await this.#write({}, (commit) =>
      writeCollection(commit, name, metric ?? 'cosine', recreate, this.#mint(commit.at)),
    )
    return checkMetric(made, metric)
  }

  async renameCollection(name: string, to: string): Promise<void> {
    await this.#write({}, (commit) => writeRename(commit, name, to))
  }

  dropCollection(name: string) {
    return this.#write({}, (commit) => writeDrop(commit, name))
  }

  // ── reading ───────────────────────────────────────────────────────────────────────────────────────────────

  /** One key, without a transaction of its own: a single statement is a snapshot. */
  fetchOne(key: string, collection?: number): FetchResult | Promise<FetchResult> {
    let result: FetchResult | 'due'
    try {
      result = fetchNow(this.connection, key, collection, this.#options.clock())
    } catch (error) {
      // Asking whether the store is open costs as much as a page of the index, so it is asked afterwards.
      this.#checkOpen()
      throw storageError(error, this.#path)
    }
    if (result !== 'due') return result
    return this.expire().then(() => this.fetchOne(key, collection))
  }

  async fetch(keys: readonly string[], collection?: number, asOf?: number): Promise<readonly FetchResult[]> {
    if (asOf !== undefined)
      return await this.#read((connection) => keys.map((key) => fetchAsOf(connection, key, collection, asOf)))
    return await this.#read((connection) =>
      // What is due was committed just now; the snapshot may not judge by a later clock.
      keys.map((key) => fetchNow(connection, key, collection, Number.NEGATIVE_INFINITY) as FetchResult),
    )
  }

  async find(collection: number, query: FindQuery): Promise<readonly Span[]> {
    const { limit, offset } = query
    await this.expire()
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
        spans.push(...this.#snapshot((connection) => read(connection, found.ids.slice(i, i + READ_AT_ONCE))))
      }
      // Otherwise some of them may be of another moment.
      if (this.#snapshot(positionOf) === found.position) return spans
    }
  }

  async count(collection: number, where?: Filter): Promise<number> {
    if (where !== undefined) {
      await this.expire()
      return await withMatching(this.#matching, collection, { where }, {}, (_, ids) => ids.length)
    }
    return await this.#read((connection) => {
      requireCollection(connection, collection)
      return connection.value<number>('SELECT live FROM collection_head WHERE collection = ?', collection)!
    })
  }

  async matching(collection: number, where: Filter): Promise<readonly Key[]> {
    await this.expire()
    return await withMatching(this.#matching, collection, { where }, {}, (connection, ids) =>
      ids.map((id) => keyOf(connection, id)),
    )
  }

  async source(collection: number, source: string, asOf?: number) {
    return await this.#read((connection) => sourceResult(connection, collection, source, asOf))
  }

  async sources(collection: number, after: string | undefined, limit: number) {
    return await this.#read((connection) => listSources(connection, collection, after, limit))
  }

  async history(collection: number, source: string) {
    return await this.#read((connection) => history(connection, collection, source))
  }

  async read(collection: number, source: string, revision?: number) {
    return await this.#read((connection) => readRevisionText(connection, collection, source, revision))
  }

  async diff(collection: number, source: string, from: number, to: number) {
    return await this.#read((connection) => diffRevisions(connection, collection, source, from, to))
  }

  async lineage(key: Key) {
    return await this.#read((connection) => lineage(connection, key))
  }

  async dependents(key: Key) {
    return await this.#read((connection) => dependents(connection, key))
  }

  // ── planning ──────────────────────────────────────────────────────────────────────────────────────────────

  async head(collection: number, source: string): Promise<Head> {
    return await this.#read((connection) => {
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
    return this.#snapshot((connection) => {
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
    return this.#snapshot((connection) => {
      const known = hashes.filter(
        (hash) =>
          connection.value('SELECT 1 FROM embedding WHERE hash = ? AND name = ?', hash, embedder) !==
          undefined,
      )
      return new Set(known)
    })
  }

  async command(commandId: string): Promise<unknown> {
    this.#checkOpen()
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
      return await this.#writeIn(collection, options, (commit) =>
        puts.map((put) => {
          const result = writePut(commit, collection, put)
          if (result === undefined) throw OUTDATED
          return result
        }),
      )
    } catch (error) {
      if (error === OUTDATED) return undefined
      throw error
    }
  }

  append(collection: number, append: PlannedAppend, options: WriteOptions) {
    return this.#writeIn(collection, options, (commit) => writeAppend(commit, collection, append))
  }

  remove(collection: number, source: string, options: WriteOptions) {
    return this.#writeIn(collection, options, (commit) => writeRemove(commit, collection, source))
  }

  retire(collection: number, keys: readonly string[], reason: 'deleted' | 'evicted', options: WriteOptions) {
    return this.#writeIn(collection, options, (commit) => writeRetire(commit, collection, keys, reason))
  }

  update(
    collection: number,
    keys: readonly string[],
    patch: (metadata: string | undefined) => string | undefined,
    options: WriteOptions,
  ) {
    return this.#writeIn(collection, options, (commit) => writeUpdate(commit, collection, keys, patch))
  }

  async #recordOrder(collection: number, where: Filter | undefined, admits: Admits | undefined) {
    await this.expire()
    const ordered = (connection: Connection, ids: readonly number[] | undefined) => ({
      ids: recordOrder(connection, collection, ids),
      position: positionOf(connection, collection),
    })
    if (where === undefined && admits === undefined)
      return this.#snapshot((connection) => ordered(connection, undefined))
    const matching = where === undefined ? {} : { where }
    const found = await withMatching(this.#matching, collection, matching, {}, (connection, ids) =>
      admits === undefined ? ordered(connection, ids) : { ids, position: positionOf(connection, collection) },
    )
    if (admits === undefined) return found
    const passing: number[] = []
    for (let i = 0; i < found.ids.length; i += JUDGED) {
      if (i > 0) await nextTurn()
      const part = found.ids.slice(i, i + JUDGED)
      passing.push(...this.#snapshot((connection) => admitted(connection, part, admits)))
    }
    const unmoved = this.#snapshot((connection) =>
      positionOf(connection, collection) === found.position ? ordered(connection, passing) : undefined,
    )
    // Something was committed meanwhile: all of it again, in one go.
    return (
      unmoved ??
      (await withMatching(this.#matching, collection, matching, {}, (connection, ids) =>
        ordered(connection, admitted(connection, ids, admits)),
      ))
    )
  }

  #records(): RecordLedger {
    return {
      write: (collection, changes, { unless, ...options }) =>
        this.#writeIn(collection, options, (commit) => {
          const { connection } = commit
          const moved = unless && movedSources(connection, collection, unless.after, unless.sources)
          if (moved !== undefined && moved.length > 0) return { moved }
          const before = commit.position(collection)
          const written = changes.map((change) => writeRecord(commit, collection, change))
          return {
            before,
            position: commit.position(collection),
            outcomes: written.map(({ outcome }) => outcome),
            stale: written.flatMap(({ stale }) => stale),
          }
        }),
      read: (collection, sources, vectors) =>
        this.#read((connection) => ({
          slots: sources.map((source) => readRecord(connection, collection, source, vectors)),
          position: positionOf(connection, collection),
        })),
      order: (collection, where, admits) => this.#recordOrder(collection, where, admits),
      rows: (collection, ids, vectors) =>
        this.#read((connection) => readRecordRows(connection, collection, ids, vectors)),
      moved: (collection, after, sources) =>
        this.#read((connection) => movedSources(connection, collection, after, sources)),
    }
  }

  register(
    collection: number,
    session: string,
    summaries: readonly RegisterCommand[],
    options: WriteOptions,
  ) {
    return this.#writeIn(collection, options, (commit) =>
      writeSummaries(commit, collection, session, summaries),
    )
  }

  async erase(
    collection: number,
    target: EraseTarget,
    cascade: boolean,
    options: WriteOptions,
  ): Promise<Erased> {
    const { ids, ...done } = await this.#writeIn(collection, options, (commit) =>
      writeErase(commit, collection, target, cascade),
    )
    const waitingFor: string[] = []
    if (!this.#checkpoint()) waitingFor.push(`a reader of ${this.#path}`)
    for (const derived of this.#options.derived) waitingFor.push(...(await derived.erase(ids)))
    return { ...done, complete: waitingFor.length === 0, waitingFor }
  }

  /** Moves the write-ahead log into the file and empties it. False while another connection reads an older state. */
  #checkpoint(): boolean {
    const [busy] = this.connection.row<[number, number, number]>('PRAGMA wal_checkpoint(TRUNCATE)')!
    return busy === 0
  }

  async prune(
    before: number,
    signal?: AbortSignal,
  ): Promise<{ readonly pruned: number; readonly reclaimed: boolean }> {
    let pruned = 0
    for (let batch = PRUNE_BATCH; batch === PRUNE_BATCH; pruned += batch) {
      if (signal?.aborted)
        throw new SpanStoreError(
          'ABORTED',
          `pruning was aborted after ${pruned} texts; call again to go on`,
          {},
        )
      batch = await this.transact((connection, now) => writePruned(connection, before, now))
    }
    if (pruned === 0) return { pruned, reclaimed: false }
    try {
      this.#db.exec('VACUUM')
      return { pruned, reclaimed: this.#checkpoint() }
    } catch (error) {
      // Others are at work: the space is free inside the file and will be used again.
      if ((error as { code?: string }).code?.startsWith('SQLITE_BUSY')) return { pruned, reclaimed: false }
      throw storageError(error, this.#path)
    }
  }

  async verify(repair: boolean): Promise<readonly Problem[]> {
    return repair
      ? await this.transact((connection) => verifyLedger(connection, true))
      : await this.#read((connection) => verifyLedger(connection, false))
  }

  async stats(): Promise<LedgerStats> {
    return await this.#read((connection) => ledgerStats(connection))
  }

  async backup(directory: string, onProgress?: (done: number, total: number) => void): Promise<Backup> {
    this.#checkOpen()
    return await backupLedger(this.#db, this.id, directory, this.#options.clock(), onProgress)
  }

  async summaries(collection: number, session: string, which: 'live' | 'notCurrent') {
    return await this.#read((connection) => listSummaries(connection, collection, session, which))
  }

  async representative(collection: number, session: string, key: Key) {
    return await this.#read((connection) => representative(connection, collection, session, key))
  }

  async close(): Promise<void> {
    if (this.#db.open) this.#db.close()
  }
}

/** Where a collection stands. @throws COLLECTION_DROPPED */
function positionOf(connection: Connection, collection: number): number {
  requireCollection(connection, collection)
  return connection.value<number>('SELECT position FROM collection_head WHERE collection = ?', collection)!
}
