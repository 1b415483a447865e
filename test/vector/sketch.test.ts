import fc from 'fast-check'
import { expect, test } from 'vitest'
import { learnBasis, SAMPLE } from '../../src/vector/basis.ts'
import { loopsOver } from '../../src/vector/dots.ts'
import { distanceTo, type Query, queryOf } from '../../src/vector/metric.ts'
import { closer } from '../../src/vector/nearest.ts'
import { Resident } from '../../src/vector/resident.ts'
import { type Basis, Sketch } from '../../src/vector/sketch.ts'
import { random } from '../store/random.ts'

const METRICS = ['l2', 'cosine', 'ip'] as const

const vector = (dimensions: number) =>
  fc
    .array(fc.oneof(fc.float({ min: -100, max: 100, noNaN: true }), fc.constantFrom(0, 1, -1, 1e-20, 3e4)), {
      minLength: dimensions,
      maxLength: dimensions,
    })
    .map((numbers) => Float32Array.from(numbers))

const gaussian = (next: () => number): number =>
  Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next())

const CENTRES = 100

/** Vectors about a few centres, as embeddings of texts are: most of each lies along few directions. */
function clustered(dimensions: number, seed: number) {
  const next = random(seed)
  const centres = Array.from({ length: CENTRES }, () =>
    Float32Array.from({ length: dimensions }, () => gaussian(next)),
  )
  return () => centres[Math.floor(next() * CENTRES)]!.map((value) => value + 0.4 * gaussian(next))
}

/** Directions at right angles, however they lie. */
function anyBasis(dimensions: number, count: number, seed: number): Basis {
  const next = random(seed)
  const directions: number[][] = []
  while (directions.length < count) {
    let direction = Array.from({ length: dimensions }, () => gaussian(next))
    for (const other of directions) {
      const product = direction.reduce((sum, value, i) => sum + value * other[i]!, 0)
      direction = direction.map((value, i) => value - product * other[i]!)
    }
    const length = Math.hypot(...direction)
    directions.push(direction.map((value) => value / length))
  }
  return { count, directions: Float32Array.from(directions.flat()) }
}

/** The ten nearest by looking at every row. */
const nearestOf = (
  rows: ReadonlyMap<number, Float32Array>,
  query: Query,
  admits: ((id: number) => boolean) | undefined,
) =>
  [...rows]
    .filter(([id]) => admits === undefined || admits(id))
    .map(([id, row]) => ({ id, distance: distanceTo(query, row) }))
    .sort(closer)
    .slice(0, 10)

test('the loops in WebAssembly say what plain arithmetic says', () => {
  const { memory, loops } = loopsOver(4)
  const bytes = new Int8Array(memory.buffer)
  const floats = new Float32Array(memory.buffer)
  const float = fc.float({ min: -100, max: 100, noNaN: true })
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 6 }),
      fc.integer({ min: 1, max: 5 }),
      fc.integer({ min: 1, max: 2 ** 30 }),
      fc.tuple(float, float, float, float, float),
      (sixteens, fours, seed, [constant, size, scale, rest, error]) => {
        const width = 16 * sixteens
        const rows = 4 * fours
        const next = random(seed)
        const [data, side, out] = [4096, 16_384, 32_768]
        const query = new Int16Array(memory.buffer, 0, width)
        for (let i = 0; i < width; i++) query[i] = Math.round((next() * 2 - 1) * 32_767)
        for (let i = 0; i < width * rows; i++) bytes[data + i] = Math.round((next() * 2 - 1) * 127)
        for (let i = 0; i < 4 * rows; i++) floats[side / 4 + i] = next()
        loops.bounds(0, data, side, rows, width, out, constant, size, scale, rest, error)
        for (let row = 0; row < rows; row++) {
          let product = 0
          for (let i = 0; i < width; i++) product += query[i]! * bytes[data + row * width + i]!
          const at = side / 4 + 16 * (row >> 2) + (row & 3)
          const [c, s, r, e] = [0, 4, 8, 12].map((offset) => floats[at + offset]!) as [
            number,
            number,
            number,
            number,
          ]
          const terms = [constant, size * s, -scale * c * product, -rest * r, -error * e]
          const expected = terms.reduce((sum, term) => sum + term, 0)
          const magnitude = terms.reduce((sum, term) => sum + Math.abs(term), 0)
          expect(Math.abs(floats[out / 4 + row]! - expected)).toBeLessThanOrEqual(1e-6 * magnitude + 1e-36)
        }
        const [vector, matrix] = [0, 16_384]
        for (let i = 0; i < width; i++) floats[vector / 4 + i] = next() - 0.5
        for (let i = 0; i < width * rows; i++) floats[matrix / 4 + i] = next() - 0.5
        loops.project(vector, matrix, rows, 4 * width, 4096)
        for (let row = 0; row < rows; row++) {
          let product = 0
          for (let i = 0; i < width; i++) product += floats[i]! * floats[matrix / 4 + row * width + i]!
          expect(floats[1024 + row]!).toBeCloseTo(product, 4)
        }
        const values = Array.from({ length: rows }, () => (next() < 0.1 ? Number.NaN : Math.fround(next())))
        const threshold = Math.fround(next())
        floats.set(values, 0)
        const found = loops.under(0, rows, 16_384, threshold)
        expect([...new Uint32Array(memory.buffer, 16_384, found)]).toEqual(
          values.flatMap((value, i) => (value > threshold ? [] : [i])),
        )
      },
    ),
    { numRuns: 100 },
  )
})

