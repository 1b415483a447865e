import { setTimeout as sleep } from 'node:timers/promises'
import { SpanStoreError, storeClosed } from '../core/errors.ts'
import type { Problem } from '../ports/problem.ts'
import type {
  VectorAnswer,
  VectorHead,
  VectorIndex,
  VectorNearest,
  VectorQuery,
  VectorRecords,
  VectorSpace,
} from '../ports/vectors.ts'
import { nextTurn } from '../threads/turn.ts'
import { Absorbed } from './absorbed.ts'
import { answerBy, answerOf, matching, pick } from './answer.ts'
import { Keeper } from './keeper.ts'
import { type Query, queryOf } from './metric.ts'
import { scanLedger } from './scan.ts'
import { verifyTables } from './verify.ts'
import { compareRows, indexView, type Pause, residentView, type View } from './view.ts'

export interface VectorIndexOptions {
  /** Where tables of large collections are kept. Undefined: nowhere, as for a store in memory. */
  readonly directory?: string
  /** Bytes of vectors kept in memory per collection; more than that is read from a table, or the ledger. Default 256 MiB. */
  readonly memory?: number
  /**
   * Bytes of vectors up to which a collection that has a table is in memory as a whole besides: there it is searched
   * quicker, and exactly. Default 0: none.
   */
  readonly whole?: number
  /** Live spans from which a collection gets a table and an approximate index. Default 10 000. */
  readonly large?: number
  /** How long commits are gathered before tables take them in, in milliseconds. Default 500. */
  readonly gather?: number
  /** How long fewer than 1 000 events may stay in memory alone before a table takes them in, in milliseconds. Default 30 000. */
  readonly patience?: number
  /** How long after a table took something in it is copied into memory, if it fits in `whole`, in milliseconds. Default 2 000. */
  readonly rest?: number
  /** How long files of an older version of a table are kept for other processes, in milliseconds. Default 10 minutes. */
  readonly grace?: number
  /** Calls the listener after every commit to the store, of whichever process, until the answer is called. */
  readonly follow?: (listener: () => void) => () => void
}

/** How often a table is asked before it is taken for damaged. */
const RETRIES = 3

/** How long closing waits for what is under way in a table, in milliseconds. */
const CLOSING = 1_000

/** Milliseconds after the last search until what the ledger's rows left in memory is let go. */
const QUIET = 2_000

/** Events that are worth a commit to a table. */
const GROUP = 1_000

/**
 * Searches vectors: in memory where the collection is small or its table is not ready, in a LanceDB table where it is
 * large, in the ledger itself where neither is possible. Every answer is checked against the ledger, so a span retired
 * since can never be a hit, and holds everything that was acknowledged before the search began.
 */
export class LedgerVectorIndex implements VectorIndex {
  readonly #records: VectorRecords
  readonly #memory: number
  readonly #whole: number
  readonly #large: number
  readonly #gather: number
  readonly #patience: number
  readonly #keeper: Keeper | undefined
  readonly #rest: number
  readonly #options: VectorIndexOptions
  #unfollow: (() => void) | undefined
  /** When tables last took something in. */
  readonly #tended = new Map<number, number>()
  readonly #absorbed = new Map<number, Absorbed>()
  /** Collections on their way into memory as a whole. */
  readonly #copying = new Map<number, { readonly absorbed: Absorbed; readonly done: Promise<void> }>()
  readonly #closing = new AbortController()
  #timer: NodeJS.Timeout | undefined
  #due = 0
  /** When it was last searched, and when that is looked at. */
  #searched = 0
  #resting: NodeJS.Timeout | undefined
  /** Collections whose tables this process keeps, and that may be searched next. */
  readonly #foreseen = new Set<number>()
  #foreseeing: NodeJS.Timeout | undefined
  /** One at a time: two would meet in the tables. */
  #background: Promise<void> = Promise.resolve()

