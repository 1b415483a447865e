/**
 * How many rows to take at once so that a step lasts about as long as it may: rows may be short or long, machines fast
 * or busy.
 */
export class Pace {
  readonly #milliseconds: number
  readonly #most: number
  readonly #least: number
  #size: number

  /**
   * Begins with so many rows; a step may last so many milliseconds, and never takes more than `most` rows, nor fewer than
   * `least`: rows that may hold very much need a small one. Rows may become dearer from one step to the next, so `most`
   * should not last very long either.
   */
  constructor(first: number, milliseconds: number, most: number, least = LEAST) {
    this.#size = first
    this.#milliseconds = milliseconds
    this.#most = most
    this.#least = least
  }

  /** For a step that is more than one call: rows to take now. `took` says how long they kept others waiting. */
  get size(): number {
    return this.#size
  }

  /** After a step of `size` rows. One that was held up by others must not make all that follow tiny at once. */
  took(milliseconds: number): void {
    const change = this.#milliseconds / Math.max(milliseconds, 0.01)
    this.#size = Math.max(
      this.#least,
      Math.min(this.#most, Math.round(this.#size * Math.min(2, Math.max(0.7, change)))),
    )
  }

  /** Does one step and notes how long it took. */
  step<T>(work: (size: number) => T): T {
    const started = performance.now()
    const result = work(this.#size)
    this.took(performance.now() - started)
    return result
  }
}

/** Fewer rows at once cost more in turns than they save. */
const LEAST = 64
