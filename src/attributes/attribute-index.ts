import { existsSync } from 'node:fs'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { SpanStoreError } from '../core/errors.ts'
import type { Filter } from '../core/filter.ts'
import { storageError } from '../ledger/sqlite/open.ts'
import type { Connection } from '../ledger/sqlite/statements.ts'
import type { AttributeIndex, Candidates, Problem } from '../ports.ts'
import { absorb, type Both, erasedNext, erasePart, forget, goesOn, headOf, stateOf } from './absorb.ts'
import { coverOf } from './cover.ts'
import {
  type AttributeDatabase,
  attributesPath,
  isBusy,
  isDamage,
  openAttributes,
  removeAttributes,
  wasRemoved,
} from './database.ts'
import { countOf, idsOf, type Place } from './postings.ts'
import { missing } from './verify.ts'

export interface AttributeIndexOptions {
  /** Live spans from which a collection is indexed: asking the ledger about fewer takes a few milliseconds. Default 5 000. */
  readonly large?: number
  /** How long nothing may have been committed before the index catches up by itself, in milliseconds. Default 1 000. */
  readonly idle?: number
  /** How long it waits for another process that writes to it, in milliseconds. Default 10 000. */
  readonly wait?: number
}

/** More events than this that are not absorbed yet make an answer slower than reading all spans. */
const TAIL = 5_000

/** More candidates than this are not looked up: finding them would hold others up. */
const MOST = 50_000

/** A small part of the collection, or reading all of it is as quick. */
const SHARE = 4

const BUSY = Symbol('busy')

/** How long a checkpoint waits for readers of the old pages, in milliseconds. */
const PATIENCE = 2_000

const closed = () => new SpanStoreError('STORE_CLOSED', 'the store is closed; open it again', {})

interface LedgerOfAttributes {
  readonly id: string
  readonly connection: Connection
}

/**
 * Which spans have which metadata, in an SQLite file beside the ledger, so that a filter that few spans pass does not
 * read all of them. It holds at least what is live, and maybe more; the ledger is asked about all that it answers. A
 * write does not wait for it: what it has not absorbed yet is looked at besides.
 */
export class SqliteAttributeIndex implements AttributeIndex {
  readonly #ledger: LedgerOfAttributes
  readonly #ledgerPath: string
  readonly #path: string | undefined
  readonly #large: number
  readonly #idle: number
  readonly #wait: number
  readonly #closing = new AbortController()
  #database: AttributeDatabase | undefined
  #timer: NodeJS.Timeout | undefined
  #stirred = 0
  #asked = false
  #background: Promise<void> = Promise.resolve()

  constructor(ledger: LedgerOfAttributes, ledgerPath: string, options: AttributeIndexOptions = {}) {
    this.#ledger = ledger
    this.#ledgerPath = ledgerPath
    this.#path = attributesPath(ledgerPath)
    this.#large = options.large ?? 5_000
    this.#idle = options.idle ?? 1_000
    this.#wait = options.wait ?? 10_000
  }

  // ── asking ────────────────────────────────────────────────────────────────────────────────────────────────

