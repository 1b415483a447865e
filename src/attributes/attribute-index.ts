import { existsSync } from 'node:fs'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { SpanStoreError } from '../core/errors.ts'
import type { Filter } from '../core/filter.ts'
import { storageError } from '../ledger/sqlite/open.ts'
import type { Connection } from '../ledger/sqlite/statements.ts'
import type { AttributeIndex, Candidates } from '../ports/attributes.ts'
import type { Problem } from '../ports/problem.ts'
import {
  type AttributeState,
  type Batch,
  erasePart,
  forget,
  goesOn,
  headOf,
  keep,
  nextOf,
  readBatch,
  stateOf,
} from './absorb.ts'
import { coverOf } from './cover.ts'
import {
  type AttributeDatabase,
  attributesPath,
  closeAttributes,
  isBusy,
  isDamage,
  openAttributes,
  removeAttributes,
  wasRemoved,
} from './database.ts'
import { countOf, idsOf, type Pause, type Place } from './postings.ts'
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

/** Spans, or events, of one commit: the more, the fewer pages of the index are written again and again. */
const BATCH = 5_000

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
  #working: Promise<void> = Promise.resolve()

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
    // In memory, what is being written cannot be told from what was there.
    if (index.db.inTransaction) return undefined
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
    const { collection: only, signal, onProgress } = options
    await this.#alone(async () => {
      for (const collection of this.#indexed())
        if ((only ?? collection) === collection)
          await this.#catchUp(collection, this.#pauseFor(signal), (pending) =>
            onProgress?.(collection, pending),
          )
    })
  }

  /** One at a time: two would undo each other's work. When the file turns out to be damaged, makes a new one. */
  async #alone<T>(work: () => Promise<T>): Promise<T> {
    const attempt = async () => {
      try {
        return await work()
      } catch (error) {
        if (!isDamage(error)) throw storageError(error, this.#ledgerPath)
        this.#discard()
        return await work()
      }
    }
    const done = this.#working.then(attempt)
    this.#working = done.then(
      () => {},
      () => {},
    )
    return await done
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

  async #catchUp(
    collection: number,
    pause: Pause,
    onProgress: (pending: number) => void = () => {},
  ): Promise<void> {
    const { connection: ledger } = this.#ledger
    for (;;) {
      await pause()
      const next = nextOf({ ledger, index: this.#open().writer }, collection)
      if (next === undefined) return onProgress(0)
      if (next === 'forget') {
        await this.#forget(collection, pause)
        continue
      }
      const batch = await readBatch(ledger, collection, next, BATCH, pause)
      if (batch.erased.size > 0) await this.#takeOut(collection, batch.erased, pause)
      await this.#commit(collection, next.fresh ? undefined : next.state, batch, pause)
      const { scan, position, spans } = batch.next
      const pending = scan === null ? next.head.position - position : next.head.live - spans
      onProgress(Math.max(1, pending))
    }
  }

  /** Unless another process was faster: then what was read is read again. */
  async #commit(
    collection: number,
    from: AttributeState | undefined,
    { postings, next }: Batch,
    pause: Pause,
  ): Promise<void> {
    const index = this.#open().writer
    await this.#patiently(() => index.run('BEGIN IMMEDIATE'), pause)
    try {
      if (JSON.stringify(stateOf(index, collection)) === JSON.stringify(from)) {
        await postings.write(index, collection, pause)
        keep(index, collection, next)
      }
      index.run('COMMIT')
    } finally {
      if (index.db.open && index.db.inTransaction) index.run('ROLLBACK')
    }
  }

  async #forget(collection: number, pause: Pause): Promise<void> {
    const step = () => this.#write((index) => forget(index, collection))
    while (!(await this.#patiently(step, pause))) await pause()
  }

  async #takeOut(collection: number, gone: ReadonlySet<number>, pause: Pause): Promise<void> {
    let after: Place | undefined
    do {
      const from = after
      after = await this.#patiently(
        () => this.#write((index) => erasePart(index, collection, gone, from)),
        pause,
      )
      await pause()
    } while (after !== undefined)
  }

  /** Tries until no other process is in a transaction of the index. */
  async #patiently<T>(work: () => T, pause: Pause): Promise<T> {
    const started = performance.now()
    for (;;) {
      try {
        return work()
      } catch (error) {
        if (!isBusy(error)) throw error
      }
      const waited = Math.round(performance.now() - started)
      if (waited > this.#wait)
        throw new SpanStoreError(
          'STORE_BUSY',
          `another process wrote to the attribute index for ${waited} ms; try again`,
          { waited },
        )
      await sleep(5)
      await pause()
    }
  }

  #write<T>(work: (index: Connection) => T): T {
    const index = this.#open().writer
    index.run('BEGIN IMMEDIATE')
    try {
      const done = work(index)
      index.run('COMMIT')
      return done
    } finally {
      if (index.db.inTransaction) index.run('ROLLBACK')
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
      this.#alone(() => this.#tidy()).catch(() => {})
    }, milliseconds).unref()
  }

  /** Leaves half of the time to others. */
  async #tidy(): Promise<void> {
    let turn = performance.now()
    const pause = async () => {
      await sleep(performance.now() - turn, undefined, { ref: false })
      this.#check(undefined)
      turn = performance.now()
    }
    for (const collection of this.#indexed()) await this.#catchUp(collection, pause)
  }

  // ── care ──────────────────────────────────────────────────────────────────────────────────────────────────

  async verify(repair: boolean): Promise<readonly Problem[]> {
    const problems: Problem[] = []
    await this.catchUp()
    if (!this.#there) return problems
    await this.#alone(async () => {
      const pause = this.#pauseFor(undefined)
      for (const collection of this.#indexed()) {
        const both = { ledger: this.#ledger.connection, index: this.#open().connection }
        const lost = await missing(both, collection, pause)
        if (lost === 0) continue
        if (repair) {
          await this.#forget(collection, pause)
          await this.#catchUp(collection, pause)
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
      if (ids.length > 0) await this.catchUp()
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
    await this.#working
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

  #letGo(): void {
    if (this.#database !== undefined) closeAttributes(this.#database)
    this.#database = undefined
  }

  #discard(): void {
    this.#letGo()
    if (this.#path !== undefined) removeAttributes(this.#path)
  }

  #pauseFor(signal: AbortSignal | undefined): Pause {
    return async () => {
      await nextTurn()
      this.#check(signal)
    }
  }

  #check(signal: AbortSignal | undefined): void {
    if (this.#closing.signal.aborted) throw closed()
    if (signal?.aborted)
      throw new SpanStoreError('ABORTED', 'the work was aborted by its signal', {}, { cause: signal.reason })
  }
}
