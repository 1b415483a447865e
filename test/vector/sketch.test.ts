import fc from 'fast-check'
import { expect, test } from 'vitest'
import { distanceTo, queryOf } from '../../src/vector/metric.ts'
import { closer } from '../../src/vector/nearest.ts'
import { Resident } from '../../src/vector/resident.ts'
import { Sketch } from '../../src/vector/sketch.ts'

const METRICS = ['l2', 'cosine', 'ip'] as const

const vector = (dimensions: number) =>
  fc
    .array(fc.oneof(fc.float({ min: -100, max: 100, noNaN: true }), fc.constantFrom(0, 1, -1, 1e-20, 3e4)), {
      minLength: dimensions,
      maxLength: dimensions,
    })
    .map((numbers) => Float32Array.from(numbers))

test('the true distance is always within the range a sketch says', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...METRICS),
      fc
        .integer({ min: 1, max: 70 })
        .chain((dimensions) =>
          fc.tuple(vector(dimensions), fc.array(vector(dimensions), { minLength: 1, maxLength: 20 })),
        ),
      (metric, [asked, rows]) => {
        const sketch = Sketch.make(asked.length)!
        rows.forEach((row, i) => expect(sketch.set(i, row)).toBe(true))
        const query = queryOf(metric, asked)
        const [low, high] = [new Float64Array(rows.length), new Float64Array(rows.length)]
        sketch.ranges(sketch.prepare(query), 0, rows.length, low, high)
        rows.forEach((row, i) => {
          const distance = distanceTo(query, row)
          expect(low[i]!).toBeLessThanOrEqual(distance)
          expect(high[i]!).toBeGreaterThanOrEqual(distance)
        })
      },
    ),
    { numRuns: 300 },
  )
})

test('many dimensions do not run over', () => {
  const sketch = Sketch.make(8192)!
  const ones = new Float32Array(8192).fill(1)
  sketch.set(0, ones)
  const [low, high] = [new Float64Array(1), new Float64Array(1)]
  sketch.ranges(sketch.prepare(queryOf('ip', ones)), 0, 1, low, high)
  expect(low[0]!).toBeLessThanOrEqual(1 - 8192)
  expect(high[0]!).toBeGreaterThanOrEqual(1 - 8192)
})

test.each(METRICS)(
  '%s: what is nearest by way of the sketch is what is nearest, while rows come, go and change',
  async (metric) => {
    const dimensions = 24
    let state = 7
    const next = () => {
      state = (state * 1664525 + 1013904223) % 4294967296
      return state / 4294967296 - 0.5
    }
    const random = () => Float32Array.from({ length: dimensions }, next)
    const resident = new Resident(metric, dimensions)
    const rows = new Map<number, Float32Array>()
    const set = (id: number) => {
      const row = id % 50 === 0 ? new Float32Array(dimensions) : random()
      rows.set(id, row)
      resident.set(id, row)
    }
    for (let id = 1; id <= 5_000; id++) set(id)
    for (let round = 0; round < 30; round++) {
      for (let i = 0; i < 40; i++) {
        const id = 1 + Math.floor((next() + 0.5) * 5_200)
        if (i % 3 === 0) {
          rows.delete(id)
          resident.delete(id)
        } else set(id)
      }
      const query = queryOf(metric, random())
      const admits = round % 2 === 0 ? undefined : (id: number) => id % 7 === 0
      const found = await resident.nearest(query, 10, async () => {}, admits)
      const expected = [...rows]
        .filter(([id]) => admits === undefined || admits(id))
        .map(([id, row]) => ({ id, distance: distanceTo(query, row) }))
        .sort(closer)
        .slice(0, 10)
      expect(found.map(({ id }) => id)).toEqual(expected.map(({ id }) => id))
      found.forEach(({ distance }, i) => expect(distance).toBeCloseTo(expected[i]!.distance, 9))
    }
  },
)