  candidates(collection: number, where: Filter): Candidates | undefined {
    if (this.#closing.signal.aborted) return undefined
    const { connection: ledger } = this.#ledger
    const head = headOf(ledger, collection)
    if (head === undefined || head.live < this.#large) return undefined
    try {
      const found = this.#there ? this.#lookUp(collection, where) : 'behind'
      if (found !== 'behind') return found
    } catch (error) {
      // Whatever is wrong with it, the ledger has the answer.
      if (isDamage(error)) this.#discard()
      else if (!isBusy(error)) throw error
    }
    this.#asked = true
    this.#rest(0)
    return undefined
  }

  #lookUp(collection: number, where: Filter): Candidates | undefined | 'behind' {
    const { connection: index } = this.#open()
    const { connection: ledger } = this.#ledger
    index.run('BEGIN')
    try {
      // The index first: what the ledger has by then is at least what it knows of.
      const state = stateOf(index, collection)
      const head = headOf(ledger, collection)!
      if (state === undefined || state.scan !== null || !goesOn(ledger, collection, state, head))
        return 'behind'
      if (head.position - state.position > TAIL) return 'behind'
      const most = Math.min(MOST, Math.floor(head.live / SHARE))
      const cover = coverOf(where, (lookup, limit) => countOf(index, collection, lookup, limit), most)
      if (cover === undefined) return undefined
      const ids = new Set<number>()
      for (const lookup of cover.lookups) idsOf(index, collection, lookup, ids)
      return { ids: [...ids].sort((a, b) => a - b), position: state.position }
    } finally {
      if (index.db.inTransaction) index.run('COMMIT')
    }
  }

  // ── catching up ───────────────────────────────────────────────────────────────────────────────────────────

  async catchUp(
    options: {
      readonly collection?: number
      readonly signal?: AbortSignal
      readonly onProgress?: (collection: number, pending: number) => void
    } = {},
  ): Promise<void> {
    const chosen = this.#indexed().filter((one) => (options.collection ?? one) === one)
    for (const collection of chosen)
      await this.#healing(() => this.#catchUp(collection, options.signal, options.onProgress))
  }

  /** Collections that are in the index, or ought to be. */
  #indexed(): readonly number[] {
    if (this.#closing.signal.aborted) throw closed()
    const large = this.#ledger.connection
      .rows<[number]>(
        'SELECT collection FROM collection_head WHERE dropped IS NULL AND live >= ? ORDER BY collection',
        this.#large,
      )
      .map(([collection]) => collection)
    if (!this.#there) return large
    const known = this.#open().connection.rows<[number]>(
      'SELECT collection FROM attribute_state UNION SELECT collection FROM attribute_field',
    )
    return [...new Set([...large, ...known.map(([collection]) => collection)])]
  }

  /** Leaves half of the time to others. */
  async #tidy(): Promise<void> {
    for (const collection of this.#indexed())
      await this.#healing(() =>
        this.#catchUp(collection, undefined, undefined, (took) => sleep(took, undefined, { ref: false })),
      )
  }

