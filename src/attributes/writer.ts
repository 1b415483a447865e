import { Pace } from '../core/pace.ts'
import type { DerivedFile } from '../ledger/sqlite/derived-file.ts'
import type { Connection } from '../ledger/sqlite/statements.ts'
import { AskedThread } from '../threads/ask.ts'
import {
  type AttributeState,
  type Batch,
  erasePart,
  forget,
  keep,
  nextOf,
  readBatch,
  stateOf,
} from './absorb.ts'
import type { AttributeDatabase } from './database.ts'
import type { LogCalls } from './log-thread.ts'
import type { Pause, Place } from './postings.ts'

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

/** How long the thread that moves it is kept, in milliseconds. */
const IDLE = 5_000

export interface LedgerOfAttributes {
  readonly id: string
  readonly connection: Connection
}

/** Brings the index up to what the ledger says, a little at a time: one call after the other. */
export class AttributeWriter {
  readonly #ledger: LedgerOfAttributes
  readonly #file: DerivedFile<AttributeDatabase>
  readonly #path: string | undefined
  readonly #log = new AskedThread<LogCalls>('attributes/log-thread', {
    name: 'spanstore-attributes',
    data: undefined,
    idle: IDLE,
  })
  /** Spans whose postings may be in the log alone. */
  #logged = 0

  /** `path`: undefined in memory. */
  constructor(ledger: LedgerOfAttributes, file: DerivedFile<AttributeDatabase>, path: string | undefined) {
    this.#ledger = ledger
    this.#file = file
    this.#path = path
  }

  /** Absorbs the log of one collection, or copies it where nothing of it is there; one call at a time. */
  async catchUp(
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
        await this.forget(collection, pause)
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
      await this.shorten()
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
  async shorten(least = LOGGED): Promise<void> {
    if (this.#path === undefined || this.#logged < least || !this.#file.there) return
    this.#logged = 0
    try {
      await this.#log.ask('move', [this.#path])
    } catch {
      // The thread is gone, or somebody else moves it; what is left is moved with the next.
    }
  }

  /** Takes out all of a collection. */
  async forget(collection: number, pause: Pause): Promise<void> {
    const step = () => this.#write((index) => forget(index, collection))
    while (!(await this.#file.patiently(step, pause))) {
      this.#logged += TAKEN_OUT
      await this.shorten()
      await pause()
    }
  }

  async #takeOut(collection: number, gone: ReadonlySet<number>, pause: Pause): Promise<void> {
    let after: Place | undefined
    // Where postings of many spans end, those of one span each begin, which take longer.
    const pace = new Pace(1_000, STEP, 16_000)
    do {
      const from = after
      after = await this.#file.patiently(
        () => this.#write((index) => pace.step((size) => erasePart(index, collection, gone, from, size))),
        pause,
      )
      this.#logged += TAKEN_OUT
      await this.shorten()
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

  async close(): Promise<void> {
    await this.#log.close('orderly')
  }
}
