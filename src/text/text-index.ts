import { existsSync } from 'node:fs'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { isSpanStoreError, SpanStoreError } from '../core/errors.ts'
import { requireCollection } from '../ledger/sqlite/collections.ts'
import { storageError } from '../ledger/sqlite/open.ts'
import { checkPosition } from '../ledger/sqlite/read.ts'
import type { AttributeIndex, Candidates } from '../ports/attributes.ts'
import type { Problem } from '../ports/problem.ts'
import type { TextAnswer, TextIndex, TextQuery } from '../ports/text.ts'
import { absorb, follows, reach, readHead, readState, write } from './absorb.ts'
import {
  isDamage,
  openTextDatabase,
  removeTextDatabase,
  type TextDatabase,
  type TextLedger,
  textPath,
  wasReplaced,
} from './database.ts'
import { mergeAway, truncateLog } from './erase.ts'
import { type Asked, ask, hasWords } from './expression.ts'
import { find } from './find.ts'
import { Frequencies } from './frequencies.ts'
import { findInPast } from './past.ts'
import { verifyIndex } from './verify.ts'

export interface TextIndexOptions {
  /** How long a search may take to absorb what is missing before it answers without, in milliseconds. */
  readonly wait?: number
  /** How long nothing may have been committed before the index catches up by itself, in milliseconds. */
  readonly idle?: number
  /** Which spans a filter may let pass, where that is known without looking at each. */
  readonly candidates?: AttributeIndex['candidates']
}

/** Another process is writing to the index. */
const BUSY = Symbol('busy')

const isBusy = (error: unknown): boolean =>
  String((error as { code?: unknown } | null)?.code).startsWith('SQLITE_BUSY')

const busy = (waited: number) =>
  new SpanStoreError('STORE_BUSY', `another process wrote to the text index for ${waited} ms; try again`, {
    waited,
  })

const closed = () => new SpanStoreError('STORE_CLOSED', 'the store is closed; open it again', {})

/**
 * Full text in an SQLite file beside the ledger. It is made from the ledger alone and can be deleted at any time;
 * one that is damaged, or belongs to a ledger that went back in time, is made anew when it is next used. Any number
 * of processes may use it at once.
 */
export class SqliteTextIndex implements TextIndex {
  readonly #ledger: TextLedger
  readonly #ledgerPath: string
  readonly #wait: number
  readonly #idle: number
  readonly #candidates: AttributeIndex['candidates']
  #frequencies = new Frequencies()
  #database: TextDatabase | undefined
  #timer: NodeJS.Timeout | undefined
  #stirred = 0
  #background: Promise<void> = Promise.resolve()
  readonly #closing = new AbortController()

  constructor(ledger: TextLedger, ledgerPath: string, options: TextIndexOptions = {}) {
    this.#ledger = ledger
    this.#ledgerPath = ledgerPath
    this.#wait = options.wait ?? 10_000
    this.#idle = options.idle ?? 1_000
    this.#candidates = options.candidates ?? (() => undefined)
  }

  // ── searching ─────────────────────────────────────────────────────────────────────────────────────────────

