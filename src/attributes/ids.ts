/** Ascending ids as differences, seven bits a byte: ids minted together take a byte each. */
export function packIds(ids: readonly number[]): Buffer {
  const bytes: number[] = []
  let last = 0
  for (const id of ids) {
    let rest = id - last
    // Ids may be larger than what shifts can work on.
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80)
    bytes.push(rest)
    last = id
  }
  return Buffer.from(bytes)
}

export function unpackIds(packed: Uint8Array): number[] {
  const ids: number[] = []
  let last = 0
  let value = 0
  let scale = 1
  for (const byte of packed) {
    value += (byte & 0x7f) * scale
    if (byte >= 0x80) scale *= 0x80
    else {
      last += value
      ids.push(last)
      value = 0
      scale = 1
    }
  }
  return ids
}
