import type { Metric } from '../core/model.ts'
import { learnBasis, SAMPLE } from './basis.ts'
import { distancesOf, inverseLength, type Query } from './metric.ts'
import { type Candidate, Nearest } from './nearest.ts'
import { Products } from './products.ts'
import { type PreparedQuery, SKETCH_BLOCK, Sketch } from './sketch.ts'

/** Rows of one block. A block is allocated whole, so that growing never copies what is there. */
const BLOCK = 1024

/** Multiplications of one step of a scan: a few milliseconds. */
const STEP = 1 << 21

/** Rows from which a sketch is kept, and dimensions: below, comparing everything is as quick. */
const SKETCHED = { rows: 2_048, dimensions: 16 }

/** Bytes of a sketch gone through in one step: about two milliseconds. */
const SKETCH_STEP = 1 << 24

/** Rows a sketch may leave to be compared exactly: five milliseconds. With more, it is no help. */
const LEFT = 8_192

/** After so many searches that were left with too much, the sketch is made anew. */
const PATIENCE = 16

/** Rows multiplied with a query together, in 32-bit floats, before those that may be nearest are compared exactly. */
const TOGETHER = 32

/** What 64-bit floats round away, as a part of what is added up; and what 32-bit ones cannot tell from nothing. */
const ROUNDED = { part: 1e-12, tiny: 1e-36 }

/** Rows whose sketch is made in one step. */
const CONDENSED = 512

/** Rows that are in a first sketch after each one that comes. */
const MADE = 2

/** Of the block being scanned. */
const distances = new Float64Array(BLOCK)

/** Of the rows being looked at more closely. */
const finer = new Float64Array(TOGETHER)

interface Block {
  readonly data: Float32Array
  /** Inverse lengths; 0 for a zero vector. */
  readonly scales: Float64Array
  /** 0: no row there. */
  readonly ids: Float64Array
}

/**
 * Vectors in memory, by span id, searched exactly. A scan may be interleaved with changes: rows that were there when
 * it began and still are when it ends are always seen.
 */
export class Resident {
  readonly dimensions: number
  readonly #metric: Metric
  #blocks: Block[] = []
  /** Rows handed out, free ones included. */
  #rows = 0
  readonly #rowOf = new Map<number, number>()
  #free: number[] = []
  /** While one runs, freed rows are not given to others: it might have passed them. */
  #scans = 0
  /** Says which rows can be among the nearest; null: this engine has none. */
  #sketch: Sketch | null | undefined
  /** Beside a sketch along learnt directions one of all numbers: what the first leaves is looked at in it. */
  #fine: Sketch | undefined
  /** One that is being made, to take the other's place. */
  #coming: Sketch | undefined
  #comingFine: Sketch | undefined
  /** The first one, and the next row that it lacks. */
  #making: { readonly sketch: Sketch; next: number } | undefined
  /** What searches under way by a sketch are to be told: which rows changed. */
  readonly #watches = new Set<Set<number>>()
  /** Made with the first sketch that was searched. */
  #products: Products | undefined
  /** Of a search that is over, for the next one. */
  #bounds: Float32Array | undefined
  /** Searches whose sketch left too much to be compared, and how often one was made anew for that. */
  #poor = 0
  #remade = 0
  #condensing = false

  /** `later`: no sketch before `condense` is called, which makes a better one. */
  constructor(metric: Metric, dimensions: number, later = false) {
    this.#metric = metric
    this.dimensions = dimensions
    if (later) this.#sketch = null
  }

  get size(): number {
    return this.#rowOf.size
  }

