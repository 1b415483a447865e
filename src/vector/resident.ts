import type { Metric } from '../core/model.ts'
import { distancesOf, inverseLength, type Query } from './metric.ts'
import { type Candidate, Nearest } from './nearest.ts'
import { SKETCH_GROUP, Sketch } from './sketch.ts'

/** Rows of one block. A block is allocated whole, so that growing never copies what is there. */
const BLOCK = 1024

/** Multiplications of one step of a scan: a few milliseconds. */
const STEP = 1 << 21

/** Rows from which a sketch is kept, and dimensions: below, comparing everything is as quick. */
const SKETCHED = { rows: 2_048, dimensions: 16 }

/** Rows of a sketch gone through in one step: a few milliseconds. */
const SKETCH_STEP = 131_072

/** Of the group being looked at in a sketch. */
const low = new Float64Array(SKETCH_GROUP)
const high = new Float64Array(SKETCH_GROUP)

/** Of the block being scanned. */
const distances = new Float64Array(BLOCK)

interface Block {
  readonly data: Float32Array
  /** Inverse lengths, for cosine. */
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
  /** Counts changes: a scan that was interrupted by one has to look at everything. */
  #changes = 0

  constructor(metric: Metric, dimensions: number) {
    this.#metric = metric
    this.dimensions = dimensions
  }

  get size(): number {
    return this.#rowOf.size
  }

  get bytes(): number {
    const sketched = this.#sketch ? this.dimensions + 24 : 0
    return this.#blocks.length * BLOCK * (4 * this.dimensions + 16) + (48 + sketched) * this.#rowOf.size
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
    if (row === undefined) return undefined
    const from = (row % BLOCK) * this.dimensions
    return this.#blocks[Math.floor(row / BLOCK)]!.data.slice(from, from + this.dimensions)
  }

  set(id: number, vector: Float32Array): void {
    this.delete(id)
    const row = (this.#scans === 0 ? this.#free.pop() : undefined) ?? this.#rows++
    const block = this.#blockOf(row)
    const at = row % BLOCK
    block.data.set(vector, at * this.dimensions)
    if (this.#metric === 'cosine') block.scales[at] = inverseLength(vector, 0, this.dimensions)
    block.ids[at] = id
    this.#rowOf.set(id, row)
    this.#changes++
    if (this.#sketch) {
      if (!this.#sketch.set(row, vector)) this.#sketch = null
    } else if (this.#sketch === undefined && this.#rows >= SKETCHED.rows) this.#makeSketch()
  }

  #makeSketch(): void {
    this.#sketch = (this.dimensions >= SKETCHED.dimensions ? Sketch.make(this.dimensions) : undefined) ?? null
    for (const row of this.#rowOf.values()) {
      const from = (row % BLOCK) * this.dimensions
      const vector = this.#blockOf(row).data.subarray(from, from + this.dimensions)
      if (this.#sketch?.set(row, vector) === false) this.#sketch = null
    }
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
    this.#changes++
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

  /** Undefined: a row changed between two steps, so that the ranges seen do not belong together. */
  async #nearestBySketch(
    sketch: Sketch,
    query: Query,
    limit: number,
    pause: () => Promise<void>,
    admits: ((id: number) => boolean) | undefined,
  ): Promise<Candidate[] | undefined> {
    const prepared = sketch.prepare(query)
    const changes = this.#changes
    /** The least distance within which there are `limit` rows for certain. */
    const surely = new Nearest(limit)
    const ids: number[] = []
    const least: number[] = []
    let { bound } = surely
    for (let row = 0; row < this.#rows; ) {
      const count = Math.min(SKETCH_GROUP, this.#rows - row)
      sketch.ranges(prepared, row, count, low, high)
      for (let i = 0; i < count; i++) {
        if (low[i]! > bound) continue
        const at = row + i
        const id = this.#blocks[Math.floor(at / BLOCK)]!.ids[at % BLOCK]!
        if (id === 0 || (admits !== undefined && !admits(id))) continue
        surely.offer(id, high[i]!)
        bound = surely.bound
        ids.push(id)
        least.push(low[i]!)
      }
      row += count
      if (row % SKETCH_STEP === 0 && row < this.#rows) {
        await pause()
        if (this.#changes !== changes) return undefined
      }
    }
    return this.among(
      query,
      limit,
      ids.filter((_, i) => least[i]! <= bound),
    )
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
