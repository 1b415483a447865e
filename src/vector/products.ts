import { type Loops, loopsOver } from './dots.ts'

/** Inner products of vectors with the rows of a matrix, in 32-bit floats. */
export class Products {
  readonly #count: number
  readonly #width: number
  readonly #bytes: number
  readonly #loops: Loops
  readonly #floats: Float32Array
  readonly #matrix: number
  readonly #out: number

  /** @throws where this engine has no WebAssembly with SIMD */
  constructor(count: number, width: number) {
    this.#count = count
    this.#width = width
    this.#bytes = 64 * Math.ceil(width / 16)
    this.#matrix = this.#bytes
    this.#out = this.#matrix + count * this.#bytes
    const { memory, loops } = loopsOver(Math.ceil((this.#out + 4 * count) / 65_536))
    this.#loops = loops
    this.#floats = new Float32Array(memory.buffer)
  }

  /** All rows, one after the other. */
  take(matrix: Float32Array): void {
    for (let i = 0; i < this.#count; i++) this.set(i, matrix.subarray(i * this.#width, (i + 1) * this.#width))
  }

  set(row: number, vector: Float32Array): void {
    this.#floats.set(vector, (this.#matrix + row * this.#bytes) / 4)
  }

  /** With the first `rows` rows. Valid until the next call. */
  times(vector: Float32Array, rows = this.#count): Float32Array {
    this.#floats.set(vector)
    this.#loops.project(0, this.#matrix, rows, this.#bytes, this.#out)
    return this.#floats.subarray(this.#out / 4, this.#out / 4 + rows)
  }

  /**
   * What rounding may do to a product, as a part of both lengths: sixteen sums of every sixteenth number, and then all
   * of them together, each step rounded to 24 bits.
   */
  get rounding(): number {
    return (this.#bytes / 64 + 8) * 2 ** -23
  }
}
