import type { Metric } from '../core/model.ts'
import { inverseLength } from './metric.ts'
import { Products } from './products.ts'
import type { Basis } from './sketch.ts'

/** Vectors looked at to learn along which directions most of all of them lies. */
export const SAMPLE = 1_024

/** How many directions may be kept. Half as many as there are dimensions at most: more would save nothing. */
const COUNTS = [32, 48, 64, 96, 128]

/** Each one brings the directions nearer to the best ones; how near decides about speed alone. */
const ROUNDS = 3

/** Vectors of the sample whose nearest are looked for, to learn how many directions tell them apart. */
const TRIALS = 32

/**
 * Nanoseconds for a number of a row in a sketch, and for a row that is compared exactly and each of its numbers: they are
 * fetched from anywhere in memory.
 */
const COST = { sketched: 0.08, row: 300, number: 1.2 }

/** Multiplications between two turns for others. */
const STEP = 1 << 21

/**
 * The directions along which most of these vectors lies (`sample`: one after the other), as many of them as make
 * searches quickest. Undefined: with none they are as quick, because vectors lie in all directions alike.
 */
export async function learnBasis(
  metric: Metric,
  dimensions: number,
  sample: Float32Array,
  pause: () => Promise<void>,
): Promise<Basis | undefined> {
  const most = COUNTS.findLast((count) => 2 * count <= dimensions)
  const rows = sample.length / dimensions
  if (most === undefined || rows < SAMPLE) return undefined
  const vectors = metric === 'cosine' ? units(sample, dimensions) : sample
  const directions = await subspace(vectors, dimensions, most, pause)
  const count = await bestCount(metric, vectors, dimensions, directions, most, pause)
  return count === undefined ? undefined : { count, directions: directions.slice(0, count * dimensions) }
}

function units(sample: Float32Array, dimensions: number): Float32Array {
  const scaled = sample.slice()
  for (let at = 0; at < scaled.length; at += dimensions) {
    const scale = inverseLength(sample, at, dimensions)
    for (let i = at; i < at + dimensions; i++) scaled[i]! *= scale
  }
  return scaled
}

/** Orthogonal iteration: the directions are multiplied with what the vectors span, and set at right angles again. */
async function subspace(
  vectors: Float32Array,
  dimensions: number,
  count: number,
  pause: () => Promise<void>,
): Promise<Float32Array> {
  const rows = vectors.length / dimensions
  const columns = new Float32Array(vectors.length)
  // Far from each other in memory: each costs as much as several multiplications.
  await inSteps(rows, 4 * dimensions, pause, (i) => {
    for (let d = 0; d < dimensions; d++) columns[d * rows + i] = vectors[i * dimensions + d]!
  })
  const along = new Products(count, dimensions)
  const across = new Products(count, rows)
  // The first vectors are as good a start as any.
  const directions = vectors.slice(0, count * dimensions)
  await straighten(directions, dimensions, 1, pause)
  const parts = new Float32Array(count * rows)
  for (let round = 0; round < ROUNDS; round++) {
    along.take(directions)
    await inSteps(rows, count * dimensions, pause, (i) => {
      const product = along.times(vectors.subarray(i * dimensions, (i + 1) * dimensions))
      for (let k = 0; k < count; k++) parts[k * rows + i] = product[k]!
    })
    across.take(parts)
    await inSteps(dimensions, count * rows, pause, (d) => {
      const product = across.times(columns.subarray(d * rows, (d + 1) * rows))
      for (let k = 0; k < count; k++) directions[k * dimensions + d] = product[k]!
    })
    // Only the last ones have to be exactly at right angles.
    await straighten(directions, dimensions, round === ROUNDS - 1 ? 2 : 1, pause)
  }
  return directions
}

/** Does `work` for each number below `count`, with turns for others between. `cost`: multiplications of each. */
async function inSteps(
  count: number,
  cost: number,
  pause: () => Promise<void>,
  work: (i: number) => void,
): Promise<void> {
  const together = Math.max(1, Math.floor(STEP / cost))
  for (let i = 0; i < count; i++) {
    work(i)
    if (i % together === together - 1) await pause()
  }
}

