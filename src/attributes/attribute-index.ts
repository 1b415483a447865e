import type { Filter } from '../core/filter.ts'
import { Pace } from '../core/pace.ts'
import { DerivedFile, isBusy, WhenQuiet } from '../ledger/sqlite/derived-file.ts'
import type { Connection } from '../ledger/sqlite/statements.ts'
import type { AttributeIndex, Candidates } from '../ports/attributes.ts'
import type { Problem } from '../ports/problem.ts'
import { AskedThread } from '../threads/ask.ts'
import { nextTurn } from '../threads/turn.ts'
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
  isDamage,
  openAttributes,
} from './database.ts'
import type { LogCalls } from './log-thread.ts'
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

/** Spans, or events, of one commit, at first and at most: the more, the fewer pages of the index are written again and again. */
const FIRST_BATCH = 1_000
const BATCH = 5_000

/** At least; and spans after which the pages of the ledger that were looked at are let go. */
const LEAST_BATCH = 200
const LOOKED_AT = 100_000

/** Milliseconds for which postings are looked through, and committed, at a stretch. */
const STEP = 6

/** Spans whose postings are written before the log is moved into the file, and what a step of taking others out counts. */
const LOGGED = 2_000
const TAKEN_OUT = 500

/** Spans whose postings take longer to move than others may be held up. */
const MUCH = 500

