/** A span's integer id and its distance. */
export interface Candidate {
  readonly id: number
  readonly distance: number
}

/** Closer first; among equals the older span, so that the order never depends on where a vector is kept. */
export const closer = (a: Candidate, b: Candidate): number => a.distance - b.distance || a.id - b.id

/** Keeps the nearest `limit` of what it is offered. */
export class Nearest {
  readonly #limit: number
  /** A heap with the farthest on top. */
  readonly #ids: number[] = []
  readonly #distances: number[] = []

  constructor(limit: number) {
    this.#limit = limit
  }

  /** Anything farther need not be offered. */
  get bound(): number {
    return this.#ids.length < this.#limit ? Number.POSITIVE_INFINITY : (this.#distances[0] ?? -1)
  }

  offer(id: number, distance: number): void {
    const ids = this.#ids
    const distances = this.#distances
    if (ids.length < this.#limit) {
      let at = ids.length
      ids.push(id)
      distances.push(distance)
      while (at > 0) {
        const parent = (at - 1) >> 1
        if (!this.#farther(at, parent)) break
        this.#swap(at, parent)
        at = parent
      }
      return
    }
    if (this.#limit === 0 || distance > distances[0]! || (distance === distances[0] && id > ids[0]!)) return
    ids[0] = id
    distances[0] = distance
    for (let at = 0; ; ) {
      const left = 2 * at + 1
      const right = left + 1
      let top = at
      if (left < ids.length && this.#farther(left, top)) top = left
      if (right < ids.length && this.#farther(right, top)) top = right
      if (top === at) return
      this.#swap(at, top)
      at = top
    }
  }

  #farther(a: number, b: number): boolean {
    const difference = this.#distances[a]! - this.#distances[b]!
    return difference > 0 || (difference === 0 && this.#ids[a]! > this.#ids[b]!)
  }

  #swap(a: number, b: number): void {
    const [ids, distances] = [this.#ids, this.#distances]
    const [id, distance] = [ids[a]!, distances[a]!]
    ids[a] = ids[b]!
    distances[a] = distances[b]!
    ids[b] = id
    distances[b] = distance
  }

  /** Closest first. */
  sorted(): Candidate[] {
    return this.#ids.map((id, i) => ({ id, distance: this.#distances[i]! })).sort(closer)
  }
}
