import type { Metric } from '../core/model.ts'
import { type Loops, loopsOver, type SharedMemory } from './dots.ts'
import type { Query } from './metric.ts'

/** A page of WebAssembly's memory. */
const PAGE = 65_536

/** Rows that stand together, first their bytes, then what is known of each. A multiple of 4. */
export const SKETCH_BLOCK = 1_024

/** The largest an 8-bit and a 16-bit number are made. */
const BYTE = 127
const SHORT = 32_767

/** What a row has beside its bytes: four 32-bit floats. */
const SIDE = 16

/**
 * What rounding may do to a product, as a part of both lengths: of 32-bit floats alone, and of a projection, whose
 * sums are of 32-bit floats as well.
 */
const ROUNDING = { plain: 4e-6, projected: 1e-4 }

/** Whether 32 bits can hold the square of a vector's length, and tell its numbers apart. Others are compared exactly. */
const isOrdinary = (square: number): boolean => square === 0 || (square > 1e-60 && square < 1e37)

/** What 32 bits cannot tell from nothing. */
const TINY = 1e-36

/** Directions at right angles to each other, each of length 1, one after the other. */
export interface Basis {
  readonly count: number
  readonly directions: Float32Array
}

/**
 * Vectors in a byte a number, beside the exact ones, and how far each is from what it stands for. What they say of a
 * distance is the least it can be, so that only rows that can be among the nearest have to be compared exactly: the
 * answer is the exact one, for a fraction of the memory to go through and a few rows in full.
 *
 * With a basis, a row's numbers are its parts along those directions, and all the rest of it is known by its length
 * alone: where most of every vector lies along few directions, few numbers a row tell nearly everything apart.
 */
