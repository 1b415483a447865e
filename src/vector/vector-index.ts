import { setImmediate as nextTurn } from 'node:timers/promises'
import { SpanStoreError } from '../core/errors.ts'
import type {
  Problem,
  VectorAnswer,
  VectorHead,
  VectorIndex,
  VectorPath,
  VectorQuery,
  VectorRecords,
  VectorSpace,
} from '../ports.ts'
import { Absorbed } from './absorbed.ts'
import { type Query, queryOf } from './metric.ts'
import type { Candidate } from './nearest.ts'
import { scanLedger } from './scan.ts'

export interface VectorIndexOptions {
  /** Bytes of vectors kept in memory per collection; larger ones are read from the index, or the ledger. Default 256 MiB. */
  readonly memory?: number
}

/** How often a search begins again because the collection moved on while it looked. */
const ATTEMPTS = 4

const closed = () => new SpanStoreError('STORE_CLOSED', 'the store is closed; open it again', {})

/**
 * Searches vectors exactly: in memory where they fit, from the ledger where they do not. Every answer is checked
 * against the ledger, so a span retired since can never be a hit.
 */
export class ResidentVectorIndex implements VectorIndex {
  readonly #records: VectorRecords
  readonly #memory: number
  readonly #absorbed = new Map<number, Absorbed>()
  readonly #closing = new AbortController()

  constructor(records: VectorRecords, options: VectorIndexOptions = {}) {
    this.#records = records
    this.#memory = options.memory ?? 256 * 2 ** 20
  }

  // ── searching ─────────────────────────────────────────────────────────────────────────────────────────────

  async search(collection: number, query: VectorQuery): Promise<VectorAnswer> {
    const pause = this.#pauseFor(query.signal)
    await this.#records.settle()
    const head = this.#records.head(collection)
    const space = spaceOf(head)
    if (query.vector.length !== space.dimensions)
      throw new SpanStoreError(
        'INVALID_VECTOR',
        `the query has ${query.vector.length} dimensions; vectors of collection ${JSON.stringify(head.name)} have ${space.dimensions}`,
        { path: 'search.vector', expected: space.dimensions, actual: query.vector.length },
      )
    const asked = queryOf(space.metric, query.vector)
    if (query.asOf !== undefined)
      return await this.#searchLedger(collection, space, query, asked, query.asOf, pause)
    for (let attempt = 1; ; attempt++) {
      const answer = await this.#searchMemory(collection, query, asked, pause)
      if (answer === undefined)
        return await this.#searchLedger(collection, space, query, asked, head.position, pause)
      if (answer.position === answer.indexedThrough || attempt === ATTEMPTS)
        // Everything acknowledged before the search began is in it, and all of it is still live.
        return { ...answer, position: answer.indexedThrough }
    }
  }