/** How long the thread that moves it is kept, in milliseconds. */
const IDLE = 5_000

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
  readonly #file: DerivedFile<AttributeDatabase>
  readonly #large: number
  readonly #quiet: WhenQuiet
  readonly #path: string | undefined
  readonly #log = new AskedThread<LogCalls>('attributes/log-thread', {
    name: 'spanstore-attributes',
    data: undefined,
    idle: IDLE,
  })
  /** Spans whose postings may be in the log alone. */
  #logged = 0
  #working: Promise<void> = Promise.resolve()
  /** Calls that wait for the work under way: it rests no longer, and the process must not end before they are answered. */
  #awaited = 0
  #endRest: (() => void) | undefined

  constructor(ledger: LedgerOfAttributes, ledgerPath: string, options: AttributeIndexOptions = {}) {
    this.#ledger = ledger
    const path = attributesPath(ledgerPath)
    this.#path = path
    this.#file = new DerivedFile({
      what: 'attribute index',
      path,
      ledgerPath,
      wait: options.wait ?? 10_000,
      open: () => openAttributes(ledger.id, path),
      close: closeAttributes,
      isDamage,
    })
    this.#large = options.large ?? 5_000
    this.#quiet = new WhenQuiet(options.idle ?? 1_000, () => {
      // Nobody waits for this: without the index, the ledger answers.
      this.#inLine(() => this.#tidy()).catch(() => {})
    })
  }

  // ── asking ────────────────────────────────────────────────────────────────────────────────────────────────

  candidates(collection: number, where: Filter): Candidates | undefined {
    if (this.#file.closed) return undefined
    const { connection: ledger } = this.#ledger
    const head = headOf(ledger, collection)
    if (head === undefined || head.live < this.#large) return undefined
    try {
      const found = this.#file.there ? this.#lookUp(collection, where) : 'behind'
      if (found !== 'behind') return found
    } catch (error) {
      // Whatever is wrong with it, the ledger has the answer.
      if (isDamage(error)) this.#file.discard()
      else if (!isBusy(error)) throw error
    }
    this.#quiet.now()
    return undefined
  }

  #lookUp(collection: number, where: Filter): Candidates | undefined | 'behind' {
    const { connection: index } = this.#file.open()
    const { connection: ledger } = this.#ledger
    // In memory, what is being written cannot be told from what was there.
    if (index.db.inTransaction) return undefined
    return index.snapshot(() => {
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
    })
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

  async #alone<T>(work: () => Promise<T>): Promise<T> {
    this.#await()
    try {
      return await this.#inLine(work)
    } finally {
      this.#awaited--
    }
  }

  #await(): void {
    this.#awaited++
    this.#endRest?.()
  }

  /** One at a time: two would undo each other's work. */
  async #inLine<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#working.then(() => this.#file.healing(work))
    this.#working = done.then(
      () => {},
      () => {},
    )
    return await done
  }

  /** Collections that are in the index, or ought to be. */
  #indexed(): readonly number[] {
    this.#file.check(undefined)
    const large = this.#ledger.connection
      .rows<[number]>(
        'SELECT collection FROM collection_head WHERE dropped IS NULL AND live >= ? ORDER BY collection',
        this.#large,
      )
      .map(([collection]) => collection)
    if (!this.#file.there) return large
    const known = this.#file
      .open()
      .connection.rows<[number]>(
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
    // In a large index nearly every posting of a commit is on a page of its own, which SQLite writes in one piece.
    const pace = new Pace(FIRST_BATCH, STEP, BATCH, LEAST_BATCH)
    let looked = 0
    for (;;) {
      await pause()
      const next = nextOf({ ledger, index: this.#file.open().writer }, collection)
      if (next === undefined) return onProgress(0)
      if (next === 'forget') {
        await this.#forget(collection, pause)
        continue
      }
      const batch = await readBatch(ledger, collection, next, pace.size, pause)
      looked += pace.size
      if (looked >= LOOKED_AT) {
        ledger.letGo()
        looked = 0
      }
      if (batch.erased.size > 0) await this.#takeOut(collection, batch.erased, pause)
      await this.#commit(collection, next.fresh ? undefined : next.state, batch, { pace, pause })
      await this.#shorten()
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
    { pace, pause }: { readonly pace: Pace; readonly pause: Pause },
  ): Promise<void> {
    const index = this.#file.open().writer
    await this.#file.patiently(() => index.run('BEGIN IMMEDIATE'), pause)
    try {
      if (JSON.stringify(stateOf(index, collection)) === JSON.stringify(from)) {
        await postings.write(index, collection, pause)
        keep(index, collection, next)
        await pause()
      }
      const started = performance.now()
      index.run('COMMIT')
      pace.took(performance.now() - started)
      this.#logged += pace.size
    } finally {
      if (index.db.open && index.db.inTransaction) index.run('ROLLBACK')
    }
  }

  /** Moves what was committed from the log into the file once there is much of it. In memory there is no log. */
  async #shorten(least = LOGGED): Promise<void> {
    if (this.#path === undefined || this.#logged < least || !this.#file.there) return
    this.#logged = 0
    try {
      await this.#log.ask('move', [this.#path])
    } catch {
      // The thread is gone, or somebody else moves it; what is left is moved with the next.
    }
  }

  async #forget(collection: number, pause: Pause): Promise<void> {
    const step = () => this.#write((index) => forget(index, collection))
    while (!(await this.#file.patiently(step, pause))) {
      this.#logged += TAKEN_OUT
      await this.#shorten()
      await pause()
    }
  }

  async #takeOut(collection: number, gone: ReadonlySet<number>, pause: Pause): Promise<void> {
    let after: Place | undefined
    const pace = new Pace(1_000, STEP, 50_000)
    do {
      const from = after
      after = await this.#file.patiently(
        () => this.#write((index) => pace.step((size) => erasePart(index, collection, gone, from, size))),
        pause,
      )
      this.#logged += TAKEN_OUT
      await this.#shorten()
      await pause()
    } while (after !== undefined)
  }

  #write<T>(work: (index: Connection) => T): T {
    const index = this.#file.open().writer
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
    this.#quiet.wake()
  }

  /** Leaves half of the time to others. */
  async #tidy(): Promise<void> {
    let turn = performance.now()
    const pause = async () => {
      await this.#rest(performance.now() - turn)
      await nextTurn()
      this.#file.check(undefined)
      turn = performance.now()
    }
    for (const collection of this.#indexed()) await this.#catchUp(collection, pause)
    this.#ledger.connection.letGo()
  }

  /** Ends early as soon as somebody waits. Does not keep the process alive. */
  async #rest(milliseconds: number): Promise<void> {
    if (this.#awaited > 0) return
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, milliseconds).unref()
      this.#endRest = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  // ── care ──────────────────────────────────────────────────────────────────────────────────────────────────

  async verify(repair: boolean): Promise<readonly Problem[]> {
    const problems: Problem[] = []
    await this.catchUp()
    if (!this.#file.there) return problems
    await this.#alone(async () => {
      const pause = this.#pauseFor(undefined)
      for (const collection of this.#indexed()) {
        const both = { ledger: this.#ledger.connection, index: this.#file.open().connection }
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
    return await this.#file.erasing(async () => {
      if (ids.length > 0) await this.catchUp()
      await this.#shorten(1)
      return await this.#file.truncateLog(
        ({ connection }) => connection.value<number>('PRAGMA wal_checkpoint(TRUNCATE)') === 0,
      )
    })
  }

  async close(): Promise<void> {
    this.#quiet.stop()
    this.#await()
    await this.#file.close(async () => {
      await this.#working
      // Whoever closes the file last moves what is left.
      await this.#shorten(MUCH)
      await this.#log.close('orderly')
    })
  }

  #pauseFor(signal: AbortSignal | undefined): Pause {
    return async () => {
      await nextTurn()
      this.#file.check(signal)
    }
  }
}
