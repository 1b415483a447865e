import type { Filter } from '../core/filter.ts'
import { DerivedFile, isBusy, WhenQuiet } from '../ledger/sqlite/derived-file.ts'
import type { AttributeIndex, Candidates } from '../ports/attributes.ts'
import type { CatchUpOptions } from '../ports/derived.ts'
import type { Problem } from '../ports/problem.ts'
import { nextTurn } from '../threads/turn.ts'
import { goesOn, headOf, stateOf } from './absorb.ts'
import { coverOf } from './cover.ts'
import {
  type AttributeDatabase,
  attributesPath,
  closeAttributes,
  isDamage,
  openAttributes,
} from './database.ts'
import { countOf, idsOf, type Pause } from './postings.ts'
import { missing } from './verify.ts'
import { AttributeWriter, type LedgerOfAttributes } from './writer.ts'

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

/** Spans whose postings take longer to move than others may be held up. */
const MUCH = 500

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
  readonly #writer: AttributeWriter
  #working: Promise<void> = Promise.resolve()
  /** Calls that wait for the work under way: it rests no longer, and the process must not end before they are answered. */
  #awaited = 0
  #endRest: (() => void) | undefined

  constructor(ledger: LedgerOfAttributes, ledgerPath: string, options: AttributeIndexOptions = {}) {
    this.#ledger = ledger
    const path = attributesPath(ledgerPath)
    this.#file = new DerivedFile({
      what: 'attribute index',
      path,
      ledgerPath,
      wait: options.wait ?? 10_000,
      open: () => openAttributes(ledger.id, path),
      close: closeAttributes,
      isDamage,
    })
    this.#writer = new AttributeWriter(ledger, this.#file, path)
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

  async catchUp({ collection: only, signal, onProgress }: CatchUpOptions = {}): Promise<void> {
    await this.#alone(async () => {
      for (const collection of this.#indexed())
        if ((only ?? collection) === collection)
          await this.#writer.catchUp(collection, this.#pauseFor(signal), (pending) =>
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
    for (const collection of this.#indexed()) await this.#writer.catchUp(collection, pause)
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
    const { damages } = this.#file
    await this.catchUp()
    const found = this.#file.there ? await this.#alone(() => this.#differences(repair)) : []
    // Whoever uses a damaged file makes it anew; whoever looks for faults is told.
    if (this.#file.damages === damages) return found
    const what = 'attribute index: its file was damaged, and is made anew from the ledger'
    return [{ code: 'WRONG_ATTRIBUTE_INDEX', what, repaired: true }, ...found]
  }

  async #differences(repair: boolean): Promise<Problem[]> {
    const problems: Problem[] = []
    const pause = this.#pauseFor(undefined)
    for (const collection of this.#indexed()) {
      const both = { ledger: this.#ledger.connection, index: this.#file.open().connection }
      const lost = await missing(both, collection, pause)
      if (lost === 0) continue
      if (repair) {
        await this.#writer.forget(collection, pause)
        await this.#writer.catchUp(collection, pause)
      }
      const what = `attribute index of collection ${collection}: ${lost} live spans are not found by what they have`
      problems.push({ code: 'WRONG_ATTRIBUTE_INDEX', what, repaired: repair })
    }
    return problems
  }

  /** The log says what was erased: absorbing it takes the values out. */
  async erase(ids: readonly number[]): Promise<readonly string[]> {
    return await this.#file.erasing(async () => {
      if (ids.length > 0) await this.catchUp()
      await this.#writer.shorten(1)
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
      await this.#writer.shorten(MUCH)
      await this.#writer.close()
    })
  }

  #pauseFor(signal: AbortSignal | undefined): Pause {
    return async () => {
      await nextTurn()
      this.#file.check(signal)
    }
  }
}