  constructor(records: VectorRecords, options: VectorIndexOptions = {}) {
    this.#records = records
    this.#options = options
    this.#memory = options.memory ?? 256 * 2 ** 20
    this.#whole = Math.min(options.whole ?? 0, this.#memory)
    this.#large = options.large ?? 10_000
    this.#gather = options.gather ?? 500
    this.#patience = options.patience ?? 30_000
    this.#rest = options.rest ?? 2_000
    this.#keeper =
      options.directory === undefined
        ? undefined
        : new Keeper(records, options.directory, {
            large: this.#large,
            grace: options.grace ?? 600_000,
          })
  }

  // ── searching ─────────────────────────────────────────────────────────────────────────────────────────────

  async search(collection: number, query: VectorQuery): Promise<VectorAnswer> {
    const { nearest, ...rest } = await this.nearest(collection, query)
    const spans = this.#records.spans(
      nearest.map(({ id }) => id),
      query.asOf,
    )
    return { ...rest, hits: nearest.map(({ id, distance }, i) => ({ id, distance, span: spans[i]! })) }
  }

  async nearest(collection: number, query: VectorQuery): Promise<VectorNearest> {
    const pause = this.#pauseFor(query.signal)
    this.#searched = performance.now()
    this.#resting ??= this.#restIn(QUIET)
    await this.#records.settle()
    const head = this.#records.head(collection)
    const space = spaceOf(head)
    if (query.vector.length !== space.dimensions)
      throw new SpanStoreError(
        'INVALID_VECTOR',
        `the query has ${query.vector.length} dimensions; vectors of collection ${JSON.stringify(head.name)} have ${space.dimensions}`,
        { path: 'search.vector', expected: space.dimensions, actual: query.vector.length },
      )
    if (query.embedder !== undefined) requireEmbedder(head, query.embedder)
    const asked = queryOf(space.metric, query.vector)
    if (query.asOf !== undefined)
      return await this.#searchLedger(collection, space, query, asked, query.asOf, pause)
    const answer = await this.#searchView(collection, space, query, asked, pause)
    if (answer === undefined)
      return await this.#searchLedger(collection, space, query, asked, head.position, pause)
    // Everything acknowledged before the search began is in it. What came later may be; none of it is dead.
    return { ...answer, position: answer.indexedThrough }
  }

  /** Undefined: there is too much to hold in memory, and no table. `failures`: how often the table could not be used. */
  async #searchView(
    collection: number,
    space: VectorSpace,
    query: VectorQuery,
    asked: Query,
    pause: Pause,
    failures = 0,
  ): Promise<VectorNearest | undefined> {
    const started = performance.now()
    const absorbed = await this.#caughtUp(collection, pause, failures < RETRIES)
    // Switched since the query was understood: it cannot be compared with what is there now.
    requireEmbedder(this.#records.head(collection), space.embedder)
    if (absorbed === undefined) return undefined
    // Everything is as far from a query without direction, so that no table can say what is nearest.
    if (absorbed.hasBase && asked.metric === 'cosine' && asked.scale === 0) return undefined
    const absorbing = performance.now() - started
    // Written by others, who may not keep the tables.
    if (absorbed.touched.size >= GROUP) this.wake()
    const ask = (view: View) => answerBy(this.#records, collection, view, query, absorbing, pause)
    if (!absorbed.hasBase) return await ask(residentView(absorbed, asked, pause, query.except))
    const head = this.#records.head(collection)
    try {
      const table = await this.#keeper!.open(head, absorbed.space)
      const { accuracy, except } = query
      return await ask(
        indexView(this.#records, collection, absorbed, table, asked, { accuracy, except }, pause),
      )
    } catch (error) {
      if (error instanceof SpanStoreError) throw error
      // Files of an older version may be gone while they were read. A table that is missing or damaged can be made
      // again; the answer comes from elsewhere.
      if (failures < RETRIES - 1) this.#keeper!.forget(head, absorbed.space)
      else {
        await this.#keeper!.discard(head, absorbed.space)
        this.#absorbed.delete(collection)
        this.wake()
      }
      return await this.#searchView(collection, space, query, asked, pause, failures + 1)
    }
  }

  async #searchLedger(
    collection: number,
    space: VectorSpace,
    query: VectorQuery,
    asked: Query,
    position: number,
    pause: Pause,
  ): Promise<VectorNearest> {
    const started = performance.now()
    const { where, admits, among, except } = query
    const limit = query.offset + query.limit
    const past = query.asOf !== undefined
    if (!past && (admits !== undefined || among !== undefined)) {
      const records = this.#records
      const chosen =
        among === undefined
          ? [...(await matching(records, collection, query, pause))]
          : records.passing(collection, among, where, admits).ids
      const few = await compareRows(records, collection, space, asked, { ids: chosen, limit, except }, pause)
      const live = records.passing(
        collection,
        few.map(({ id }) => id),
        where,
        admits,
      )
      return answerOf(query, pick(few, live.ids), {
        position: live.position,
        indexedThrough: live.position,
        waiting: 0,
        path: {
          path: 'ledger',
          approximate: false,
          candidates: chosen.length,
          filter: 'set',
          tail: 0,
          absorbing: 0,
          searching: performance.now() - started,
        },
      })
    }
    // A little more than asked for: some may be retired while the rest is read.
    const { nearest, waiting, seen } = await scanLedger(
      this.#records,
      collection,
      space,
      asked,
      { position, where, limit: past ? limit : limit + 64, except },
      pause,
    )
    const ids = nearest.map(({ id }) => id)
    const live = past ? ids : this.#records.passing(collection, ids, where).ids
    return answerOf(query, pick(nearest, live), {
      position,
      indexedThrough: position,
      waiting,
      path: {
        path: 'ledger',
        approximate: false,
        candidates: seen,
        filter: where === undefined ? 'none' : 'set',
        tail: 0,
        absorbing: 0,
        searching: performance.now() - started,
      },
    })
  }

  /** Rows that searches read, and filters looked at, are not soon read again. */
  #restIn(milliseconds: number): NodeJS.Timeout {
    return setTimeout(() => {
      const left = this.#searched + QUIET - performance.now()
      this.#resting = left > 0 ? this.#restIn(left) : undefined
      if (this.#resting === undefined) this.#records.letGo()
    }, milliseconds).unref()
  }

  // ── keeping up ────────────────────────────────────────────────────────────────────────────────────────────

  /**
   * What memory must hold of a collection, brought up to the ledger: all of it, or what its table lacks. Undefined: it
   * would be too much.
   */
  async #caughtUp(collection: number, pause: Pause, tables: boolean): Promise<Absorbed | undefined> {
    const records = this.#records
    const head = records.head(collection)
    const space = spaceOf(head)
    let absorbed = this.#absorbed.get(collection)
    const fits = head.live * space.dimensions * 4 <= this.#whole
    const whole = fits && absorbed?.hasBase === false
    const large = head.live >= this.#large && !whole
    const base = large && tables ? this.#keeper?.usable(collection, head, space) : undefined
    // Nothing may have been written since this process began.
    if (large && base === undefined) this.wake()
    if (base !== undefined && fits) this.#copyWhole(collection, space)
    if (
      absorbed !== undefined &&
      !(
        absorbed.fits(space) &&
        absorbed.hasBase === (base !== undefined) &&
        absorbed.reached >= head.floor &&
        absorbed.reached <= head.position
      )
    ) {
      this.#absorbed.delete(collection)
      absorbed = undefined
    }
    const rows = base === undefined ? head.live : head.position - base.position
    if (rows * space.dimensions * 4 > this.#memory) {
      this.#absorbed.delete(collection)
      return undefined
    }
    if (absorbed === undefined) {
      absorbed = new Absorbed(records, collection, space, head.position, base)
      this.#absorbed.set(collection, absorbed)
    } else if (base !== undefined) for (const _ of absorbed.rebase(base)) await pause()
    for (let left = absorbed.step(); left !== 0; left = absorbed.step()) await pause()
    return absorbed
  }

  /** Copies a collection into memory in the background, while its table answers; from then on memory does. */
  #copyWhole(collection: number, space: VectorSpace): void {
    if (this.#copying.has(collection)) return
    const check = this.#checkFor(undefined)
    const absorbed = new Absorbed(
      this.#records,
      collection,
      space,
      this.#records.head(collection).position,
      undefined,
      true,
    )
    const pause = async () => {
      await nextTurn()
      check()
    }
    const copy = async () => {
      for (let left = absorbed.step(); left !== 0; left = absorbed.step()) await pause()
      await absorbed.resident.condense(pause)
      this.#records.letGo()
      this.#absorbed.set(collection, absorbed)
    }
    // Nobody waits for this: should it fail, the table goes on answering.
    const done = copy()
      .catch(() => {})
      .finally(() => this.#copying.delete(collection))
    this.#copying.set(collection, { absorbed, done })
  }

  /** Whoever stays after writing is going to be asked: what fits in memory is there before somebody waits for it. */
  #foresee(collection: number): void {
    this.#foreseen.add(collection)
    clearTimeout(this.#foreseeing)
    this.#foreseeing = setTimeout(() => {
      const foreseen = [...this.#foreseen]
      this.#foreseen.clear()
      // Nobody waits for this: a search would do the same.
      for (const one of foreseen) this.#prepareWhole(one).catch(() => {})
    }, this.#rest).unref()
  }

  async #prepareWhole(collection: number): Promise<void> {
    const { live, space } = this.#records.head(collection)
    if (space === undefined) return
    const known = this.#absorbed.get(collection)
    if (known?.hasBase === false) {
      const check = this.#checkFor(undefined)
      for (let left = known.step(); left !== 0; left = known.step()) {
        await nextTurn()
        check()
      }
      return
    }
    // Together no more than one may have that is searched: nobody has asked for any of them.
    let bytes = live * space.dimensions * 4
    for (const { absorbed } of this.#copying.values()) bytes += absorbed.resident.bytes
    for (const { hasBase, resident } of this.#absorbed.values()) if (!hasBase) bytes += resident.bytes
    if (bytes <= this.#whole) this.#copyWhole(collection, space)
  }

  /** Bytes of vectors in memory: of collections that are there as a whole, of tails, and on their way into tables. */
  get held(): number {
    let bytes = this.#keeper?.held ?? 0
    for (const { absorbed } of this.#copying.values()) bytes += absorbed.resident.bytes
    for (const { resident } of this.#absorbed.values()) bytes += resident.bytes
    return bytes
  }

  watermark(collection: number): number | undefined {
    const head = this.#records.head(collection)
    if (head.space === undefined || head.live < this.#large) return undefined
    return this.#keeper?.watermark(head, head.space)
  }

  async catchUp(
    options: {
      readonly collection?: number
      readonly signal?: AbortSignal
      readonly onProgress?: (collection: number, pending: number) => void
    } = {},
  ): Promise<void> {
    const keeper = this.#keeper
    if (keeper === undefined) return
    await this.#records.settle()
    const large = this.#records.large(this.#large)
    const chosen =
      options.collection === undefined ? large : large.filter((one) => one === options.collection)
    const check = this.#checkFor(options.signal)
    await this.#alone(async () => {
      for (const collection of chosen)
        await keeper.tend(collection, check, (pending) => options.onProgress?.(collection, pending))
      if (keeper.holds) await keeper.sweep()
    })
  }

  /** Runs after what is under way in the background, also when that failed. */
  async #alone<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#background.then(work)
    this.#background = done.then(
      () => {},
      () => {},
    )
    return await done
  }

  wake(): void {
    this.#wakeIn(this.#gather)
  }

  async prepare(
    collection: number,
    space: VectorSpace,
    options: { readonly signal?: AbortSignal } = {},
  ): Promise<void> {
    const keeper = this.#keeper
    if (keeper === undefined || this.#records.head(collection).live < this.#large) return
    const check = this.#checkFor(options.signal)
    await this.#alone(async () => await keeper.tend(collection, check, undefined, space))
  }

  #wakeIn(milliseconds: number): void {
    if (this.#keeper === undefined || this.#closing.signal.aborted) return
    const due = performance.now() + milliseconds
    if (this.#timer !== undefined && this.#due <= due) return
    clearTimeout(this.#timer)
    this.#due = due
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      // Nobody waits for this: the next search, or the next wake, meets the same trouble.
      this.#tendDue().catch(() => {})
    }, milliseconds).unref()
  }

  /** Few rows wait for others: each commit makes a table slower, while in memory they are found as well. */
  async #tendDue(): Promise<void> {
    const keeper = this.#keeper!
    const check = this.#checkFor(undefined)
    await this.#alone(async () => {
      for (const collection of this.#records.large(this.#large)) {
        check()
        const pending = keeper.pending(collection)
        if (pending === 0) continue
        const waited = performance.now() - (this.#tended.get(collection) ?? 0)
        if (pending >= GROUP || waited >= this.#patience) {
          const mine = await keeper.tend(collection, check)
          this.#tended.set(collection, performance.now())
          if (pending >= GROUP) this.#records.letGo()
          // Whoever keeps the tables hears of what others commit, too.
          if (mine) {
            this.#follow()
            this.#foresee(collection)
          }
        } else this.#wakeIn(this.#patience - waited)
      }
      // Of a former embedder, or of a collection that was dropped.
      if (keeper.holds) await keeper.sweep()
    })
  }

  #follow(): void {
    this.#unfollow ??= this.#options.follow?.(() => this.wake())
  }

  async verify(repair: boolean): Promise<readonly Problem[]> {
    const keeper = this.#keeper
    if (keeper === undefined) return []
    return await this.#alone(
      async () => await verifyTables(this.#records, keeper, repair, this.#checkFor(undefined)),
    )
  }

  /** Also settles what an earlier erasure, of this process or of another, left undone. */
  async erase(ids: readonly number[]): Promise<readonly string[]> {
    for (const absorbed of this.#absorbed.values()) absorbed.forget(ids)
    for (const { absorbed } of this.#copying.values()) absorbed.forget(ids)
    const keeper = this.#keeper
    if (keeper === undefined) return []
    return await this.#alone(
      async () => await keeper.erase(this.#records.collectionsOf(ids), this.#checkFor(undefined)),
    )
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer)
    clearTimeout(this.#resting)
    clearTimeout(this.#foreseeing)
    this.#unfollow?.()
    this.#closing.abort()
    const ending = this.#background.then(() => this.#keeper?.close())
    // An index may take minutes to build, and nothing can stop that: it is let finish, and keeps the lock until then.
    const patience = new AbortController()
    await Promise.race([ending, sleep(CLOSING, undefined, { signal: patience.signal }).catch(() => {})])
    patience.abort()
    for (const { done } of this.#copying.values()) await done
    this.#absorbed.clear()
  }

  #checkFor(signal: AbortSignal | undefined): () => void {
    return () => {
      if (this.#closing.signal.aborted) throw storeClosed()
      if (signal?.aborted)
        throw new SpanStoreError(
          'ABORTED',
          'the search was aborted by its signal',
          {},
          { cause: signal.reason },
        )
    }
  }

  #pauseFor(signal: AbortSignal | undefined): Pause {
    const check = this.#checkFor(signal)
    check()
    return async () => {
      await nextTurn()
      check()
    }
  }
}

/** @throws EMBEDDER_MISMATCH */
function requireEmbedder({ name, space }: VectorHead, embedder: string): void {
  if (space === undefined || space.embedder === embedder) return
  throw new SpanStoreError(
    'EMBEDDER_MISMATCH',
    `collection ${JSON.stringify(name)} was switched from the embedder ${JSON.stringify(embedder)} to ${space.embedder} while it was searched; search again with a vector of the latter`,
    { collection: name, expected: space.embedder, actual: embedder },
  )
}

function spaceOf(head: VectorHead): VectorSpace {
  if (head.space !== undefined) return head.space
  throw new SpanStoreError(
    'NO_VECTORS',
    `collection ${JSON.stringify(head.name)} has no vectors; search its words with mode 'text', or open the store with an embedder and put again`,
    { collection: head.name },
  )
}
