import type { Metric } from '../core/model.ts'

/*
 * Distances, where lower is closer, as vector databases report them: `cosine` is 1 − cos, from 0 to 2; `l2` is the
 * square of the Euclidean distance; `ip` is 1 − the inner product, and may be negative. They are worked out in double
 * precision from the vectors as they came in. A zero vector has no direction: its cosine distance to anything is 1.
 */

/** A query with what every comparison needs of it. */
export interface Query {
  readonly metric: Metric
  readonly vector: Float32Array
  /** 1 / length of the vector; 0 for a zero vector. */
  readonly scale: number
}

export const queryOf = (metric: Metric, vector: Float32Array): Query => ({
  metric,
  vector,
  scale: inverseLength(vector, 0, vector.length),
})

/** Cosine cannot compare it: its distance to anything is 1. */
export const hasNoDirection = (vector: Float32Array): boolean => inverseLength(vector, 0, vector.length) === 0

export function inverseLength(data: Float32Array, offset: number, dimensions: number): number {
  let sum = 0
  for (let i = offset; i < offset + dimensions; i++) sum += data[i]! * data[i]!
  return sum === 0 ? 0 : 1 / Math.sqrt(sum)
}

/** The distance of one vector, which stands at `offset` in `data`. `scale` is its inverse length, for cosine. */
function distanceAt(query: Query, data: Float32Array, offset: number, scale: number): number {
  const { vector } = query
  if (query.metric === 'l2') return squares(vector, data, offset)
  const product = dot(vector, data, offset)
  if (query.metric === 'ip') return 1 - product
  // Rounding may leave the cosine of a vector with itself a hair above 1.
  return Math.max(0, 1 - product * query.scale * scale)
}

/**
 * Distances of `rows` vectors that stand one after the other in `data`, into `out`. One loop for all of them: calling
 * `distanceAt` for each takes half as long again.
 */
export function distancesOf(
  query: Query,
  data: Float32Array,
  scales: Float64Array,
  from: number,
  to: number,
  out: Float64Array,
): void {
  const { vector, metric } = query
  const n = vector.length
  const four = n - (n % 4)
  if (metric === 'l2') {
    for (let row = from; row < to; row++) out[row] = squares(vector, data, row * n)
    return
  }
  const cosine = metric === 'cosine'
  for (let row = from; row < to; row++) {
    const offset = row * n
    let s0 = 0
    let s1 = 0
    let s2 = 0
    let s3 = 0
    for (let i = 0; i < four; i += 4) {
      s0 += vector[i]! * data[offset + i]!
      s1 += vector[i + 1]! * data[offset + i + 1]!
      s2 += vector[i + 2]! * data[offset + i + 2]!
      s3 += vector[i + 3]! * data[offset + i + 3]!
    }
    for (let i = four; i < n; i++) s0 += vector[i]! * data[offset + i]!
    const product = s0 + s1 + s2 + s3
    out[row] = cosine ? Math.max(0, 1 - product * query.scale * scales[row]!) : 1 - product
  }
}

export const distanceTo = (query: Query, vector: Float32Array): number =>
  distanceAt(query, vector, 0, query.metric === 'cosine' ? inverseLength(vector, 0, vector.length) : 1)

// Four sums at a time, because one would wait for itself.

function dot(a: Float32Array, b: Float32Array, offset: number): number {
  const n = a.length
  let s0 = 0
  let s1 = 0
  let s2 = 0
  let s3 = 0
  let i = 0
  for (; i + 3 < n; i += 4) {
    s0 += a[i]! * b[offset + i]!
    s1 += a[i + 1]! * b[offset + i + 1]!
    s2 += a[i + 2]! * b[offset + i + 2]!
    s3 += a[i + 3]! * b[offset + i + 3]!
  }
  for (; i < n; i++) s0 += a[i]! * b[offset + i]!
  return s0 + s1 + s2 + s3
}

function squares(a: Float32Array, b: Float32Array, offset: number): number {
  const n = a.length
  let s0 = 0
  let s1 = 0
  let s2 = 0
  let s3 = 0
  let i = 0
  for (; i + 3 < n; i += 4) {
    const d0 = a[i]! - b[offset + i]!
    const d1 = a[i + 1]! - b[offset + i + 1]!
    const d2 = a[i + 2]! - b[offset + i + 2]!
    const d3 = a[i + 3]! - b[offset + i + 3]!
    s0 += d0 * d0
    s1 += d1 * d1
    s2 += d2 * d2
    s3 += d3 * d3
  }
  for (; i < n; i++) {
    const d = a[i]! - b[offset + i]!
    s0 += d * d
  }
  return s0 + s1 + s2 + s3
}

/** Writes the vector with length 1 to a place in `out`; a zero vector stays what it is. */
export function writeUnit(vector: Float32Array, out: Float32Array, offset: number): void {
  const scale = inverseLength(vector, 0, vector.length) || 1
  for (let i = 0; i < vector.length; i++) out[offset + i] = vector[i]! * scale
}
