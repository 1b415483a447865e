import { existsSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import type { Collection } from '../../src/index.ts'
import { LanceTable } from '../../src/vector/table.ts'
import { cleanUp, distance, fill, indexed, newDirectory, open, sources, vectors } from './stores.ts'

afterEach(cleanUp)

const DIMENSIONS = 8

async function begin(metric: 'cosine' | 'l2' | 'ip' = 'cosine', count = 120) {
  const directory = newDirectory()
  const notes = await (await open(directory)).collection('notes', { metric })
  const rows = vectors(count, DIMENSIONS)
  await fill(notes, 0, rows)
  const live = new Map(rows.map((row, i) => [`r${i}`, row]))
  const there = await indexed(directory)
  return { directory, notes, live, ...there }
}

const nearest = (
  metric: 'cosine' | 'l2' | 'ip',
  query: Float32Array,
  live: ReadonlyMap<string, Float32Array>,
  k = 10,
) =>
  [...live]
    .map(([source, vector]) => ({ source, distance: distance(metric, query, vector) }))
    .sort((a, b) => a.distance - b.distance)
    .slice(0, k)

const [query, other] = vectors(2, DIMENSIONS, 77) as [Float32Array, Float32Array]

async function replace(
  notes: Collection,
  live: Map<string, Float32Array>,
  source: string,
  vector: Float32Array,
) {
  await notes.put({ source, spans: [{ text: `text of ${source}`, vector }] })
  live.set(source, vector)
}

describe('a large collection', () => {
  test.each(['cosine', 'l2', 'ip'] as const)(
    'is searched in its table as if all were compared: %s',
    async (metric) => {
      const { index, search, live, notes } = await begin(metric)
      await index.catchUp()
      const answer = await search(query)
      expect(answer.path).toMatchObject({ path: 'index', tail: 0, approximate: false })
      expect(answer.position).toBe(answer.indexedThrough)
      const expected = nearest(metric, query, live)
      expect(sources(answer)).toEqual(expected.map(({ source }) => source))
      answer.hits.forEach((hit, i) => {
        expect(hit.distance).toBeCloseTo(expected[i]!.distance, 9)
      })
      for (const where of [{ group: 2 }, { number: { $lt: 3 } }]) {
        const passing = new Set((await notes.find({ where, limit: 1000 })).map(({ source }) => source))
        const some = new Map([...live].filter(([source]) => passing.has(source)))
        const { parseFilter } = await import('../../src/core/filter.ts')
        expect(sources(await search(query, { where: parseFilter(where) }))).toEqual(
          nearest(metric, query, some).map(({ source }) => source),
        )
      }
    },
  )

  test('shows every write at once, whether its table has it yet or not', async () => {
    const { index, search, live, notes } = await begin('l2')
    await index.catchUp()
    for (let round = 0; round < 12; round++) {
      const [vector] = vectors(1, DIMENSIONS, 500 + round)
      await replace(notes, live, `r${round * 3}`, vector!)
      await notes.remove({ source: `r${round * 3 + 1}` })
      live.delete(`r${round * 3 + 1}`)
      // The same text under another vector: the span stays, and what the table has of it is dated.
      await notes.put({
        source: `r${round * 3 + 2}`,
        spans: [{ text: `record ${round * 3 + 2}`, vector: other, metadata: { group: 0 } }],
      })
      live.set(`r${round * 3 + 2}`, other)
      if (round % 4 === 3) await index.catchUp()
      const answer = await search(query, { limit: 50 })
      expect(answer.path.path).toBe('index')
      const found = answer.hits.map(({ span, distance }) => ({ source: span.source, distance }))
      const expected = nearest('l2', query, live, 50)
      expect(found.map((hit) => Math.fround(hit.distance))).toEqual(
        expected.map((hit) => Math.fround(hit.distance)),
      )
      expect(new Set(found.map((hit) => hit.source)).size).toBe(50)
      expect(found.every((hit) => live.has(hit.source))).toBe(true)
    }
  })

  test('gets its deferred vectors into the table when they arrive', async () => {
    const { directory, index, search, notes } = await begin()
    const { LetterEmbedder } = await import('./stores.ts')
    const letters = await open(directory, { embedder: new LetterEmbedder() })
    const texts = await letters.collection('texts')
    await texts.putMany(
      Array.from({ length: 60 }, (_, i) => ({ source: `t${i}`, text: `number ${'x'.repeat(i + 1)}` })),
    )
    // By a process that cannot embed.
    const without = await (await open(directory)).collection('texts')
    await without.put({ source: 'late', text: 'a late owl' })
    const ref = (await letters.collections()).find(({ name }) => name === 'texts')!.ref
    await index.catchUp()
    const owl = await new LetterEmbedder().embedQuery('a late owl')
    const ask = () => index.search(ref, { vector: owl, limit: 1, offset: 0, accuracy: 1 })
    expect(await ask()).toMatchObject({ waiting: 1, path: { path: 'index' } })
    await texts.put({ source: 'again', text: 'a late owl' })
    expect((await ask()).hits[0]!.span.text).toBe('a late owl')
    await index.catchUp()
    const answer = await index.search(ref, { vector: owl, limit: 2, offset: 0, accuracy: 1 })
    expect(answer).toMatchObject({ waiting: 0, path: { path: 'index', tail: 0 } })
    expect(sources(answer).sort()).toEqual(['again', 'late'])
    expect((await search(query)).hits).toHaveLength(10)
    expect(notes.name).toBe('notes')
  })

  test('is kept up in the background', async () => {
    const { search, index } = await begin()
    index.wake()
    await expect.poll(async () => (await search(query)).path.path, { timeout: 10_000 }).toBe('index')
  })

  test('is read, and gets its table, while others write without pause', async () => {
    const { index, search, notes } = await begin('l2')
    let writing = true
    const writer = (async () => {
      for (let i = 0; writing; i++)
        await notes.append({ source: 'log', spans: [{ text: `turn ${i}`, vector: other }] })
    })()
    // In memory first, then in the table.
    expect((await search(query)).path.path).toBe('resident')
    await index.catchUp()
    expect((await search(query)).path.path).toBe('index')
    writing = false
    await writer
    await index.catchUp()
    expect(await index.verify(false)).toEqual([])
  })

  test('takes few new rows in after a while, and many at once', async () => {
    const { directory, index, notes, close } = await begin()
    await index.catchUp()
    const patient = { gather: 5, patience: 700 }
    await close()
    const there = await indexed(directory, patient)
    const tail = async () => (await there.search(query)).path.tail
    await fill(notes, 300, vectors(1, DIMENSIONS, 3))
    there.index.wake()
    await expect.poll(tail, { timeout: 10_000 }).toBe(0)
    await fill(notes, 301, vectors(1, DIMENSIONS, 4))
    there.index.wake()
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(await tail()).toBe(1)
    await fill(notes, 400, vectors(600, DIMENSIONS, 5))
    there.index.wake()
    await expect.poll(tail, { timeout: 600, interval: 20 }).toBe(0)
  })

  test('gets an approximate index, and exact answers when asked for', async () => {
    const { index, search, live } = await begin('cosine', 600)
    await index.catchUp()
    const answer = await search(query, { accuracy: 0.98 })
    expect(answer.path.approximate).toBe(true)
    const expected = nearest('cosine', query, live).map(({ source }) => source)
    expect(sources(answer).filter((source) => expected.includes(source)).length).toBeGreaterThanOrEqual(9)
    expect(sources(await search(query))).toEqual(expected)
  })
})

describe('a table', () => {
  test('that was being written when its process died has no row twice and lacks none', async () => {
    const { directory, index, live, notes, close } = await begin('l2')
    await index.catchUp()
    await close()
    const state = stateFile(directory)
    const before = readFileSync(state, 'utf8')
    const more = vectors(30, DIMENSIONS, 5)
    await fill(notes, 200, more)
    more.forEach((row, i) => {
      live.set(`r${200 + i}`, row)
    })
    await notes.remove({ source: 'r5' })
    live.delete('r5')
    const first = await indexed(directory)
    await first.index.catchUp()
    await first.close()
    // As if the process had died after LanceDB's commit, before it was written down.
    writeFileSync(state, before)
    await fill(notes, 300, vectors(1, DIMENSIONS, 6))
    live.set('r300', vectors(1, DIMENSIONS, 6)[0]!)
    const second = await indexed(directory)
    expect(sources(await second.search(query, { limit: 200 }))).toEqual(
      nearest('l2', query, live, 200).map(({ source }) => source),
    )
    expect(await second.index.verify(false)).toEqual([])
    expect((await second.search(query)).path).toMatchObject({ path: 'index', tail: 0 })
  })

  test.each([
    ['deleted', (index: string) => rmSync(index, { recursive: true })],
    ['deleted in part', (index: string) => rmSync(join(tableIn(index), 'data'), { recursive: true })],
    [
      'cut short',
      (index: string) => eachFile(join(tableIn(index), 'data'), (file) => truncateSync(file, 40)),
    ],
    [
      'overwritten',
      (index: string) =>
        eachFile(join(tableIn(index), '_versions'), (file) => writeFileSync(file, 'nonsense')),
    ],
    [
      'without its state',
      (index: string) => rmSync(join(index, readdirSync(index).find((name) => name.endsWith('.json'))!)),
    ],
  ])('%s while it is open leaves answers complete, and is made anew', async (_, damage) => {
    const { directory, index, search, live, notes } = await begin('l2')
    await index.catchUp()
    expect((await search(query)).path.path).toBe('index')
    damage(join(directory, 'index'))
    const [vector] = vectors(1, DIMENSIONS, 8)
    await replace(notes, live, 'new', vector!)
    const expected = nearest('l2', query, live).map(({ source }) => source)
    for (let i = 0; i < 3; i++) expect(sources(await search(query))).toEqual(expected)
    await index.catchUp()
    await index.verify(true)
    expect(await index.verify(false)).toEqual([])
    const answer = await search(query)
    expect(answer.path.path).toBe('index')
    expect(sources(answer)).toEqual(expected)
  })

  test('that is wrong is found out by verify, and repaired', async () => {
    const { directory, index, search, live } = await begin('l2')
    await index.catchUp()
    expect(await index.verify(false)).toEqual([])
    const tables = join(directory, 'index')
    const name = readdirSync(tables)
      .find((entry) => entry.endsWith('.lance'))!
      .slice(0, -6)
    const table = await LanceTable.open(tables, name, { metric: 'l2', dimensions: DIMENSIONS })
    await table.delete([3, 4])
    await table.add([
      { id: 5, vector: live.get('r4')! },
      { id: 9_999, vector: query },
      { id: 7, vector: query },
    ])
    table.close()
    const found = (await index.verify(false)).map(({ what, code }) => `${code} ${what}`)
    expect(found).toEqual([
      'WRONG_VECTOR_INDEX collection notes: 2 live spans are not indexed',
      'WRONG_VECTOR_INDEX collection notes: 1 indexed spans are not live',
      'WRONG_VECTOR_INDEX collection notes: 2 rows are there twice',
      'WRONG_VECTOR_INDEX collection notes: 1 vectors are not those of the ledger',
    ])
    expect((await index.verify(true)).every(({ repaired }) => repaired)).toBe(true)
    expect(await index.verify(false)).toEqual([])
    expect(sources(await search(query))).toEqual(nearest('l2', query, live).map(({ source }) => source))
  })

  test('that claims more than the log has is made anew', async () => {
    const { directory, index, search, live } = await begin('l2')
    await index.catchUp()
    const path = stateFile(directory)
    writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), position: 1_000_000 }))
    expect(sources(await search(query))).toEqual(nearest('l2', query, live).map(({ source }) => source))
    expect(await index.verify(true)).toMatchObject([{ code: 'WRONG_VECTOR_INDEX', repaired: true }])
    expect((await search(query)).path.path).toBe('index')
  })

  test('holds no byte of a vector that was erased', async () => {
    const { directory, index, notes } = await begin('l2')
    const secret = Float32Array.from({ length: DIMENSIONS }, (_, i) => 1234.5 + i)
    await notes.put({ source: 'secret', spans: [{ text: 'a secret', vector: secret }] })
    await index.catchUp()
    const bytes = Buffer.from(secret.buffer)
    const traces = () => {
      let found = 0
      eachFile(join(directory, 'index'), (file) => {
        if (readFileSync(file).includes(bytes)) found++
      })
      return found
    }
    expect(traces()).toBeGreaterThan(0)
    const { erased } = await notes.erase({ source: 'secret' })
    expect(erased).toHaveLength(1)
    expect(await index.erase([121])).toEqual([])
    expect(traces()).toBe(0)
    expect(existsSync(join(directory, 'index'))).toBe(true)
    expect(await index.verify(false)).toEqual([])
  })

  test('of another process that is at work is waited for when something is erased', async () => {
    const { directory, index, notes, search } = await begin('l2')
    await index.catchUp()
    const second = await indexed(directory)
    await notes.put({ source: 'secret', spans: [{ text: 'a secret', vector: other }] })
    await index.catchUp()
    await notes.erase({ source: 'secret' })
    // The first has the lock and sleeps.
    expect(await second.index.erase([121])).toEqual([`the writer of ${join(directory, 'index')}`])
    index.wake()
    await expect.poll(() => second.index.erase([121]), { timeout: 10_000, interval: 100 }).toEqual([])
    await expect.poll(async () => (await search(query)).path.path, { timeout: 10_000 }).toBe('index')
  })

  test('of a dropped collection, or of a former embedder, is removed', async () => {
    const { directory, index, ledger, notes } = await begin('l2')
    await index.catchUp()
    const store = await open(directory)
    await (await store.collection('others')).put({ source: 'a', text: 'a text' })
    await store.dropCollection(notes.name)
    await index.erase([1])
    expect(readdirSync(join(directory, 'index')).filter((name) => /\.(lance|json)$/.test(name))).toEqual([])
    expect(ledger.id).toBe(store.id)
  })

  test('is written by one process at a time, and read by all', async () => {
    const { directory, index, search, live, notes } = await begin('l2')
    const second = await indexed(directory)
    await Promise.all([index.catchUp(), second.index.catchUp()])
    for (let round = 0; round < 4; round++) {
      const [vector] = vectors(1, DIMENSIONS, 40 + round)
      await replace(notes, live, `n${round}`, vector!)
      await Promise.all([index.catchUp(), second.index.catchUp()])
      const expected = nearest('l2', query, live).map(({ source }) => source)
      expect(sources(await search(query))).toEqual(expected)
      const answer = await second.search(query)
      expect(sources(answer)).toEqual(expected)
      expect(answer.path.path).toBe('index')
    }
    expect(await index.verify(false)).toEqual([])
  })
})

describe('a collection too large for memory', () => {
  test('is read from the ledger while it has no table', async () => {
    const { directory, live } = await begin('l2')
    const tight = await indexed(directory, { memory: 100 })
    const answer = await tight.search(query)
    expect(answer.path.path).toBe('ledger')
    expect(sources(answer)).toEqual(nearest('l2', query, live).map(({ source }) => source))
  })
})

const stateFile = (directory: string): string => {
  const index = join(directory, 'index')
  return join(index, readdirSync(index).find((name) => name.endsWith('.json'))!)
}

const tableIn = (index: string): string =>
  join(index, readdirSync(index).find((name) => name.endsWith('.lance'))!)

function eachFile(directory: string, visit: (path: string) => void): void {
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) visit(join(entry.parentPath, entry.name))
}