/** Gram-Schmidt. Once leaves what rounding does to nearly equal directions; `times` 2 does not. */
async function straighten(
  directions: Float32Array,
  dimensions: number,
  times: number,
  pause: () => Promise<void>,
): Promise<void> {
  const count = directions.length / dimensions
  let done = 0
  for (let k = 0; k < count; k++) {
    const direction = directions.subarray(k * dimensions, (k + 1) * dimensions)
    for (let attempt = 0; ; attempt++) {
      const before = 1 / inverseLength(direction, 0, dimensions)
      for (let time = 0; time < times; time++)
        for (let j = 0; j < k; j++) {
          const from = j * dimensions
          let product = 0
          for (let i = 0; i < dimensions; i++) product += direction[i]! * directions[from + i]!
          for (let i = 0; i < dimensions; i++) direction[i]! -= product * directions[from + i]!
        }
      const scale = inverseLength(direction, 0, dimensions)
      if (scale !== 0 && before * scale < 1e4) {
        for (let i = 0; i < dimensions; i++) direction[i]! *= scale
        break
      }
      // Nothing of it is left: the vectors span less. Any other direction will do.
      direction.fill(0)
      direction[(k + attempt) % dimensions] = 1
    }
    done += 2 * times * k * dimensions
    if (done >= STEP) {
      done = 0
      await pause()
    }
  }
}

/** With how many directions a search is quickest, by trial; undefined: without any. */
async function bestCount(
  metric: Metric,
  vectors: Float32Array,
  dimensions: number,
  directions: Float32Array,
  most: number,
  pause: () => Promise<void>,
): Promise<number | undefined> {
  const rows = vectors.length / dimensions
  const counts = COUNTS.filter((count) => count <= most)
  const along = new Products(most, dimensions)
  along.take(directions)
  const parts = new Float32Array(rows * most)
  await inSteps(rows, most * dimensions, pause, (i) =>
    parts.set(along.times(vectors.subarray(i * dimensions, (i + 1) * dimensions)), i * most),
  )
  const product = (a: number, b: number, from: Float32Array, width: number, start: number, end: number) => {
    let sum = 0
    for (let k = start; k < end; k++) sum += from[a * width + k]! * from[b * width + k]!
    return sum
  }
  const squares = Float64Array.from({ length: rows }, (_, i) =>
    product(i, i, vectors, dimensions, 0, dimensions),
  )
  /** How far from another vector, by their product. */
  const distance = (a: number, b: number, dot: number) =>
    metric === 'l2' ? squares[a]! + squares[b]! - 2 * dot : -dot
  const survivors = new Float64Array(counts.length)
  await inSteps(TRIALS, rows * (dimensions + 2 * most), pause, (trial) => {
    const query = Math.floor((trial * rows) / TRIALS)
    let nearest = Number.POSITIVE_INFINITY
    for (let i = 0; i < rows; i++)
      if (i !== query)
        nearest = Math.min(nearest, distance(query, i, product(query, i, vectors, dimensions, 0, dimensions)))
    for (let i = 0; i < rows; i++) {
      if (i === query) continue
      let dot = 0
      let told = 0
      let asked = 0
      counts.forEach((count, c) => {
        const from = counts[c - 1] ?? 0
        dot += product(query, i, parts, most, from, count)
        told += product(i, i, parts, most, from, count)
        asked += product(query, query, parts, most, from, count)
        const rest = Math.sqrt(Math.max(0, squares[i]! - told) * Math.max(0, squares[query]! - asked))
        if (distance(query, i, dot + rest) <= nearest) survivors[c]!++
      })
    }
  })
  let best: number | undefined
  let least = COST.sketched * dimensions
  counts.forEach((count, c) => {
    const share = survivors[c]! / (TRIALS * (rows - 1))
    const cost = COST.sketched * count + share * (COST.row + COST.number * dimensions)
    if (cost >= least) return
    least = cost
    best = count
  })
  return best
}
