import { afterEach, describe, expect, test } from 'vitest'
import { cleanUp, fill, indexed, newDirectory, open, sources, vectors } from './stores.ts'

afterEach(cleanUp)

const DIMENSIONS = 8
const zero = new Float32Array(DIMENSIONS)

describe('a vector without direction', () => {
  test('is as far from everything as a right angle, in a table as in memory', async () => {
    const directory = newDirectory()
    const notes = await (await open(directory)).collection('notes', { metric: 'cosine' })
    const rows = vectors(60, DIMENSIONS)
    await fill(notes, 0, rows)
    // More than a page of them: they must not stand before what is nearer.
    await fill(
      notes,
      60,
      Array.from({ length: 60 }, () => zero),
    )
    const there = await indexed(directory)
    await there.index.catchUp()
    const [query] = vectors(1, DIMENSIONS, 5)
    const all = await notes.search({ vector: query!, k: 120 })
    expect(all.hits.filter(({ distance }) => distance === 1)).toHaveLength(60)
    const answer = await there.search(query!, { limit: 70 })
    expect(answer.path.path).toBe('index')
    expect(answer.hits.map(({ span, distance }) => [span.source, distance])).toEqual(
      all.hits.slice(0, 70).map(({ source, distance }) => [source, distance]),
    )
    expect(await there.index.verify(false)).toEqual([])
    // It gets a direction, and another loses it.
    await notes.put({ source: 'r70', spans: [{ text: 'record 70', vector: query! }] })
    await notes.put({ source: 'r0', spans: [{ text: 'record 0', vector: zero }] })
    for (const round of ['in memory', 'in the table']) {
      const [first] = (await there.search(query!)).hits
      expect([round, first!.span.source]).toEqual([round, 'r70'])
      expect(first!.distance).toBeCloseTo(0)
      const far = await there.search(query!, { limit: 120 })
      expect(far.hits.find(({ span }) => span.source === 'r0')!.distance).toBe(1)
      await there.index.catchUp()
    }
    expect(await there.index.verify(false)).toEqual([])
  })

  test('as a query finds the oldest spans, all equally far', async () => {
    const directory = newDirectory()
    const notes = await (await open(directory)).collection('notes', { metric: 'cosine' })
    await fill(notes, 0, vectors(80, DIMENSIONS))
    const there = await indexed(directory)
    await there.index.catchUp()
    const answer = await there.search(zero, { limit: 3 })
    expect(sources(answer)).toEqual(['r0', 'r1', 'r2'])
    expect(answer.hits.map(({ distance }) => distance)).toEqual([1, 1, 1])
    expect((await notes.search({ vector: zero, k: 3 })).hits.map(({ source }) => source)).toEqual(
      sources(answer),
    )
  })
})
