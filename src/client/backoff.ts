const FIRST = 100
const LONGEST = 5000

/** How long to wait before the next attempt to reach a server: doubling, up to 5 s, each time a random part of it. */
export class Backoff {
  #failures = 0

  /** Milliseconds. */
  next(): number {
    const most = Math.min(FIRST * 2 ** this.#failures++, LONGEST)
    // At least half, so that it grows; the rest at random, so that many do not come back at once.
    return most * (0.5 + Math.random() / 2)
  }

  /** It went well. */
  reset(): void {
    this.#failures = 0
  }
}
