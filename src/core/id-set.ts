/** Bits of one page. */
const PAGE = 2 ** 15

/** Whole numbers from 0 on, close to each other. Growing never copies what is there, as it does with large sets. */
export class IdSet {
  readonly #pages = new Map<number, Uint8Array>()

  /** False: it was there before. */
  add(id: number): boolean {
    const at = Math.floor(id / PAGE)
    let page = this.#pages.get(at)
    if (page === undefined) {
      page = new Uint8Array(PAGE / 8)
      this.#pages.set(at, page)
    }
    const bit = id % PAGE
    const mask = 1 << (bit & 7)
    if ((page[bit >> 3]! & mask) !== 0) return false
    page[bit >> 3]! |= mask
    return true
  }

  has(id: number): boolean {
    const bit = id % PAGE
    const page = this.#pages.get(Math.floor(id / PAGE))
    return page !== undefined && (page[bit >> 3]! & (1 << (bit & 7))) !== 0
  }
}
