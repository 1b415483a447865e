import assert from 'node:assert/strict'
import { parseFilter } from '../core/filter.ts'
import type { Metric } from '../core/model.ts'
import type { Ledger } from '../ports/ledger.ts'
import type { VectorAnswer, VectorIndex, VectorQuery } from '../ports/vectors.ts'
import type { Collection } from '../store/collection.ts'
import { type ConformanceCase, cases } from './conformance.ts'
import { collectionOver } from './over.ts'

/** An index, and the ledger it is made from: both empty, and of nobody else. */
export interface IndexedLedger {
  readonly ledger: Ledger
  readonly index: VectorIndex
  close(): Promise<void>
}

const DIMENSIONS = 8

/** Numbers from -0.5 to 0.5, always the same. */
function numbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) | 0
    return (state >>> 0) / 2 ** 32 - 0.5
  }
}

function vectorsOf(count: number, seed: number): Float32Array[] {
  const next = numbers(seed)
  return Array.from({ length: count }, () => Float32Array.from({ length: DIMENSIONS }, next))
}

/** The definition of each metric, in the plainest way. */
export function distance(metric: Metric, a: ArrayLike<number>, b: ArrayLike<number>): number {
  let [dot, aa, bb, squares] = [0, 0, 0, 0]
  for (let i = 0; i < a.length; i++) {
    dot += a[i]! * b[i]!
    aa += a[i]! ** 2
    bb += b[i]! ** 2
    squares += (a[i]! - b[i]!) ** 2
  }
  if (metric === 'l2') return squares
  if (metric === 'ip') return 1 - dot
  return aa === 0 || bb === 0 ? 1 : 1 - dot / Math.sqrt(aa * bb)
}

/** What is live, by source, oldest first. */
type Live = Map<string, Float32Array>

class Subject implements IndexedLedger {
  readonly ledger: Ledger
  readonly index: VectorIndex
  readonly live: Live = new Map()
  readonly #close: () => Promise<void>
  notes!: Collection
  ref = 0
  metric: Metric = 'cosine'

  constructor({ ledger, index, close }: IndexedLedger) {
    this.ledger = ledger
    this.index = index
    this.#close = close
  }

  async fill(metric: Metric, count = 120): Promise<void> {
    this.metric = metric
    this.notes = await collectionOver(this.ledger, 'notes', metric)
    this.ref = (await this.ledger.collections())[0]!.ref
    const rows = vectorsOf(count, 7)
    await this.notes.putMany(
      rows.map((vector, i) => ({
        source: `r${i}`,
        spans: [{ text: `record ${i}`, vector, metadata: { number: i, group: i % 7 } }],
      })),
    )
    for (const [i, vector] of rows.entries()) this.live.set(`r${i}`, vector)
  }

  /** A new span under this name. */
  async put(source: string, vector: Float32Array): Promise<void> {
    await this.notes.put({ source, spans: [{ text: `another ${source} ${this.live.size}`, vector }] })
    this.live.delete(source)
    this.live.set(source, vector)
  }

  async remove(source: string): Promise<void> {
    await this.notes.remove({ source })
    this.live.delete(source)
  }

  async search(vector: Float32Array, query: Partial<VectorQuery> = {}): Promise<VectorAnswer> {
    return await this.index.search(this.ref, { vector, limit: 10, offset: 0, accuracy: 1, ...query })
  }

  /** The answer is that of comparing everything. */
  async agrees(
    vector: Float32Array,
    query: Partial<VectorQuery> = {},
    passes: (source: string) => boolean = () => true,
  ): Promise<void> {
    const answer = await this.search(vector, query)
    const expected = [...this.live]
      .filter(([source]) => passes(source))
      .map(([source, row], i) => ({ source, distance: distance(this.metric, vector, row), i }))
      .sort((a, b) => a.distance - b.distance || a.i - b.i)
      .slice(query.offset ?? 0, (query.offset ?? 0) + (query.limit ?? 10))
    assert.deepEqual(
      answer.hits.map(({ span }) => span.source),
      expected.map(({ source }) => source),
    )
    for (const [i, hit] of answer.hits.entries())
      assert.ok(Math.abs(hit.distance - expected[i]!.distance) < 1e-9, `distance of hit ${i}`)
  }

  close(): Promise<void> {
    return this.#close()
  }
}

const [query, other] = vectorsOf(2, 99) as [Float32Array, Float32Array]

/**
 * What a store needs of an index of vectors, as cases for any test runner. Each is told to answer exactly, so that it
 * may be compared with comparing everything; before and after the index has caught up.
 */
