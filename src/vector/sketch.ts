import { type Dots, dotsMemory, type SharedMemory } from './dots.ts'
import type { Query } from './metric.ts'

/** A page of WebAssembly's memory. */
const PAGE = 65_536

/** Rows compared in one call. */
const GROUP = 4_096

/** The largest an 8-bit and a 16-bit number are made. */
const BYTE = 127
const SHORT = 32_767

/**
 * Vectors in a byte a number, beside the exact ones, and how far each is from what it stands for. What they say of a
 * distance is a range that holds the true one, so that only rows whose range reaches among the nearest have to be
 * compared exactly: the answer is the exact one, for a quarter of the memory to go through and a few rows in full.
 */
export class Sketch {
  /** Numbers of a row, filled up to a multiple of 16. */
  readonly #width: number
  readonly #memory: SharedMemory
  readonly #dots: Dots
  /** Where rows begin, after the query and the products. */
  readonly #base: number
  readonly #query: number
  readonly #out: number
  #bytes: Int8Array
  #scale: Float64Array
  /** Length of the vector, and of what the bytes leave out. */
  #length: Float64Array
  #rest: Float64Array

  private constructor(dimensions: number) {
    this.#width = Math.ceil(dimensions / 16) * 16
    this.#query = 0
    this.#out = 2 * this.#width
    this.#base = Math.ceil((this.#out + 4 * GROUP) / 16) * 16
    const { memory, dots } = dotsMemory(Math.ceil(this.#base / PAGE))
    this.#memory = memory
    this.#dots = dots
    this.#bytes = new Int8Array(this.#memory.buffer)
    this.#scale = new Float64Array(0)
    this.#length = new Float64Array(0)
    this.#rest = new Float64Array(0)
  }

  /** Undefined where this engine cannot: everything works without, only slower. */
  static make(dimensions: number): Sketch | undefined {
    try {
      return new Sketch(dimensions)
    } catch {
      return undefined
    }
  }

  /** False where memory ended: the sketch is of no use then. */
  set(row: number, vector: Float32Array): boolean {
    if (!this.#reserve(row + 1)) return false
    let most = 0
    for (let i = 0; i < vector.length; i++) most = Math.max(most, Math.abs(vector[i]!))
    const scale = most / BYTE
    const inverse = most === 0 ? 0 : BYTE / most
    const from = this.#base + row * this.#width
    let length = 0
    let rest = 0
    for (let i = 0; i < vector.length; i++) {
      const value = vector[i]!
      const byte = Math.round(value * inverse)
      this.#bytes[from + i] = byte
      const left = value - byte * scale
      length += value * value
      rest += left * left
    }
    this.#scale[row] = scale
    this.#length[row] = Math.sqrt(length)
    this.#rest[row] = Math.sqrt(rest)
    return true
  }

  clear(row: number): void {
    const from = this.#base + row * this.#width
    this.#bytes.fill(0, from, from + this.#width)
  }

  #reserve(rows: number): boolean {
    if (rows > this.#scale.length) {
      const size = Math.max(GROUP, 2 ** Math.ceil(Math.log2(rows)))
      const grown = (old: Float64Array) => {
        const larger = new Float64Array(size)
        larger.set(old)
        return larger
      }
      this.#scale = grown(this.#scale)
      this.#length = grown(this.#length)
      this.#rest = grown(this.#rest)
    }
    const needed = this.#base + rows * this.#width - this.#memory.buffer.byteLength
    if (needed > 0) {
      try {
        // An eighth more than asked for: growing may copy everything.
        const pages = Math.ceil(needed / PAGE) + (this.#memory.buffer.byteLength >> 19)
        this.#memory.grow(pages)
      } catch {
        return false
      }
      this.#bytes = new Int8Array(this.#memory.buffer)
    }
    return true
  }

  /** Prepares a query for `ranges`. */
  prepare(query: Query): PreparedQuery {
    const { vector } = query
    let most = 0
    let length = 0
    for (const value of vector) {
      most = Math.max(most, Math.abs(value))
      length += value * value
    }
    // All products together have 32 bits.
    const top = Math.min(SHORT, Math.floor(2 ** 31 / (BYTE * (this.#width + 1))))
    const scale = most === 0 ? 0 : most / top
    const numbers = new Int16Array(this.#width)
    let rest = 0
    for (let i = 0; i < vector.length; i++) {
      numbers[i] = scale === 0 ? 0 : Math.round(vector[i]! / scale)
      rest += (vector[i]! - numbers[i]! * scale) ** 2
    }
    return { query, numbers, scale, length: Math.sqrt(length), rest: Math.sqrt(rest) }
  }

  /** The least and the most the distances of `count` rows from `first` on can be; at most `GROUP` rows. */
  ranges(prepared: PreparedQuery, first: number, count: number, low: Float64Array, high: Float64Array): void {
    const { query, numbers, scale, length, rest } = prepared
    new Int16Array(this.#memory.buffer, this.#query, this.#width).set(numbers)
    this.#dots(this.#query, this.#base + first * this.#width, count, this.#width, this.#out)
    const products = new Int32Array(this.#memory.buffer, this.#out, count)
    const { metric } = query
    const square = length * length
    for (let i = 0; i < count; i++) {
      const row = first + i
      const size = this.#length[row]!
      const product = products[i]! * scale * this.#scale[row]!
      const left = this.#rest[row]!
      // |q·x − q̂·x̂| ≤ |q|·|x − x̂| + |q − q̂|·|x̂|, and a little for rounding in the last place.
      const error = length * left + rest * (size + left) + 1e-9 * length * size
      if (metric === 'l2') {
        const middle = square + size * size - 2 * product
        const slack = 2 * error + 1e-9 * (square + size * size)
        low[i] = middle - slack
        high[i] = middle + slack
      } else if (metric === 'ip') {
        low[i] = 1 - product - error
        high[i] = 1 - product + error
      } else {
        const inverse = size === 0 ? 0 : query.scale / size
        low[i] = Math.max(0, 1 - (product + error) * inverse) - 1e-9
        high[i] = Math.max(0, 1 - (product - error) * inverse) + 1e-9
      }
    }
  }
}

export const SKETCH_GROUP = GROUP

export interface PreparedQuery {
  readonly query: Query
  readonly numbers: Int16Array
  readonly scale: number
  readonly length: number
  readonly rest: number
}