test.each(['all of its numbers', 'its parts along some directions'])(
  'a true distance is never less than a sketch of %s says',
  (kind) => {
    fc.assert(
      fc.property(
        fc.constantFrom(...METRICS),
        fc
          .integer({ min: 2, max: 70 })
          .chain((dimensions) =>
            fc.tuple(
              vector(dimensions),
              fc.array(vector(dimensions), { minLength: 1, maxLength: 20 }),
              fc.integer({ min: 1, max: dimensions }),
            ),
          ),
        (metric, [asked, rows, count]) => {
          const basis = kind.startsWith('all') ? undefined : anyBasis(asked.length, count, 3)
          const sketch = Sketch.make(metric, asked.length, basis)!
          rows.forEach((row, i) => expect(sketch.set(i, row)).toBe(true))
          const query = queryOf(metric, asked)
          const prepared = sketch.prepare(query)
          fc.pre(prepared !== undefined)
          const least = sketch.bounds(prepared, 0, rows.length)
          // Not a number: nothing is known of it.
          rows.forEach((row, i) => expect(least[i]! > distanceTo(query, row)).toBe(false))
        },
      ),
      { numRuns: 300 },
    )
  },
)

test.each(METRICS)('%s: a sketch says nearly how far a vector is', (metric) => {
  const next = clustered(64, 1)
  const sketch = Sketch.make(metric, 64)!
  const rows = Array.from({ length: 500 }, next)
  rows.forEach((row, i) => sketch.set(i, row))
  const query = queryOf(metric, next())
  const least = sketch.bounds(sketch.prepare(query)!, 0, rows.length)
  const square = (one: Float32Array) => one.reduce((sum, value) => sum + value * value, 0)
  rows.forEach((row, i) => {
    const most = metric === 'cosine' ? 1 : square(query.vector) + square(row)
    expect(distanceTo(query, row) - least[i]!).toBeLessThan(0.02 * most)
  })
})

test('many dimensions do not run over, and numbers too large for 32 bits are never passed over', () => {
  const sketch = Sketch.make('ip', 8192)!
  const ones = new Float32Array(8192).fill(1)
  sketch.set(0, ones)
  expect(sketch.bounds(sketch.prepare(queryOf('ip', ones))!, 0, 1)[0]).toBeLessThanOrEqual(1 - 8192)
  expect(1 - 8192 - sketch.bounds(sketch.prepare(queryOf('ip', ones))!, 0, 1)[0]!).toBeLessThan(200)
  const huge = new Float32Array(8192).fill(1e30)
  sketch.set(1, huge)
  const least = sketch.bounds(sketch.prepare(queryOf('ip', ones))!, 0, 2)[1]!
  expect(least > -1e30).toBe(false)
  expect(sketch.prepare(queryOf('ip', huge))).toBeUndefined()
})

test.each(METRICS)(
  '%s: the directions learnt are at right angles, and tell clusters apart',
  async (metric) => {
    const dimensions = 320
    const next = clustered(dimensions, 5)
    const sample = new Float32Array(SAMPLE * dimensions)
    for (let i = 0; i < SAMPLE; i++) sample.set(next(), i * dimensions)
    let pauses = 0
    const basis = (await learnBasis(metric, dimensions, sample, async () => {
      pauses++
    }))!
    expect(basis.count).toBeLessThan(dimensions / 2)
    expect(pauses).toBeGreaterThan(3)
    for (let a = 0; a < basis.count; a++)
      for (let b = 0; b <= a; b++) {
        let product = 0
        for (let i = 0; i < dimensions; i++)
          product += basis.directions[a * dimensions + i]! * basis.directions[b * dimensions + i]!
        expect(product).toBeCloseTo(a === b ? 1 : 0, 5)
      }
  },
)

test('vectors that lie in all directions alike get no directions, and fewer than so many neither', async () => {
  const next = random(9)
  const sample = Float32Array.from({ length: SAMPLE * 64 }, () => gaussian(next))
  expect(await learnBasis('l2', 64, sample, async () => {})).toBeUndefined()
  expect(await learnBasis('l2', 64, sample.subarray(0, 64 * 100), async () => {})).toBeUndefined()
})

