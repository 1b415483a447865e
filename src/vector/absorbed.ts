import { Pace } from '../core/pace.ts'
import type { VectorArrivals, VectorRecords, VectorRow, VectorSpace } from '../ports/vectors.ts'
import { Resident } from './resident.ts'

/** Milliseconds of one step. */
const STEP = 6

/** Spans of one step of going on to another base. */
const REBASED = 5_000

/** Where an index on disk stands: memory needs to hold only what changed since. */
export interface Base {
  readonly position: number
  /** Spans that had no vector then. */
  readonly waiting: readonly number[]
  /** It never had a span with a higher id. */
  readonly lastId: number
  /** Spans it left out, because their vectors have no direction. */
  readonly zeros: readonly number[]
}

/**
 * What this process has in memory of a collection's vectors, kept in step with the ledger: all of them, or those that
 * changed since a base. Applying an event twice changes nothing.
 */
export class Absorbed {
  readonly #records: VectorRecords
  readonly #collection: number
  #space: VectorSpace
  readonly resident: Resident
  /** Spans changed since the base, by the position at which that was noticed; dead ones and waiting ones included. */
  readonly touched = new Map<number, number>()
  /** How many of these the base may still answer. */
  dated = 0
  #lastId: number
  /** Spans that the base left out, and whose distance to anything is 1. */
  zeros: readonly number[]
  /** Live spans with words but no vector, and the hash each waits for. */
  readonly #waiting = new Map<number, string>()
  readonly #byHash = new Map<string, Set<number>>()
  #position: number
  /** The last id copied, while spans are copied as they stand. */
  #scan: number | undefined
  #arrivals: VectorArrivals
  readonly hasBase: boolean
  /** What was last compared with what is here. */
  #base: Base | undefined
  readonly #pace = new Pace(250, STEP, 500)

  /**
   * Without a base it copies the collection, which stood at `position` when that began. `later`: its sketch is made
   * when all is there.
   */
  constructor(
    records: VectorRecords,
    collection: number,
    space: VectorSpace,
    position: number,
    base: Base | undefined,
    later = false,
  ) {
    this.#records = records
    this.#collection = collection
    this.#space = space
    this.resident = new Resident(space.metric, space.dimensions, later)
    this.hasBase = base !== undefined
    this.#lastId = base?.lastId ?? 0
    this.zeros = base?.zeros ?? []
    this.#arrivals = records.arrived(space.embedder, undefined).through
    this.#position = base?.position ?? position
    this.#scan = base === undefined ? 0 : undefined
    if (base === undefined) return
    for (const row of records.rows(collection, space, base.waiting)) this.#apply(row, base.position)
  }

  get space(): VectorSpace {
    return this.#space
  }

  /** Everything up to here is absorbed; while spans are copied, nothing is. */
  get position(): number {
    return this.#scan === undefined ? this.#position : 0
  }

  /** Where reading the log goes on. */
  get reached(): number {
    return this.#position
  }

  get waiting(): number {
    return this.#waiting.size
  }

  waitingIds(): number[] {
    return [...this.#waiting.keys()]
  }

  /** Whether vectors of `space` may be compared with what is here. Supplied vectors may join computed ones. */
  fits(space: VectorSpace): boolean {
    const same = space.embedder === this.#space.embedder && space.dimensions === this.#space.dimensions
    if (same) this.#space = space
    return same
  }

  /** One bounded step towards the present. Answers how many events are left; undefined: rows are still copied. */
  step(): number | undefined {
    const records = this.#records
    if (this.#waiting.size === 0) this.#arrivals = records.arrived(this.#space.embedder, undefined).through
    if (this.#scan !== undefined) {
      const scan = this.#scan
      this.#scan = this.#pace.step((size) => {
        const { rows, last } = records.copy(this.#collection, this.#space, scan, size)
        for (const row of rows) this.#apply(row, undefined)
        return last
      })
      if (this.#scan !== undefined) return undefined
    }
    const { through, position } = this.#pace.step((size) => {
      const followed = records.follow(this.#collection, this.#space, this.#position, size)
      for (const row of followed.rows) this.#apply(row, followed.through)
      return followed
    })
    this.#position = through
    if (through === position) this.#takeArrivals()
    return position - through
  }

  /** Embeddings come without an event of their own. */
  #takeArrivals(): void {
    while (this.#waiting.size > 0) {
      const { hashes, through } = this.#records.arrived(this.#space.embedder, this.#arrivals)
      const { row } = this.#arrivals
      this.#arrivals = through
      const ids = hashes.flatMap((hash) => [...(this.#byHash.get(hash) ?? [])])
      if (ids.length > 0)
        for (const one of this.#records.rows(this.#collection, this.#space, ids))
          this.#apply(one, this.#position)
      if (through.row === row) return
    }
  }

  #apply({ id, vector, waitsFor }: VectorRow, position: number | undefined): void {
    this.#unwait(id)
    if (vector === undefined) this.resident.delete(id)
    else this.resident.set(id, vector)
    if (waitsFor !== undefined) {
      this.#waiting.set(id, waitsFor)
      const others = this.#byHash.get(waitsFor)
      if (others === undefined) this.#byHash.set(waitsFor, new Set([id]))
      else others.add(id)
    }
    if (!this.hasBase || position === undefined) return
    if (id <= this.#lastId && !this.touched.has(id)) this.dated++
    this.touched.set(id, position)
  }

  #unwait(id: number): void {
    const hash = this.#waiting.get(id)
    if (hash === undefined) return
    this.#waiting.delete(id)
    const others = this.#byHash.get(hash)!
    others.delete(id)
    if (others.size === 0) this.#byHash.delete(hash)
  }

  /** The base may have moved on: what it has by now need not be kept here. Until the last step, some of it is. */
  *rebase(base: Base): Generator<void, void> {
    if (base.position === this.#base?.position && base.waiting === this.#base.waiting) return
    this.#base = base
    const waiting = new Set(base.waiting)
    this.#lastId = base.lastId
    this.zeros = base.zeros
    this.dated = 0
    let looked = 0
    for (const [id, position] of this.touched) {
      if (++looked % REBASED === 0) yield
      // A vector that arrived without an event is in the base when the span does not wait there any more.
      if (position > base.position || waiting.has(id)) {
        if (id <= base.lastId) this.dated++
        continue
      }
      this.touched.delete(id)
      this.resident.delete(id)
    }
  }

  /** Erased: not even memory may hold them. */
  forget(ids: readonly number[]): void {
    for (const id of ids) {
      this.#unwait(id)
      this.resident.delete(id)
    }
  }
}
