import { afterEach, describe, expect, test } from 'vitest'
import { random } from '../store/helpers.ts'
import {
  cleanUp,
  distance,
  elsewhere,
  fill,
  LetterEmbedder,
  newDirectory,
  open,
  texts,
  vectors,
} from './stores.ts'

afterEach(cleanUp)

const DIMENSIONS = 8

describe('a vector search', () => {
  test.each(['cosine', 'l2', 'ip'] as const)(
    'answers as comparing everything does, with the distances of %s',
    async (metric) => {
      const notes = await (await open(':memory:')).collection('notes', { metric })
      const rows = [...vectors(300, DIMENSIONS), new Float32Array(DIMENSIONS)]
      await fill(notes, 0, rows)
      for (const query of [...vectors(5, DIMENSIONS, 7), new Float32Array(DIMENSIONS)]) {
        const expected = rows
          .map((row, i) => ({ source: `r${i}`, distance: distance(metric, query, row), i }))
          .sort((a, b) => a.distance - b.distance || a.i - b.i)
        const { hits, complete, reasons } = await notes.search({ vector: query, k: 20 })
        expect(reasons).toEqual([])
        expect(complete).toBe(true)
        hits.forEach((hit, i) => {
          expect(hit.distance).toBeCloseTo(expected[i]!.distance, 9)
        })
        expect(hits.map(({ source }) => source)).toEqual(expected.slice(0, 20).map(({ source }) => source))
        const second = await notes.search({ vector: query, k: 10, offset: 10 })
        expect(second.hits).toEqual(hits.slice(10))
        expect([...hits].sort((a, b) => b.score - a.score)).toEqual(hits)
      }
    },
  )

  test('with a filter answers as comparing all that pass does, few or many', async () => {
    const notes = await (await open(':memory:')).collection('notes')
    const rows = vectors(600, DIMENSIONS)
    await fill(notes, 0, rows)
    const [query] = vectors(1, DIMENSIONS, 9)
    for (const [where, passes] of [
      [{ group: 3 }, (i: number) => i % 7 === 3],
      [{ number: { $gte: 597 } }, (i: number) => i >= 597],
      [{ number: 412 }, (i: number) => i === 412],
      [{ number: -1 }, () => false],
      [{ number: { $gte: 0 } }, () => true],
    ] as const) {
      const expected = rows
        .map((row, i) => ({ source: `r${i}`, distance: distance('cosine', query!, row), i }))
        .filter(({ i }) => passes(i))
        .sort((a, b) => a.distance - b.distance)
        .slice(0, 10)
      const { hits } = await notes.search({ vector: query!, where })
      expect(hits.map(({ source }) => source)).toEqual(expected.map(({ source }) => source))
    }
  })

  test('sees every write at once, and never a span that was retired', async () => {
    const notes = await (await open()).collection('notes', { metric: 'l2' })
    const next = random(3)
    const live = new Map<string, Float32Array>()
    const [query] = vectors(1, DIMENSIONS, 11)
    for (let round = 0; round < 60; round++) {
      const source = `s${Math.floor(next() * 15)}`
      if (next() < 0.3) {
        await notes.remove({ source })
        live.delete(source)
      } else {
        const [vector] = vectors(1, DIMENSIONS, 100 + round)
        // The same text: the key stays, the vector is another.
        await notes.put({ source, spans: [{ text: 'the same', vector: vector! }] })
        live.set(source, vector!)
      }
      const expected = [...live]
        .map(([name, vector]) => ({ name, distance: distance('l2', query!, vector) }))
        .sort((a, b) => a.distance - b.distance)
      const { hits, complete, position, indexedThrough } = await (live.size === 0
        ? { hits: [], complete: true, position: 0, indexedThrough: 0 }
        : notes.search({ vector: query!, k: 100 }))
      expect(hits.map((hit) => hit.source)).toEqual(expected.map(({ name }) => name))
      expect(complete).toBe(true)
      expect(indexedThrough).toBe(position)
    }
  })

  test('sees what other processes wrote and retired', async () => {
    const directory = newDirectory()
    const notes = await (await open(directory)).collection('notes')
    await fill(notes, 0, vectors(10, 2))
    expect((await notes.search({ vector: [1, 0], k: 100 })).hits).toHaveLength(10)
    await elsewhere(
      directory,
      `const notes = await store.collection('notes')
       await notes.put({ source: 'new', spans: [{ text: 'x', vector: [1, 0] }] })
       await notes.remove({ source: 'r3' })`,
    )
    const { hits } = await notes.search({ vector: [1, 0], k: 100 })
    expect(hits).toHaveLength(10)
    expect(hits[0]).toMatchObject({ source: 'new', distance: 0 })
    expect(hits.some(({ source }) => source === 'r3')).toBe(false)
  })

  test('is gone from answers the moment it expires', async () => {
    let now = 1_000
    const notes = await (await open(':memory:', { clock: () => now })).collection('notes')
    await notes.put({ source: 'a', spans: [{ text: 'a', vector: [1, 0] }], expiresAt: 2_000 })
    await notes.put({ source: 'b', spans: [{ text: 'b', vector: [0, 1] }] })
    expect(texts(await notes.search({ vector: [1, 0] }))).toEqual(['a', 'b'])
    now = 2_000
    expect(texts(await notes.search({ vector: [1, 0] }))).toEqual(['b'])
  })

  test('of an earlier position answers as it would have then', async () => {
    const notes = await (await open(':memory:')).collection('notes')
    const put = (source: string, vector: number[]) =>
      notes.put({ source, spans: [{ text: source, vector, metadata: { source } }] })
    await put('a', [1, 0])
    const first = await put('b', [0.6, 0.8])
    await put('a', [0, 1])
    await notes.remove({ source: 'b' })
    await put('c', [1, 0.1])
    expect(texts(await notes.search({ vector: [1, 0] }))).toEqual(['c', 'a'])
    const then = await notes.search({ vector: [1, 0], asOf: first.position })
    expect(texts(then)).toEqual(['a', 'b'])
    expect(then.hits[0]!.distance).toBeCloseTo(0)
    expect(then.position).toBe(first.position)
    expect(
      texts(await notes.search({ vector: [1, 0], asOf: first.position, where: { source: 'b' } })),
    ).toEqual(['b'])
    await expect(notes.search({ vector: [1, 0], asOf: 99 })).rejects.toMatchObject({
      code: 'POSITION_UNKNOWN',
    })
  })

  test('of another length is refused, and so is one where there are no vectors', async () => {
    const store = await open(':memory:')
    const notes = await store.collection('notes')
    await notes.put({ source: 'a', text: 'only words' })
    await expect(notes.search({ vector: [1, 2] })).rejects.toMatchObject({ code: 'NO_VECTORS' })
    await notes.put({ source: 'b', spans: [{ text: 'b', vector: [1, 2] }] })
    await expect(notes.search({ vector: [1, 2, 3] })).rejects.toMatchObject({
      code: 'INVALID_VECTOR',
      detail: { expected: 2, actual: 3 },
    })
    const { complete, reasons } = await notes.search({ vector: [1, 2] })
    expect([complete, reasons]).toEqual([false, ['VECTORS_PENDING']])
  })

  test('gives at most so many hits of one source, and can leave out what is too far', async () => {
    const notes = await (await open(':memory:')).collection('notes')
    const span = (text: string, ...vector: number[]) => ({ text, vector })
    await notes.put({ source: 'a', spans: [span('a1', 1, 0), span('a2', 1, 0.1), span('a3', 1, 0.2)] })
    await notes.put({ source: 'b', spans: [span('b1', 1, 0.3), span('b2', 0, 1)] })
    const vector = [1, 0]
    expect(texts(await notes.search({ vector, perSource: 1 }))).toEqual(['a1', 'b1'])
    expect(texts(await notes.search({ vector, perSource: 2, k: 2, offset: 1 }))).toEqual(['a2', 'b1'])
    expect(texts(await notes.search({ vector, minScore: 0.98 }))).toEqual(['a1', 'a2', 'a3'])
    await expect(notes.search({ vector, perSource: 0 })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
    await expect(notes.search({ vector, diversity: 2 })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
  })

  test('can prefer hits that say something else', async () => {
    const notes = await (await open(':memory:')).collection('notes')
    const span = (text: string, ...vector: number[]) => ({ text, vector })
    await notes.put({
      source: 'a',
      spans: [
        span('first', 1, 0.3, 0),
        span('nearly the same', 1, 0.31, 0),
        span('another', 1, -0.5, 0.2),
        span('far', -1, 0, 0),
      ],
    })
    const vector = [1, 0, 0]
    expect(texts(await notes.search({ vector, k: 2 }))).toEqual(['first', 'nearly the same'])
    expect(texts(await notes.search({ vector, k: 2, diversity: 0.5 }))).toEqual(['first', 'another'])
    expect(texts(await notes.search({ vector, k: 1, offset: 1, diversity: 0.5 }))).toEqual(['another'])
  })

  test('finds what is similar to a span, without the span itself', async () => {
    const notes = await (await open(':memory:')).collection('notes')
    const { added } = await notes.put({
      source: 'a',
      spans: [
        { text: 'east', vector: [1, 0] },
        { text: 'north', vector: [0, 1] },
        { text: 'east by north', vector: [1, 0.2] },
      ],
    })
    expect(texts(await notes.similar(added[0]!))).toEqual(['east by north', 'north'])
    await notes.retire([added[0]!])
    await expect(notes.similar(added[0]!)).rejects.toMatchObject({ code: 'KEY_NOT_LIVE' })
  })
})

describe('text with an embedder', () => {
  test('is searched by words and by vectors together', async () => {
    const notes = await (await open(':memory:', { embedder: new LetterEmbedder() })).collection('notes')
    await notes.put({ source: 'a', spans: ['listen', 'silent night', 'an owl'].map((text) => ({ text })) })
    const { hits, explain, complete } = await notes.search({ text: 'silent', explain: true, k: 2 })
    expect(explain?.mode).toBe('hybrid')
    expect(hits.map(({ span }) => span.text)).toEqual(['silent night', 'listen'])
    expect(hits[1]!.distance).toBeCloseTo(0)
    expect(complete).toBe(true)
    const near = await notes.search({ text: 'silent', mode: 'vector', k: 1 })
    expect(texts(near)).toEqual(['listen'])
    expect(texts(await notes.search({ text: 'silent', mode: 'text' }))).toEqual(['silent night'])
  })

  test('says so when spans wait for their vectors, until they have them', async () => {
    const directory = newDirectory()
    const embedder = new LetterEmbedder()
    const notes = await (await open(directory, { embedder })).collection('notes')
    const without = await (await open(directory)).collection('notes')
    await without.put({ source: 'a', text: 'an owl' })
    expect(await notes.search({ text: 'owl' })).toMatchObject({
      complete: false,
      reasons: ['VECTORS_PENDING'],
      hits: [{ span: { text: 'an owl' } }],
    })
    await notes.put({ source: 'b', text: 'a heron' })
    const before = await notes.search({ text: 'owl', mode: 'vector' })
    expect([before.complete, before.reasons, texts(before)]).toEqual([
      false,
      ['VECTORS_PENDING'],
      ['a heron'],
    ])
    // The same text put elsewhere brings the vector that the first one waits for.
    await notes.put({ source: 'c', text: 'an owl' })
    const after = await notes.search({ text: 'owl', mode: 'vector' })
    expect([after.complete, texts(after)]).toEqual([true, ['an owl', 'an owl', 'a heron']])
  })

  test('gets its deferred vectors in the background', async () => {
    const directory = newDirectory()
    const embedder = new LetterEmbedder()
    const notes = await (await open(directory, { embedder })).collection('notes')
    await notes.putMany(
      Array.from({ length: 150 }, (_, i) => ({ source: `${i}`, text: `owl ${'x'.repeat(i)}`, defer: true })),
    )
    await expect
      .poll(async () => (await notes.search({ text: 'owl' })).complete, { timeout: 10_000 })
      .toBe(true)
    expect(embedder.asked).toHaveLength(150)
    expect(texts(await notes.search({ text: 'owl xx', mode: 'vector', k: 1 }))).toEqual(['owl xx'])
  })

  test('gets them in the end when the embedder fails at first', async () => {
    const { Indexer } = await import('../../src/indexer.ts')
    const { openSqliteLedger } = await import('../../src/ledger/sqlite/ledger.ts')
    const directory = newDirectory()
    const first = await open(directory, { embedder: new LetterEmbedder() })
    await (await first.collection('notes')).put({ source: 'a', text: 'an owl' })
    const notes = await (await open(directory)).collection('notes')
    await notes.put({ source: 'late', text: 'a late heron' })
    const vector = await new LetterEmbedder().embedQuery('heron')
    expect((await notes.search({ vector })).reasons).toEqual(['VECTORS_PENDING'])

    const ledger = openSqliteLedger(`${directory}/ledger.db`)
    const letters = new LetterEmbedder()
    let failures = 2
    const embedder = {
      id: 'letters',
      dimensions: 26,
      embedQuery: (text: string) => letters.embedQuery(text),
      embedDocuments: async (batch: readonly string[]) => {
        if (failures-- > 0) throw new Error('no connection')
        return await letters.embedDocuments(batch)
      },
    }
    const indexer = new Indexer(ledger.vectors, embedder, { delay: 1, retry: [1, 5] })
    indexer.wake((await ledger.collections())[0]!.ref)
    await expect.poll(async () => (await notes.search({ vector })).complete, { timeout: 10_000 }).toBe(true)
    expect(letters.asked).toEqual(['a late heron'])
    await indexer.close()
    await ledger.close()
  })

  test('embeds what is missing when told to, with progress, and can be stopped and taken up again', async () => {
    const directory = newDirectory()
    const without = await (await open(directory)).collection('notes')
    await without.putMany(
      Array.from({ length: 200 }, (_, i) => ({ source: `${i}`, text: `owl ${i} ${'y'.repeat(i)}` })),
    )
    await expect(without.embed()).rejects.toMatchObject({ code: 'NO_VECTORS' })
    const embedder = new LetterEmbedder()
    const notes = await (await open(directory, { embedder })).collection('notes')
    const stop = new AbortController()
    await expect(notes.embed({ signal: stop.signal, onProgress: () => stop.abort() })).rejects.toMatchObject({
      code: 'ABORTED',
    })
    const done: number[] = []
    expect(await notes.embed({ onProgress: (embedded) => done.push(embedded) })).toEqual({ embedded: 136 })
    expect(done).toEqual([64, 128, 136])
    expect(embedder.asked).toHaveLength(200)
    expect((await notes.search({ text: 'owl' })).complete).toBe(true)
  })

  test('is never compared with vectors of another model', async () => {
    const directory = newDirectory()
    const first = await open(directory, { embedder: new LetterEmbedder('one') })
    await (await first.collection('notes')).put({ source: 'a', text: 'an owl' })
    const notes = await (await open(directory, { embedder: new LetterEmbedder('two') })).collection('notes')
    await expect(notes.search({ text: 'owl' })).rejects.toMatchObject({ code: 'EMBEDDER_MISMATCH' })
    expect(texts(await notes.search({ text: 'owl', mode: 'text' }))).toEqual(['an owl'])
  })

  test('is searched by words where nobody can embed it, and the answer says so', async () => {
    const directory = newDirectory()
    const first = await open(directory, { embedder: new LetterEmbedder() })
    await (await first.collection('notes')).put({ source: 'a', text: 'an owl' })
    const notes = await (await open(directory)).collection('notes')
    expect(await notes.search({ text: 'owl' })).toMatchObject({
      complete: false,
      reasons: ['NO_EMBEDDER'],
      hits: [{ span: { text: 'an owl' } }],
    })
    expect(await notes.search({ text: 'owl', mode: 'vector' })).toMatchObject({
      complete: false,
      reasons: ['NO_EMBEDDER'],
      hits: [],
    })
    expect((await notes.search({ text: 'owl', mode: 'text' })).complete).toBe(true)
  })
})