test('vectors that span next to nothing do not stop the learning', async () => {
  const sample = new Float32Array(SAMPLE * 64)
  for (let i = 0; i < SAMPLE; i++) sample[i * 64 + (i % 3)] = 1
  const basis = await learnBasis('cosine', 64, sample, async () => {})
  expect(basis?.directions.every(Number.isFinite) ?? true).toBe(true)
})

test.each(METRICS)(
  '%s: what is nearest by learnt directions is what is nearest, while rows come, go and change in the middle',
  async (metric) => {
    const dimensions = 256
    const vectorOf = clustered(dimensions, 11)
    const next = random(12)
    const resident = new Resident(metric, dimensions, true)
    const rows = new Map<number, Float32Array>()
    const set = (id: number, row: Float32Array) => {
      rows.set(id, row)
      resident.set(id, row)
    }
    for (let id = 1; id <= 6_000; id++) set(id, vectorOf())
    const disturb = async () => {
      for (let i = 0; i < 3; i++) {
        const id = 1 + Math.floor(next() * 6_300)
        if (i === 0) {
          rows.delete(id)
          resident.delete(id)
        } else set(id, vectorOf())
      }
    }
    await resident.condense(disturb)
    for (let round = 0; round < 20; round++) {
      await disturb()
      const query = queryOf(metric, round % 5 === 4 ? vectorOf().map((value) => -value) : vectorOf())
      const admits = round % 2 === 0 ? undefined : (id: number) => id % 7 === 0
      const found = await resident.nearest(query, 10, async () => {}, admits)
      const expected = nearestOf(rows, query, admits)
      expect(found.map(({ id }) => id)).toEqual(expected.map(({ id }) => id))
    }
  },
)

test.each(METRICS)(
  '%s: rows that 32-bit floats cannot tell apart, and those beyond them, are told apart',
  async (metric) => {
    const [dimensions, count] = [32, 3_000]
    const next = random(41)
    const one = Float32Array.from({ length: dimensions }, () => gaussian(next))
    const rows = new Map<number, Float32Array>()
    for (let id = 1; id <= count; id++) {
      const scale = id % 50 === 0 ? 1e25 : id % 51 === 0 ? 1e-25 : 1
      rows.set(
        id,
        one.map((value) => (value + 1e-6 * gaussian(next)) * scale),
      )
    }
    const resident = new Resident(metric, dimensions)
    for (const [id, row] of rows) resident.set(id, row)
    for (const scale of [1, 1e-3, 1e15]) {
      const query = queryOf(
        metric,
        one.map((value) => (value + 1e-7 * gaussian(next)) * scale),
      )
      expect(await resident.nearest(query, 10, async () => {})).toEqual(nearestOf(rows, query, undefined))
    }
  },
)

test('rows that change while a sketch is gone through are seen as they are at the end', async () => {
  // 160 000 rows are more than one step.
  const dimensions = 96
  const next = random(4)
  const resident = new Resident('l2', dimensions)
  const row = Float32Array.from({ length: dimensions }, () => next())
  for (let id = 1; id <= 160_000; id++) {
    row[id % dimensions] = next() + 1
    resident.set(id, row)
  }
  const asked = new Float32Array(dimensions).fill(0.5)
  let pauses = 0
  const found = await resident.nearest(queryOf('l2', asked), 3, async () => {
    if (pauses++ > 0) return
    resident.set(7, asked)
    resident.set(400_000, asked)
    resident.delete(8)
  })
  expect(pauses).toBeGreaterThan(0)
  expect(found.slice(0, 2)).toEqual([
    { id: 7, distance: 0 },
    { id: 400_000, distance: 0 },
  ])
  expect(found.map(({ id }) => id)).not.toContain(8)
})

test('queries of another kind than the vectors are answered exactly, and the sketch is made anew for them', async () => {
  const dimensions = 256
  const vectorOf = clustered(dimensions, 21)
  const next = random(22)
  const resident = new Resident('l2', dimensions, true)
  const rows = Array.from({ length: 10_000 }, vectorOf)
  rows.forEach((row, i) => resident.set(i + 1, row))
  await resident.condense(async () => {})
  for (let round = 0; round < 36; round++) {
    // As far from all of them.
    const query = queryOf(
      'l2',
      Float32Array.from({ length: dimensions }, () => 100 * gaussian(next)),
    )
    const found = await resident.nearest(query, 5, async () => {})
    const expected = rows
      .map((row, i) => ({ id: i + 1, distance: distanceTo(query, row) }))
      .sort(closer)
      .slice(0, 5)
    expect(found.map(({ id }) => id)).toEqual(expected.map(({ id }) => id))
  }
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
      const expected = nearestOf(rows, query, admits)
      expect(found.map(({ id }) => id)).toEqual(expected.map(({ id }) => id))
      found.forEach(({ distance }, i) => expect(distance).toBeCloseTo(expected[i]!.distance, 9))
    }
  },
)
