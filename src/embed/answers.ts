import { count, failed } from './failure.ts'

/**
 * Holds an embedder to its contract: as many vectors as texts, finite numbers, one dimension for good. Where the
 * dimension was not given, the first answer decides it.
 */
export class Answers {
  readonly id: string
  #dimensions: number

  constructor(id: string, dimensions: number | undefined) {
    this.id = id
    this.#dimensions = count('dimensions', dimensions, 0, 1)
  }

  /** 0 before the first answer, where it was not given. */
  get dimensions(): number {
    return this.#dimensions
  }

  /** The vectors as float32; throws EMBEDDER_FAILED where they break the contract. */
  accept(vectors: unknown, texts: number): Float32Array[] {
    if (!Array.isArray(vectors))
      throw failed(
        this.id,
        `answered ${vectors === null ? 'null' : typeof vectors} instead of a list of vectors`,
      )
    if (vectors.length !== texts)
      throw failed(
        this.id,
        `answered ${vectors.length} vectors for ${texts} texts; nothing tells which is whose`,
      )
    const accepted = vectors.map((vector) => this.#vector(vector))
    const dimensions = this.#dimensions || accepted[0]?.length || 0
    for (const { length } of accepted)
      if (length !== dimensions)
        throw failed(
          this.id,
          `answered a vector of ${length} numbers where ${dimensions} were expected: another model than before, or \`dimensions\` is wrong for it`,
        )
    this.#dimensions = dimensions
    return accepted
  }

  #vector(vector: unknown): Float32Array {
    const numbers: ArrayLike<unknown> = Array.isArray(vector) || isNumbers(vector) ? vector : []
    if (numbers.length === 0)
      throw failed(this.id, 'answered something that is not a vector, or an empty one')
    const accepted = new Float32Array(numbers.length)
    for (let i = 0; i < numbers.length; i++) {
      const number = numbers[i]
      accepted[i] = typeof number === 'number' ? number : Number.NaN
      if (!Number.isFinite(accepted[i]))
        throw failed(
          this.id,
          `answered a vector whose number ${i} is ${show(number)}, which is not finite in float32`,
        )
    }
    return accepted
  }
}

const isNumbers = (value: unknown): value is Float32Array | Float64Array =>
  value instanceof Float32Array || value instanceof Float64Array

const show = (value: unknown) =>
  typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? typeof value)