  get bytes(): number {
    const sketched = ((this.#sketch?.rowBytes ?? 0) + (this.#fine?.rowBytes ?? 0)) * this.#rows
    return this.#blocks.length * BLOCK * (4 * this.dimensions + 16) + 48 * this.#rowOf.size + sketched
  }

  has(id: number): boolean {
    return this.#rowOf.has(id)
  }

  ids(): IterableIterator<number> {
    return this.#rowOf.keys()
  }

  /** The vector as it came in; a copy. */
  vector(id: number): Float32Array | undefined {
    const row = this.#rowOf.get(id)
    return row === undefined ? undefined : this.#vectorAt(row).slice()
  }

  set(id: number, vector: Float32Array): void {
    this.delete(id)
    const row = (this.#scans === 0 ? this.#free.pop() : undefined) ?? this.#rows++
    const block = this.#blockOf(row)
    const at = row % BLOCK
    block.data.set(vector, at * this.dimensions)
    block.scales[at] = inverseLength(vector, 0, this.dimensions)
    block.ids[at] = id
    this.#rowOf.set(id, row)
    this.#changed(row)
    if (this.#sketch?.set(row, vector) === false) this.#sketch = null
    if (this.#coming?.set(row, vector) === false) this.#coming = undefined
    if (this.#fine?.set(row, vector) === false) this.#fine = undefined
    if (this.#comingFine?.set(row, vector) === false) this.#comingFine = undefined
    if (this.#sketch === undefined && this.#rows >= SKETCHED.rows) this.#makeSketch()
  }

  /** With each row that comes, some of those that were there before: together they would hold others up. */
  #makeSketch(): void {
    if (this.#condensing) return
    if (this.#making === undefined || this.#making.sketch !== this.#coming) {
      const sketch =
        this.dimensions >= SKETCHED.dimensions ? Sketch.make(this.#metric, this.dimensions) : undefined
      this.#coming = sketch
      this.#making = sketch && { sketch, next: 0 }
      if (sketch === undefined) this.#sketch = null
    }
    const making = this.#making
    if (making === undefined) return
    for (let i = 0; i < MADE && making.next < this.#rows; i++, making.next++)
      if (this.#idAt(making.next) !== 0 && !making.sketch.set(making.next, this.#vectorAt(making.next))) {
        this.#sketch = null
        this.#coming = undefined
        return
      }
    if (making.next < this.#rows) return
    this.#sketch = making.sketch
    this.#coming = undefined
    this.#making = undefined
  }

  /**
   * Learns along which directions the vectors lie, and makes a sketch of their parts along these: smaller and quicker
   * to go through. `pause` is awaited between steps of a few milliseconds; searches and changes may come between.
   */
  async condense(pause: () => Promise<void>): Promise<void> {
    const { dimensions } = this
    if (dimensions < SKETCHED.dimensions || this.size < SKETCHED.rows) {
      if (this.#sketch === null) this.#sketch = undefined
      return
    }
    if (this.#condensing) return
    this.#condensing = true
    try {
      await this.#condense(pause)
    } finally {
      this.#condensing = false
      this.#coming = undefined
      this.#comingFine = undefined
    }
  }

  async #condense(pause: () => Promise<void>): Promise<void> {
    const { dimensions } = this
    const basis =
      this.#remade > 1 ? undefined : await learnBasis(this.#metric, dimensions, this.#sample(), pause)
    const coming = Sketch.make(this.#metric, dimensions, basis)
    this.#coming = coming
    this.#comingFine =
      coming === undefined || basis === undefined ? undefined : Sketch.make(this.#metric, dimensions)
    for (let row = 0; row < this.#rows && this.#coming === coming; row++) {
      if (this.#idAt(row) !== 0) {
        const vector = this.#vectorAt(row)
        if (coming?.set(row, vector) === false) return
        if (this.#comingFine?.set(row, vector) === false) this.#comingFine = undefined
      }
      if (row % CONDENSED === CONDENSED - 1) await pause()
    }
    if (this.#coming !== coming) return
    this.#sketch = coming ?? null
    this.#fine = this.#comingFine
  }

  /** Vectors from all over the matrix, one after the other. */
  #sample(): Float32Array {
    const rows = [...this.#rowOf.values()]
    const count = Math.min(SAMPLE, rows.length)
    const sample = new Float32Array(count * this.dimensions)
    for (let i = 0; i < count; i++)
      sample.set(this.#vectorAt(rows[Math.floor((i * rows.length) / count)]!), i * this.dimensions)
    return sample
  }

  /** In place. */
  #vectorAt(row: number): Float32Array {
    const from = (row % BLOCK) * this.dimensions
    return this.#blockOf(row).data.subarray(from, from + this.dimensions)
  }

  #idAt(row: number): number {
    return this.#blockOf(row).ids[row % BLOCK]!
  }

  #changed(row: number): void {
    for (const watch of this.#watches) watch.add(row)
  }

  delete(id: number): void {
    const row = this.#rowOf.get(id)
    if (row === undefined) return
    const block = this.#blockOf(row)
    const at = row % BLOCK
    block.ids[at] = 0
    // An erased vector must not linger.
    block.data.fill(0, at * this.dimensions, (at + 1) * this.dimensions)
    this.#sketch?.clear(row)
    this.#coming?.clear(row)
    this.#fine?.clear(row)
    this.#comingFine?.clear(row)
    this.#changed(row)
    this.#rowOf.delete(id)
    this.#free.push(row)
    if (this.#rowOf.size === 0 && this.#scans === 0) this.clear()
  }

  clear(): void {
    this.#blocks = []
    this.#rows = 0
    this.#rowOf.clear()
    this.#free = []
    this.#sketch = undefined
    this.#coming = undefined
    this.#fine = undefined
    this.#comingFine = undefined
    this.#bounds = undefined
  }

  #blockOf(row: number): Block {
    const index = Math.floor(row / BLOCK)
    this.#blocks[index] ??= {
      data: new Float32Array(BLOCK * this.dimensions),
      scales: new Float64Array(BLOCK),
      ids: new Float64Array(BLOCK),
    }
    return this.#blocks[index]
  }

  /**
   * The nearest `limit` rows, closest first; only those `admits` lets pass. `pause` is awaited between steps of a
   * few milliseconds; a small matrix is searched in one.
   */
  async nearest(
    query: Query,
    limit: number,
    pause: () => Promise<void>,
    admits?: (id: number) => boolean,
  ): Promise<Candidate[]> {
    // With most of them asked for, nothing can be passed over.
    if (this.#sketch && limit * 8 < this.size) {
      const found = await this.#nearestBySketch(this.#sketch, query, limit, pause, admits)
      if (found !== undefined) return found
    }
    const rowsPerStep = Math.max(64, Math.floor(STEP / this.dimensions))
    const nearest = new Nearest(limit)
    this.#scans++
    try {
      for (let row = 0; row < this.#rows; ) {
        const to = Math.min(this.#rows, row + rowsPerStep)
        this.#scan(query, nearest, row, to, admits)
        row = to
        if (row < this.#rows) await pause()
      }
    } finally {
      this.#scans--
    }
    // A row replaced meanwhile may have been seen twice, or as it was: what is there now counts.
    return this.among(query, limit, new Set(nearest.sorted().map(({ id }) => id)))
  }

  /** Undefined: it would leave too many rows to be compared. */
  async #nearestBySketch(
    sketch: Sketch,
    query: Query,
    limit: number,
    pause: () => Promise<void>,
    admits: ((id: number) => boolean) | undefined,
  ): Promise<Candidate[] | undefined> {
    const prepared = sketch.prepare(query)
    if (prepared === undefined) return undefined
    const rows = this.#rows
    const least = this.#boundsFor(rows)
    const changed = new Set<number>()
    const admitted = (row: number): boolean => {
      const id = this.#idAt(row)
      return id !== 0 && (admits === undefined || admits(id))
    }
    // Those that can be nearest of all: they will say how near the others have to be.
    const likely = new Nearest(limit)
    this.#watches.add(changed)
    this.#scans++
    try {
      const step = Math.max(1, Math.floor(SKETCH_STEP / sketch.rowBytes / SKETCH_BLOCK)) * SKETCH_BLOCK
      for (let first = 0; first < rows; first += SKETCH_BLOCK) {
        if (first > 0 && first % step === 0) await pause()
        const count = Math.min(SKETCH_BLOCK, rows - first)
        const bounds = sketch.bounds(prepared, first, count)
        least.set(bounds, first)
        for (const i of sketch.under(likely.bound, count)) {
          // Not a number: nothing is known of it.
          const distance = Number.isNaN(bounds[i]!) ? Number.NEGATIVE_INFINITY : bounds[i]!
          if (distance <= likely.bound && admitted(first + i)) likely.offer(first + i, distance)
        }
      }
    } finally {
      this.#watches.delete(changed)
      this.#scans--
    }
    // From here on nothing comes between.
    const found = this.#settle(
      sketch,
      query,
      limit,
      { least: least.subarray(0, rows), likely, changed },
      admitted,
    )
    this.#bounds = least
    if (found === undefined && admits === undefined && ++this.#poor >= PATIENCE) this.#remake(pause)
    return found
  }

  #boundsFor(rows: number): Float32Array {
    const known = this.#bounds
    this.#bounds = undefined
    return known !== undefined && known.length >= rows ? known : new Float32Array(this.#blocks.length * BLOCK)
  }

  /** Compares the rows that can be among the nearest, given the `least` that each one's distance can be. */
  #settle(
    sketch: Sketch,
    query: Query,
    limit: number,
    { least, likely, changed }: { least: Float32Array; likely: Nearest; changed: ReadonlySet<number> },
    admitted: (row: number) => boolean,
  ): Candidate[] | undefined {
    const nearest = new Nearest(limit)
    const compare = (row: number) => {
      least[row] = Number.POSITIVE_INFINITY
      if (admitted(row)) this.#scan(query, nearest, row, row + 1)
    }
    for (const row of changed) compare(row)
    for (const { id: row } of likely.sorted()) if (least[row] !== Number.POSITIVE_INFINITY) compare(row)
    const fine = this.#fine
    const finely = fine?.prepare(query)
    const compareSome =
      fine !== undefined && finely !== undefined
        ? (rows: number[]) => this.#compareFinely(fine, finely, query, nearest, rows, admitted)
        : (rows: number[]) => this.#compare(query, nearest, rows, admitted)
    // Free rows say nothing, and are few.
    const most = LEFT + this.#free.length
    let left = 0
    const some: number[] = []
    for (let first = 0; first < least.length; first += SKETCH_BLOCK) {
      for (const i of sketch.underOf(least.subarray(first, first + SKETCH_BLOCK), nearest.bound)) {
        if (++left > most) return undefined
        if (some.push(first + i) === TOGETHER) compareSome(some)
      }
    }
    compareSome(some)
    return nearest.sorted()
  }

  /** Compares these rows, `TOGETHER` at most, exactly where all their numbers, a byte each, say that they can be nearest. */
  #compareFinely(
    fine: Sketch,
    prepared: PreparedQuery,
    query: Query,
    nearest: Nearest,
    rows: number[],
    admitted: (row: number) => boolean,
  ): void {
    fine.boundsOf(prepared, rows, finer)
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i]!
      // Not a number: nothing is known of it.
      if (!(finer[i]! > nearest.bound) && admitted(row)) this.#scan(query, nearest, row, row + 1)
    }
    rows.length = 0
  }

  /** Compares these rows, `TOGETHER` at most, exactly where their product with the query says that they can be nearest. */
  #compare(query: Query, nearest: Nearest, rows: number[], admitted: (row: number) => boolean): void {
    this.#products ??= new Products(TOGETHER, this.dimensions)
    const products = this.#products
    for (const [i, row] of rows.entries()) products.set(i, this.#vectorAt(row))
    const known = products.times(query.vector, rows.length)
    const length = query.scale === 0 ? 0 : 1 / query.scale
    for (const [i, row] of rows.entries()) {
      const least = this.#leastOf(query, length, row, known[i]!, products.rounding)
      // Not a number: what was multiplied is beyond 32 bits.
      if (!(least > nearest.bound) && admitted(row)) this.#scan(query, nearest, row, row + 1)
    }
    rows.length = 0
  }

  /** The least the distance of a row can be, given a product that was rounded. `length` is the query's. */
  #leastOf(query: Query, length: number, row: number, product: number, rounding: number): number {
    const scale = this.#blockOf(row).scales[row % BLOCK]!
    const size = scale === 0 ? 0 : 1 / scale
    const slack = rounding * length * size + ROUNDED.tiny
    if (!Number.isFinite(product)) return Number.NaN
    if (query.metric === 'l2') {
      const squares = length * length + size * size
      return squares * (1 - ROUNDED.part) - 2 * (product + slack)
    }
    if (query.metric === 'ip') return 1 - product - slack - ROUNDED.part * (1 + Math.abs(product))
    return 1 - (product + slack) * query.scale * scale - ROUNDED.part
  }

  /** Others vectors came since than those a sketch was made for, or others are looked for. */
  #remake(pause: () => Promise<void>): void {
    this.#poor = 0
    if (this.#remade++ > 1) return
    // Nobody waits for this: should it fail, the sketch that is there goes on.
    this.condense(pause).catch(() => {})
  }

  /** Compares these rows alone. */
  among(query: Query, limit: number, ids: Iterable<number>): Candidate[] {
    const nearest = new Nearest(limit)
    for (const id of ids) {
      const row = this.#rowOf.get(id)
      if (row !== undefined) this.#scan(query, nearest, row, row + 1)
    }
    return nearest.sorted()
  }

  #scan(query: Query, nearest: Nearest, from: number, to: number, admits?: (id: number) => boolean): void {
    let { bound } = nearest
    for (let row = from; row < to; ) {
      const { data, scales, ids } = this.#blocks[Math.floor(row / BLOCK)]!
      const first = row % BLOCK
      const end = Math.min(first + to - row, BLOCK)
      distancesOf(query, data, scales, first, end, distances)
      for (let at = first; at < end; at++) {
        const distance = distances[at]!
        const id = ids[at]!
        if (distance > bound || id === 0 || (admits !== undefined && !admits(id))) continue
        nearest.offer(id, distance)
        bound = nearest.bound
      }
      row += end - first
    }
  }
}