  /** Undefined: there is too much to hold in memory. */
  async #searchMemory(
    collection: number,
    query: VectorQuery,
    asked: Query,
    pause: () => Promise<void>,
  ): Promise<VectorAnswer | undefined> {
    const started = performance.now()
    const absorbed = await this.#caughtUp(collection, pause)
    if (absorbed === undefined) return undefined
    const absorbing = performance.now() - started
    const { position } = absorbed
    const wanted = query.offset + query.limit
    const except = query.except
    const admits = except === undefined ? undefined : (id: number) => id !== except
    let filter: VectorPath['filter'] = query.where === undefined ? 'none' : 'checked'
    let limit = query.where === undefined ? wanted : 4 * wanted + 64
    for (;;) {
      const nearest = await absorbed.resident.nearest(asked, limit, pause, admits)
      const checked = this.#records.passing(
        collection,
        nearest.map(({ id }) => id),
        query.where,
      )
      if (checked.ids.length >= wanted || nearest.length < limit) {
        return this.#answer(query, pick(nearest, checked.ids), {
          position: checked.position,
          indexedThrough: position,
          waiting: absorbed.waiting,
          path: {
            path: 'resident',
            approximate: false,
            candidates: nearest.length,
            filter,
            tail: 0,
            absorbing,
            searching: performance.now() - started - absorbing,
          },
        })
      }
      if (query.where === undefined) {
        limit *= 2
        continue
      }
      // Few pass: compare those alone.
      filter = 'set'
      const passing = await this.#passing(collection, query, pause)
      const few = absorbed.resident.among(asked, wanted, passing)
      const still = this.#records.passing(
        collection,
        few.map(({ id }) => id),
        query.where,
      )
      return this.#answer(query, pick(few, still.ids), {
        position: still.position,
        indexedThrough: position,
        waiting: absorbed.waiting,
        path: {
          path: 'resident',
          approximate: false,
          candidates: passing.size,
          filter,
          tail: 0,
          absorbing,
          searching: performance.now() - started - absorbing,
        },
      })
    }
  }

  async #passing(
    collection: number,
    { where, except }: VectorQuery,
    pause: () => Promise<void>,
  ): Promise<Set<number>> {
    const passing = new Set<number>()
    for (let after: number | undefined = 0; after !== undefined; ) {
      const { ids, last } = this.#records.matching(collection, where!, after)
      for (const id of ids) passing.add(id)
      after = last
      if (after !== undefined) await pause()
    }
    if (except !== undefined) passing.delete(except)
    return passing
  }

  async #searchLedger(
    collection: number,
    space: VectorSpace,
    query: VectorQuery,
    asked: Query,
    position: number,
    pause: () => Promise<void>,
  ): Promise<VectorAnswer> {
    const started = performance.now()
    const { where, except } = query
    const limit = query.offset + query.limit
    const past = query.asOf !== undefined
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
    return this.#answer(query, pick(nearest, live), {
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

  #answer(query: VectorQuery, found: readonly Candidate[], rest: Omit<VectorAnswer, 'hits'>): VectorAnswer {
    const page = found.slice(query.offset, query.offset + query.limit)
    const spans = this.#records.spans(
      page.map(({ id }) => id),
      query.asOf,
    )
    return {
      ...rest,
      hits: page.map(({ id, distance }, i) => ({ id, distance, span: spans[i]! })),
    }
  }

  // ── keeping up ────────────────────────────────────────────────────────────────────────────────────────────

  /** What memory holds of a collection, brought up to the ledger. Undefined: it would be too much. */
  async #caughtUp(collection: number, pause: () => Promise<void>): Promise<Absorbed | undefined> {
    for (;;) {
      const head = this.#records.head(collection)
      const space = spaceOf(head)
      let absorbed = this.#absorbed.get(collection)
      if (absorbed !== undefined && !(absorbed.fits(space) && follows(absorbed, head))) {
        this.#absorbed.delete(collection)
        absorbed = undefined
      }
      if (head.live * space.dimensions * 4 > this.#memory) return undefined
      if (absorbed === undefined) {
        absorbed = new Absorbed(this.#records, collection, space, head.position, undefined)
        this.#absorbed.set(collection, absorbed)
      }
      for (let left = absorbed.step(); left !== 0; left = absorbed.step()) await pause()
      return absorbed
    }
  }

  async catchUp(
    options: {
      readonly collection?: number
      readonly signal?: AbortSignal
      readonly onProgress?: (collection: number, pending: number) => void
    } = {},
  ): Promise<void> {
    if (options.collection === undefined) return
    await this.#caughtUp(options.collection, this.#pauseFor(options.signal))
  }

  wake(): void {}

  async verify(_repair: boolean): Promise<readonly Problem[]> {
    return []
  }

  async erase(ids: readonly number[]): Promise<readonly string[]> {
    for (const absorbed of this.#absorbed.values()) absorbed.forget(ids)
    return []
  }

  async close(): Promise<void> {
    this.#closing.abort()
    this.#absorbed.clear()
  }

  #pauseFor(signal: AbortSignal | undefined): () => Promise<void> {
    const check = () => {
      if (this.#closing.signal.aborted) throw closed()
      if (signal?.aborted)
        throw new SpanStoreError(
          'ABORTED',
          'the search was aborted by its signal',
          {},
          { cause: signal.reason },
        )
    }
    check()
    return async () => {
      await nextTurn()
      check()
    }
  }
}

function spaceOf(head: VectorHead): VectorSpace {
  if (head.space !== undefined) return head.space
  throw new SpanStoreError(
    'NO_VECTORS',
    `collection ${JSON.stringify(head.name)} has no vectors; search its words with mode 'text', or open the store with an embedder and put again`,
    { collection: head.name },
  )
}

/** Events between were pruned, or the log went back: what is in memory cannot be brought up to date. */
const follows = (absorbed: Absorbed, head: VectorHead): boolean =>
  absorbed.reached >= head.floor && absorbed.reached <= head.position

function pick(candidates: readonly Candidate[], ids: readonly number[]): Candidate[] {
  const chosen = new Set(ids)
  return candidates.filter(({ id }) => chosen.has(id))
}
