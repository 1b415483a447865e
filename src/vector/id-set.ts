/** Ids farther apart than this would take too many bits. */
const WIDTH = 2 ** 27

/** Whether an id is one of many, found out without hashing: a bit for each id between the least and the greatest. */
export function idSet(ids: readonly number[]): (id: number) => boolean {
  let least = Number.POSITIVE_INFINITY
  let greatest = 0
  for (const id of ids) {
    if (id < least) least = id
    if (id > greatest) greatest = id
  }
  if (ids.length === 0) return () => false
  if (greatest - least > WIDTH) {
    const set = new Set(ids)
    return (id) => set.has(id)
  }
  const bits = new Uint8Array((greatest - least + 8) >> 3)
  for (const id of ids) bits[(id - least) >> 3]! |= 1 << ((id - least) & 7)
  return (id) => id >= least && id <= greatest && (bits[(id - least) >> 3]! & (1 << ((id - least) & 7))) !== 0
}