export function vectorIndexConformance(open: () => Promise<IndexedLedger>): readonly ConformanceCase[] {
  const metrics = Object.fromEntries(
    (['cosine', 'l2', 'ip'] as const).map((metric) => [
      `answers as comparing everything does: ${metric}`,
      async (subject: Subject) => {
        await subject.fill(metric)
        for (const _ of ['before', 'after']) {
          for (const vector of vectorsOf(4, 50)) await subject.agrees(vector, { limit: 25 })
          await subject.agrees(query, { limit: 10, offset: 35 })
          await subject.index.catchUp()
        }
      },
    ]),
  )
  return cases(async () => new Subject(await open()), {
    ...metrics,

    'shows every write at once, and nothing that was retired': async (subject) => {
      await subject.fill('l2')
      await subject.index.catchUp()
      for (let round = 0; round < 9; round++) {
        const [vector] = vectorsOf(1, 500 + round)
        await subject.put(`r${3 * round}`, vector!)
        await subject.remove(`r${3 * round + 1}`)
        // The same span under another vector.
        const source = `r${3 * round + 2}`
        const text = `record ${3 * round + 2}`
        await subject.notes.put({ source, spans: [{ text, vector: other, metadata: { number: -1 } }] })
        subject.live.set(source, other)
        if (round % 3 === 2) await subject.index.catchUp()
        const answer = await subject.search(query, { limit: 200 })
        assert.deepEqual(new Set(answer.hits.map(({ span }) => span.source)), new Set(subject.live.keys()))
        assert.equal(answer.hits.length, subject.live.size)
        assert.equal(answer.indexedThrough, answer.position)
      }
    },

    'filters exactly, few or many': async (subject) => {
      await subject.fill('cosine')
      for (const _ of ['before', 'after']) {
        const number = (source: string) => Number(source.slice(1))
        for (const [where, passes] of [
          [{ group: 3 }, (source: string) => number(source) % 7 === 3],
          [{ number: { $gte: 118 } }, (source: string) => number(source) >= 118],
          [{ number: 41 }, (source: string) => source === 'r41'],
          [{ number: -5 }, () => false],
          [{ number: { $gte: 0 } }, () => true],
        ] as const)
          await subject.agrees(query, { where: parseFilter(where) }, passes)
        await subject.index.catchUp()
      }
    },

    'leaves out the span it is told to': async (subject) => {
      await subject.fill('cosine')
      await subject.index.catchUp()
      const [nearest] = (await subject.search(query)).hits
      await subject.agrees(query, { except: nearest!.id }, (source) => source !== nearest!.span.source)
    },

    'searches an earlier position as it was': async (subject) => {
      await subject.fill('ip', 30)
      const { position } = (await subject.ledger.collections())[0]!
      const before = await subject.search(query, { limit: 30 })
      await subject.remove('r3')
      await subject.put('r4', other)
      await subject.index.catchUp()
      const then = await subject.search(query, { limit: 30, asOf: position })
      assert.deepEqual(
        then.hits.map(({ span, distance }) => [span.source, distance]),
        before.hits.map(({ span, distance }) => [span.source, distance]),
      )
      await assert.rejects(subject.search(query, { asOf: 9_999 }), { code: 'POSITION_UNKNOWN' })
    },

    'compares what has no direction as a right angle': async (subject) => {
      await subject.fill('cosine')
      const zero = new Float32Array(DIMENSIONS)
      for (let i = 0; i < 15; i++) await subject.put(`zero ${i}`, zero)
      for (const _ of ['before', 'after']) {
        const { hits } = await subject.search(query, { limit: 200 })
        const right = hits.filter(({ span }) => span.source.startsWith('zero'))
        assert.deepEqual(new Set(right.map(({ distance }) => distance)), new Set([1]))
        assert.equal(right.length, 15)
        await subject.agrees(query)
        await subject.index.catchUp()
      }
    },

    'refuses what cannot be compared': async (subject) => {
      subject.notes = await collectionOver(subject.ledger, 'notes')
      subject.ref = (await subject.ledger.collections())[0]!.ref
      await assert.rejects(subject.search(query), { code: 'NO_VECTORS' })
      await subject.put('a', query)
      await assert.rejects(subject.search(Float32Array.of(1, 2)), { code: 'INVALID_VECTOR' })
      const stop = new AbortController()
      stop.abort()
      await assert.rejects(subject.search(query, { signal: stop.signal }), { code: 'ABORTED' })
    },

    'says how many spans wait for a vector': async (subject) => {
      await subject.fill('cosine', 60)
      await subject.notes.put({ source: 'waiting', text: 'words alone' })
      for (const _ of ['before', 'after']) {
        assert.equal((await subject.search(query)).waiting, 1)
        await subject.index.catchUp()
      }
    },

    'forgets what was erased, and finds nothing wrong with itself': async (subject) => {
      await subject.fill('cosine')
      await subject.index.catchUp()
      const [first] = (await subject.search(query)).hits
      await subject.notes.erase({ keys: [first!.span.key] })
      assert.deepEqual(await subject.index.erase([first!.id]), [])
      subject.live.delete(first!.span.source)
      await subject.agrees(query)
      assert.deepEqual(await subject.index.verify(false), [])
    },

    'catches up once and for all': async (subject) => {
      await subject.fill('l2')
      await subject.index.catchUp()
      await subject.index.catchUp()
      await subject.agrees(query)
      assert.deepEqual(await subject.index.verify(true), [])
    },
  })
}