export class Sketch {
  readonly #metric: Metric
  /** Numbers of a vector, filled up to a multiple of 16. */
  readonly #padded: number
  readonly #basis: Basis | undefined
  /** Numbers of a row, filled up to a multiple of 16. */
  readonly #width: number
  readonly #memory: SharedMemory
  readonly #loops: Loops
  /** Addresses: the query, bounds, rows under a threshold, a vector to project, its parts, the basis, blocks of rows. */
  readonly #at: {
    query: number
    out: number
    found: number
    vector: number
    parts: number
    basis: number
    rows: number
  }
  #bytes: Int8Array
  #floats: Float32Array

  private constructor(metric: Metric, dimensions: number, basis: Basis | undefined) {
    this.#metric = metric
    this.#basis = basis
    this.#padded = sixteens(dimensions)
    this.#width = sixteens(basis?.count ?? dimensions)
    const out = 2 * this.#width
    const found = out + 4 * SKETCH_BLOCK
    const vector = found + 4 * (SKETCH_BLOCK + 4)
    const parts = vector + 4 * this.#padded
    const matrix = parts + 4 * this.#width
    const rows = matrix + (basis === undefined ? 0 : 4 * this.#padded * basis.count)
    this.#at = { query: 0, out, found, vector, parts, basis: matrix, rows: Math.ceil(rows / 64) * 64 }
    const { memory, loops } = loopsOver(Math.ceil(this.#at.rows / PAGE))
    this.#memory = memory
    this.#loops = loops
    this.#bytes = new Int8Array(memory.buffer)
    this.#floats = new Float32Array(memory.buffer)
    for (let i = 0; i < (basis?.count ?? 0); i++)
      this.#floats.set(
        basis!.directions.subarray(i * dimensions, (i + 1) * dimensions),
        matrix / 4 + i * this.#padded,
      )
  }

  /** Undefined where this engine cannot: everything works without, only slower. */
  static make(metric: Metric, dimensions: number, basis?: Basis): Sketch | undefined {
    try {
      return new Sketch(metric, dimensions, basis)
    } catch {
      return undefined
    }
  }

  /** Bytes of memory a row takes. */
  get rowBytes(): number {
    return this.#width + SIDE
  }

  /** Where the bytes of a row begin. */
  #rowAt(row: number): number {
    const block = Math.floor(row / SKETCH_BLOCK)
    return this.#at.rows + block * SKETCH_BLOCK * this.rowBytes + (row % SKETCH_BLOCK) * this.#width
  }

  /** Where its scale stands among floats; four further is its size, then its rest, its error. */
  #sideAt(row: number): number {
    const block = Math.floor(row / SKETCH_BLOCK)
    const inside = row % SKETCH_BLOCK
    const base = this.#at.rows + block * SKETCH_BLOCK * this.rowBytes + SKETCH_BLOCK * this.#width
    return (base + (inside >> 2) * 4 * SIDE) / 4 + (inside & 3)
  }

  /** False where memory ended: the sketch is of no use then. */
  set(row: number, vector: Float32Array): boolean {
    if (!this.#reserve(row)) return false
    const numbers = this.#partsOf(vector)
    const count = this.#basis?.count ?? vector.length
    let square = 0
    for (let i = 0; i < vector.length; i++) square += vector[i]! * vector[i]!
    let most = 0
    let told = 0
    for (let i = 0; i < count; i++) {
      const value = numbers[i]!
      told += value * value
      if (value > most) most = value
      else if (-value > most) most = -value
    }
    const scale = most / BYTE
    const inverse = most === 0 ? 0 : BYTE / most
    const from = this.#rowAt(row)
    const bytes = this.#bytes
    let error = 0
    for (let i = 0; i < count; i++) {
      const value = numbers[i]!
      const byte = Math.round(value * inverse)
      bytes[from + i] = byte
      const left = value - byte * scale
      error += left * left
    }
    const length = Math.sqrt(square)
    const side = this.#sideAt(row)
    if (!isOrdinary(square)) {
      // The least distance to it shall come out as less than anything.
      bytes.fill(0, from, from + this.#width)
      this.#describe(side, 0, 0, Number.POSITIVE_INFINITY, 0)
      return true
    }
    const rest = this.#restOf(square, told)
    if (this.#metric === 'l2') this.#describe(side, scale, square, rest, Math.sqrt(error))
    else if (this.#metric === 'ip') this.#describe(side, scale, length, rest, Math.sqrt(error))
    else {
      const unit = length === 0 ? 0 : 1 / length
      this.#describe(side, scale * unit, length === 0 ? 0 : 1, rest * unit, Math.sqrt(error) * unit)
    }
    return true
  }

  clear(row: number): void {
    const from = this.#rowAt(row)
    this.#bytes.fill(0, from, from + this.#width)
    this.#describe(this.#sideAt(row), 0, 0, 0, 0)
  }

  #describe(side: number, scale: number, size: number, rest: number, error: number): void {
    const floats = this.#floats
    floats[side] = scale
    floats[side + 4] = size
    floats[side + 8] = rest
    floats[side + 12] = error
  }

  /** The numbers a vector is told by. Valid until the next call. */
  #partsOf(vector: Float32Array): Float32Array {
    const basis = this.#basis
    if (basis === undefined) return vector
    const { vector: at, parts } = this.#at
    this.#floats.set(vector, at / 4)
    this.#loops.project(at, this.#at.basis, basis.count, 4 * this.#padded, parts)
    return this.#floats.subarray(parts / 4, parts / 4 + basis.count)
  }

  /** Length of what is not told, or a little more: `square` is that of the whole, `told` that of the parts. */
  #restOf(square: number, told: number): number {
    return this.#basis === undefined ? 0 : Math.sqrt(Math.max(0, square - told) + ROUNDING.projected * square)
  }

  #reserve(row: number): boolean {
    const blocks = Math.floor(row / SKETCH_BLOCK) + 1
    const needed = this.#at.rows + blocks * SKETCH_BLOCK * this.rowBytes - this.#memory.buffer.byteLength
    if (needed <= 0) return true
    try {
      // An eighth more than asked for: growing may copy everything.
      this.#memory.grow(Math.ceil(needed / PAGE) + (this.#memory.buffer.byteLength >> 19))
    } catch {
      return false
    }
    this.#bytes = new Int8Array(this.#memory.buffer)
    this.#floats = new Float32Array(this.#memory.buffer)
    return true
  }

  /** Prepares a query for `bounds`. Undefined: its numbers are too large or too small for 32 bits. */
  prepare(query: Query): PreparedQuery | undefined {
    let square = 0
    for (const value of query.vector) square += value * value
    if (!isOrdinary(square)) return undefined
    const parts = this.#partsOf(query.vector)
    let most = 0
    let told = 0
    for (const value of parts) {
      most = Math.max(most, Math.abs(value))
      told += value * value
    }
    // All products together have 32 bits.
    const top = Math.min(SHORT, Math.floor(2 ** 31 / (BYTE * (this.#width + 1))))
    const scale = most / top
    const numbers = new Int16Array(this.#width)
    let error = 0
    for (let i = 0; i < parts.length; i++) {
      numbers[i] = scale === 0 ? 0 : Math.round(parts[i]! / scale)
      error += (parts[i]! - numbers[i]! * scale) ** 2
    }
    const length = Math.sqrt(square)
    const rest = this.#restOf(square, told)
    // |q·x − q̂·x̂| ≤ |q's parts|·|x's error| + |q's rest|·|x's rest| + loose·|x|, where |x̂| ≤ 2|x|.
    const rounding = this.#basis === undefined ? ROUNDING.plain : ROUNDING.projected
    const loose = 2 * Math.sqrt(error) + rounding * length
    const [along, across] = [Math.sqrt(told), rest]
    if (this.#metric === 'l2')
      // 2·loose·|x| ≤ loose·(|q| + |x|²/|q|), whatever |x| is.
      return {
        numbers,
        constant: square * (1 - rounding) - loose * length - TINY,
        size: 1 - rounding - (length === 0 ? 0 : loose / length),
        scale: 2 * scale,
        rest: 2 * across,
        error: 2 * along,
      }
    const unit = this.#metric === 'cosine' ? query.scale : 1
    return {
      numbers,
      constant: 1 - 1e-6,
      size: -loose * unit,
      scale: scale * unit,
      rest: across * unit,
      error: along * unit,
    }
  }

  /**
   * The least the distances of `count` rows from `first` on can be. `first` is the first of a block, `count` at most
   * a block. Valid until the next call.
   */
  bounds(prepared: PreparedQuery, first: number, count: number): Float32Array {
    const { numbers, constant, size, scale, rest, error } = prepared
    const { query, out } = this.#at
    new Int16Array(this.#memory.buffer, query, numbers.length).set(numbers)
    const side = 4 * this.#sideAt(first)
    const fours = 4 * Math.ceil(count / 4)
    const rows = this.#rowAt(first)
    this.#loops.bounds(query, rows, side, fours, this.#width, out, constant, size, scale, rest, error)
    return this.#floats.subarray(out / 4, out / 4 + count)
  }

  /** As `bounds`, of rows from anywhere, a block at most, into `out`. */
  boundsOf(prepared: PreparedQuery, rows: readonly number[], out: Float64Array): void {
    const { numbers, constant, size, scale, rest, error } = prepared
    const { query, found, out: products } = this.#at
    const { buffer } = this.#memory
    new Int16Array(buffer, query, numbers.length).set(numbers)
    // Filled up to a multiple of four with the last one.
    const fours = 4 * Math.ceil(rows.length / 4)
    const list = new Uint32Array(buffer, found, fours)
    for (let i = 0; i < fours; i++) list[i] = this.#rowAt(rows[Math.min(i, rows.length - 1)]!)
    this.#loops.some(query, found, fours, this.#width, products)
    const floats = this.#floats
    for (let i = 0; i < rows.length; i++) {
      const side = this.#sideAt(rows[i]!)
      out[i] =
        constant +
        size * floats[side + 4]! -
        scale * floats[side]! * floats[products / 4 + i]! -
        rest * floats[side + 8]! -
        error * floats[side + 12]!
    }
  }

  /**
   * Which of the bounds that `bounds` has just worked out for `count` rows are not above a threshold: their numbers,
   * counted from the first. Valid until the next call.
   */
  under(threshold: number, count: number): Uint32Array {
    const { out, found } = this.#at
    // Filled up to a multiple of four with what is above any threshold.
    const end = 4 * Math.ceil(count / 4)
    this.#floats.fill(Number.POSITIVE_INFINITY, out / 4 + count, out / 4 + end)
    const most = this.#loops.under(out, end, found, ceiling(threshold))
    return new Uint32Array(this.#memory.buffer, found, most)
  }

  /** As `under`, of bounds that were worked out earlier, a block at most. */
  underOf(bounds: Float32Array, threshold: number): Uint32Array {
    this.#floats.set(bounds, this.#at.out / 4)
    return this.under(threshold, bounds.length)
  }
}

/** As a 32-bit float that is not less, and not infinite. */
const ceiling = (value: number): number =>
  Math.min(3.4e38, Math.fround(value + Math.abs(value) * 2 ** -22 + TINY))

const sixteens = (count: number): number => 16 * Math.ceil(count / 16)

export interface PreparedQuery {
  readonly numbers: Int16Array
  readonly constant: number
  readonly size: number
  readonly scale: number
  readonly rest: number
  readonly error: number
}