  async #catchUp(
    collection: number,
    signal: AbortSignal | undefined,
    onProgress?: (collection: number, pending: number) => void,
    rest: (took: number) => Promise<unknown> = () => nextTurn(),
  ): Promise<void> {
    for (;;) {
      const started = performance.now()
      this.#check(signal)
      const both = this.#both()
      const erased = new Set(erasedNext(both, collection))
      if (erased.size > 0) await this.#takeOut(collection, erased, signal)
      const pending = await this.#patiently(() => absorb(this.#both(), collection, erased), signal)
      onProgress?.(collection, pending)
      if (pending === 0) return
      await rest(performance.now() - started)
    }
  }

  async #takeOut(
    collection: number,
    gone: ReadonlySet<number>,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    let after: Place | undefined
    do {
      const from = after
      after = await this.#patiently(() => erasePart(this.#open().connection, collection, gone, from), signal)
      await nextTurn()
    } while (after !== undefined)
  }

  /** A transaction of the index, when no other process is in one. */
  async #patiently<T>(work: () => T, signal: AbortSignal | undefined): Promise<T> {
    const started = performance.now()
    for (;;) {
      this.#check(signal)
      const done = this.#write(work)
      if (done !== BUSY) return done
      const waited = Math.round(performance.now() - started)
      if (waited > this.#wait)
        throw new SpanStoreError(
          'STORE_BUSY',
          `another process wrote to the attribute index for ${waited} ms; try again`,
          { waited },
        )
      await sleep(5)
    }
  }

  #write<T>(work: () => T): T | typeof BUSY {
    const { connection: index } = this.#open()
    try {
      index.run('BEGIN IMMEDIATE')
      const done = work()
      index.run('COMMIT')
      return done
    } catch (error) {
      if (index.db.inTransaction) index.run('ROLLBACK')
      if (isBusy(error)) return BUSY
      throw error
    }
  }

  wake(): void {
    this.#stirred = performance.now()
    if (this.#timer === undefined) this.#rest(this.#idle)
  }

  #rest(milliseconds: number): void {
    if (this.#closing.signal.aborted) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      const left = this.#stirred + this.#idle - performance.now()
      if (left > 1 && !this.#asked) return this.#rest(left)
      this.#asked = false
      // Nobody waits for this: without the index, the ledger answers.
      this.#background = this.#background.then(() => this.#tidy()).catch(() => {})
    }, milliseconds).unref()
  }

  // ── care ──────────────────────────────────────────────────────────────────────────────────────────────────

  async verify(repair: boolean): Promise<readonly Problem[]> {
    const problems: Problem[] = []
    await this.catchUp()
    if (!this.#there) return problems
    await this.#healing(async () => {
      const pause = async () => {
        await nextTurn()
        this.#check(undefined)
      }
      for (const collection of this.#indexed()) {
        const lost = await missing(this.#both(), collection, pause)
        if (lost === 0) continue
        if (repair) {
          while (!(await this.#patiently(() => forget(this.#open().connection, collection), undefined)))
            await nextTurn()
          await this.#catchUp(collection, undefined)
        }
        const what = `attribute index of collection ${collection}: ${lost} live spans are not found by what they have`
        problems.push({ code: 'WRONG_ATTRIBUTE_INDEX', what, repaired: repair })
      }
    })
    return problems
  }

  /** The log says what was erased: absorbing it takes the values out. */
  async erase(ids: readonly number[]): Promise<readonly string[]> {
    if (this.#database !== undefined && wasRemoved(this.#database)) this.#letGo()
    if (!this.#there) return []
    try {
      const known = this.#open().connection.rows<[number]>('SELECT collection FROM attribute_state')
      for (const [collection] of ids.length === 0 ? [] : known)
        await this.#healing(() => this.#catchUp(collection, undefined))
      return (await this.#truncateLog()) ? [] : [`a reader of ${this.#path}`]
    } catch (error) {
      if (isBusy(error) || (error instanceof SpanStoreError && error.code === 'STORE_BUSY'))
        return [`a writer of ${this.#path}`]
      throw error
    }
  }

  /** Moves the log into the file and cuts it to nothing. False while another process still reads old pages. */
  async #truncateLog(): Promise<boolean> {
    const started = performance.now()
    for (;;) {
      const { connection } = this.#open()
      if (connection.value<number>('PRAGMA wal_checkpoint(TRUNCATE)') === 0) return true
      if (performance.now() - started > PATIENCE) return false
      await sleep(20)
    }
  }

  // ── the file ──────────────────────────────────────────────────────────────────────────────────────────────

  async close(): Promise<void> {
    clearTimeout(this.#timer)
    this.#closing.abort()
    await this.#background
    this.#letGo()
  }

  get #there(): boolean {
    return this.#database !== undefined || (this.#path !== undefined && existsSync(this.#path))
  }

  #open(): AttributeDatabase {
    if (this.#closing.signal.aborted) throw closed()
    this.#database ??= openAttributes(this.#ledger.id, this.#path)
    return this.#database
  }

  #both(): Both {
    return { ledger: this.#ledger.connection, index: this.#open().connection }
  }

  #letGo(): void {
    this.#database?.connection.db.close()
    this.#database = undefined
  }

  #discard(): void {
    this.#letGo()
    if (this.#path !== undefined) removeAttributes(this.#path)
  }

  /** Runs work on the index; when the file turns out to be damaged, makes a new one and runs it again. */
  async #healing<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      if (!isDamage(error)) throw storageError(error, this.#ledgerPath)
      this.#discard()
      return await work()
    }
  }

  #check(signal: AbortSignal | undefined): void {
    if (this.#closing.signal.aborted) throw closed()
    if (signal?.aborted)
      throw new SpanStoreError('ABORTED', 'the work was aborted by its signal', {}, { cause: signal.reason })
  }
}