  /** `known`: the candidates, where somebody looked them up before. */
  async search(collection: number, query: TextQuery, known?: Candidates): Promise<TextAnswer> {
    this.#check(query.signal)
    await this.#ledger.expire()
    return await this.#healing(async () => {
      const { connection } = this.#open()
      requireCollection(connection, collection)
      const asked = ask(connection, query.text)
      if (query.asOf !== undefined)
        return await this.#searchPast(collection, { ...query, asOf: query.asOf }, asked)
      const deadline = performance.now() + this.#wait
      // Before any snapshot: what they lack is in the log that it sees.
      const candidates = known ?? (query.where && this.#candidates(collection, query.where))
      for (;;) {
        const answer = this.#snapshot(() => this.#answerIfCurrent(collection, query, asked, candidates))
        if (answer !== undefined) return answer
        const step = this.#write((database) => {
          const pending = absorb(database, collection)
          // In the same transaction, so that writers elsewhere cannot keep a search from ever being up to date.
          return pending === 0 ? this.#answerIfCurrent(collection, query, asked, candidates) : undefined
        })
        if (step !== BUSY && step !== undefined) return step
        this.#check(query.signal)
        if (performance.now() > deadline)
          return this.#snapshot(() => this.#answer(collection, query, asked, candidates))
        await (step === BUSY ? sleep(2) : nextTurn())
      }
    })
  }

  #answerIfCurrent(
    collection: number,
    query: TextQuery,
    asked: Asked,
    candidates: Candidates | undefined,
  ): TextAnswer | undefined {
    const { connection } = this.#open()
    const state = readState(connection, collection)
    const head = readHead(connection, collection)!
    const current =
      state !== undefined && reach(state) === head.position && follows(connection, collection, state, head)
    return current ? this.#answer(collection, query, asked, candidates) : undefined
  }

  #answer(
    collection: number,
    query: TextQuery,
    asked: Asked,
    candidates: Candidates | undefined,
  ): TextAnswer {
    const { connection } = this.#open()
    requireCollection(connection, collection)
    const state = readState(connection, collection)
    const { position, floor } = readHead(connection, collection)!
    const indexedThrough = reach(state)
    const common = {
      position,
      indexedThrough,
      rebuilding: state === undefined || state.scan !== null,
      hasWords: hasWords(asked),
    }
    if (state === undefined || !common.hasWords) return { ...common, hits: [], words: [], pruned: [] }
    const index = {
      rows: state.rows,
      frequency: this.#frequencies.of(this.#open(), collection, state),
      exact: indexedThrough === position,
      behind: candidates === undefined ? 0 : position - candidates.position,
    }
    const possible = candidates !== undefined && candidates.position >= floor ? candidates : undefined
    const { hits, expression } = find(connection, collection, query, asked, index, possible)
    return { ...common, hits, words: expression.used, pruned: expression.pruned }
  }

  async #searchPast(
    collection: number,
    query: TextQuery & { readonly asOf: number },
    asked: Asked,
  ): Promise<TextAnswer> {
    const { connection } = this.#open()
    checkPosition(connection, collection, query.asOf)
    const common = {
      position: query.asOf,
      indexedThrough: query.asOf,
      rebuilding: false,
      hasWords: hasWords(asked),
    }
    if (!common.hasWords) return { ...common, hits: [], words: [], pruned: [] }
    const { hits, expression } = await findInPast(connection, collection, query, asked, async () => {
      await nextTurn()
      this.#check(query.signal)
    })
    return { ...common, hits, words: expression.used, pruned: expression.pruned }
  }

  // ── catching up ───────────────────────────────────────────────────────────────────────────────────────────

  watermark(collection: number): number {
    return reach(readState(this.#open().connection, collection))
  }

  async catchUp(
    options: {
      readonly collection?: number
      readonly signal?: AbortSignal
      readonly onProgress?: (collection: number, pending: number) => void
    } = {},
  ): Promise<void> {
    await this.#healing(async () => {
      const { connection } = this.#open()
      const collections =
        options.collection !== undefined
          ? [options.collection]
          : connection
              .rows<[number]>(
                `SELECT collection FROM collection_head WHERE dropped IS NULL
                 UNION SELECT collection FROM text_state ORDER BY 1`,
              )
              .map(([collection]) => collection)
      for (const collection of collections) {
        let held = performance.now()
        for (;;) {
          this.#check(options.signal)
          const pending = this.#write((database) => absorb(database, collection))
          if (pending === BUSY) {
            const waited = Math.round(performance.now() - held)
            if (waited > this.#wait) throw busy(waited)
            await sleep(5)
            continue
          }
          held = performance.now()
          options.onProgress?.(collection, pending)
          if (pending === 0) break
          await nextTurn()
        }
      }
    })
  }

  wake(): void {
    this.#stirred = performance.now()
    this.#timer ??= this.#rest(this.#idle)
  }

  #rest(milliseconds: number): NodeJS.Timeout {
    return setTimeout(() => {
      const left = this.#stirred + this.#idle - performance.now()
      this.#timer = left > 1 && !this.#closing.signal.aborted ? this.#rest(left) : undefined
      if (this.#timer === undefined) this.#background = this.#tidy()
    }, milliseconds).unref()
  }

  /** Nobody waits for this, so nobody is told when it fails: the next search meets the same trouble and reports it. */
  async #tidy(): Promise<void> {
    try {
      await this.catchUp()
      await this.erase([])
    } catch {}
  }

  // ── erasing ───────────────────────────────────────────────────────────────────────────────────────────────

  /** Also settles what an earlier erasure, of this process or of another, left undone. */
  async erase(ids: readonly number[]): Promise<readonly string[]> {
    const path = textPath(this.#ledgerPath)
    if (this.#database !== undefined && wasReplaced(this.#database)) this.#letGo()
    if (path !== undefined && this.#database === undefined && !existsSync(path)) return []
    return await this.#healing(async () => {
      const { connection } = this.#open()
      const concerned = connection
        .rows<[number]>(
          'SELECT DISTINCT collection FROM span WHERE id IN (SELECT value FROM json_each(?))',
          JSON.stringify(ids),
        )
        .map(([collection]) => collection)
      const indexed = () => connection.rows<[number, number]>('SELECT collection, owed FROM text_state')
      try {
        // The erasures' own events first: they say what is owed, and would say so again when absorbed later.
        for (const [collection] of indexed()) await this.catchUp({ collection })
        const owing = indexed()
          .filter(([collection, owed]) => owed > 0 || concerned.includes(collection))
          .map(([collection]) => collection)
        if (owing.length === 0 && concerned.length === 0) return []
        for (const collection of owing)
          await this.#patiently((database) => mergeAway(database, collection, ids))
        if (!(await truncateLog(this.#open()))) return [`a reader of ${path}`]
        for (const collection of owing)
          connection.run('UPDATE text_state SET owed = 0 WHERE collection = ? AND owed = 2', collection)
        return []
      } catch (error) {
        if (isBusy(error) || isSpanStoreError(error, 'STORE_BUSY')) return [`a writer of ${path}`]
        throw error
      }
    })
  }

  async verify(repair: boolean): Promise<readonly Problem[]> {
    await this.catchUp()
    return await this.#healing(async () => {
      const problems: Problem[] = []
      for (const [collection] of this.#open().connection.rows<[number]>('SELECT collection FROM text_state'))
        problems.push(
          ...(await this.#patiently(async (database) => verifyIndex(database, collection, repair))),
        )
      if (repair && problems.length > 0) await this.catchUp()
      return problems
    })
  }

  async #patiently<T>(work: (database: TextDatabase) => Promise<T>): Promise<T> {
    const started = performance.now()
    for (;;) {
      this.#check(undefined)
      try {
        return await work(this.#open())
      } catch (error) {
        if (!isBusy(error) || performance.now() - started > this.#wait) throw error
        await sleep(5)
      }
    }
  }

  // ── the file ──────────────────────────────────────────────────────────────────────────────────────────────

  async close(): Promise<void> {
    clearTimeout(this.#timer)
    this.#closing.abort()
    await this.#background
    this.#letGo()
  }

  #letGo(): void {
    if (this.#database?.path !== undefined) this.#database.connection.db.close()
    this.#database = undefined
    this.#frequencies = new Frequencies()
  }

  #open(): TextDatabase {
    if (this.#closing.signal.aborted) throw closed()
    this.#database ??= openTextDatabase(this.#ledger, this.#ledgerPath)
    return this.#database
  }

  #check(signal: AbortSignal | undefined): void {
    if (this.#closing.signal.aborted) throw closed()
    if (signal?.aborted)
      throw new SpanStoreError(
        'ABORTED',
        'the search was aborted by its signal',
        {},
        { cause: signal.reason },
      )
  }

  #snapshot<T>(work: () => T): T {
    const { connection } = this.#open()
    connection.run('BEGIN')
    try {
      return work()
    } finally {
      if (connection.db.inTransaction) connection.run('COMMIT')
    }
  }

  #write<T>(work: (database: TextDatabase) => T): T | typeof BUSY {
    const database = this.#open()
    try {
      return write(database, () => work(database))
    } catch (error) {
      if (isBusy(error)) return BUSY
      throw error
    }
  }

  /** Runs work on the index; when the file turns out to be damaged, makes a new one and runs it again. */
  async #healing<T>(work: () => Promise<T>): Promise<T> {
    for (let attempt = 0; ; attempt++) {
      try {
        return await work()
      } catch (error) {
        const path = textPath(this.#ledgerPath)
        if (attempt > 0 || path === undefined || !isDamage(error)) throw storageError(error, this.#ledgerPath)
        this.#letGo()
        removeTextDatabase(path)
      }
    }
  }
}
