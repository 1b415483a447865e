import { join } from 'node:path'
import { connect } from '@lancedb/lancedb'
import { afterEach, describe, expect, test } from 'vitest'
import { SqliteAttributeIndex } from '../../src/attributes/attribute-index.ts'
import { parseFilter } from '../../src/core/filter.ts'
import { openSqliteLedger, type SqliteLedger } from '../../src/ledger/sqlite/ledger.ts'
import { idSet } from '../../src/vector/id-set.ts'
import { LedgerVectorIndex } from '../../src/vector/vector-index.ts'
import { random } from '../store/helpers.ts'
import { cleanUp, distance, newDirectory, open, vectors } from './stores.ts'

afterEach(cleanUp)

const DIMENSIONS = 64
const COUNT = 7_000

/** A table with an approximate index, and an index of metadata that may be asked or not. */
async function begin() {
  const directory = newDirectory()
  const notes = await (await open(directory)).collection('notes')
  const made = vectors(COUNT + 6, DIMENSIONS)
  const rows = made.slice(0, COUNT)
  for (let i = 0; i < COUNT; i += 1000)
    await notes.append({
      source: `part ${i}`,
      spans: rows.slice(i, i + 1000).map((vector, j) => ({
        text: `record ${i + j}`,
        vector,
        metadata: { group: (i + j) % 7, number: i + j },
      })),
    })
  const path = join(directory, 'ledger.db')
  let knows = true
  const ledger: SqliteLedger = openSqliteLedger(path, {
    candidates: (...asked) => (knows ? attributes.candidates(...asked) : undefined),
  })
  const attributes = new SqliteAttributeIndex(ledger, path, { large: 50 })
  const index = new LedgerVectorIndex(ledger.vectors, { directory: join(directory, 'index'), large: 50 })
  const collection = (await ledger.collections())[0]!.ref
  await attributes.catchUp()
  await index.catchUp()
  const search = (vector: Float32Array, where: object, accuracy: number) =>
    index.search(collection, { vector, where: parseFilter(where), limit: 10, offset: 0, accuracy })
  const close = async () => {
    await index.close()
    await attributes.close()
    await ledger.close()
  }
  const ask = (known: boolean) => {
    knows = known
  }
  return { directory, notes, rows, queries: made.slice(COUNT), search, ask, close }
}

const nearest = (query: Float32Array, rows: readonly Float32Array[], passes: (number: number) => boolean) =>
  rows
    .map((row, number) => ({ number, distance: distance('cosine', query, row) }))
    .filter(({ number }) => passes(number))
    .sort((a, b) => a.distance - b.distance)
    .slice(0, 10)

describe('a filter over an approximate index', () => {
  test('finds what comparing all that pass finds, whether it is known beforehand what may pass or not', async () => {
    const { rows, queries, search, ask, close } = await begin()
    for (const [where, passes, filter, others] of [
      // A seventh is known, or found out by looking.
      [{ group: 3 }, (n: number) => n % 7 === 3, 'set', 'checked'],
      [{ number: { $lt: 1600 } }, (n: number) => n < 1600, 'checked', 'checked'],
      [{ group: { $ne: 3 } }, (n: number) => n % 7 !== 3, 'checked', 'checked'],
      [{ number: { $gte: 6900 } }, (n: number) => n >= 6900, 'set', 'set'],
      [{ number: -1 }, () => false, 'set', 'set'],
    ] as const) {
      const truth = queries.map((query) => nearest(query, rows, passes))
      for (const known of [true, false]) {
        ask(known)
        let [found, there] = [0, 0]
        for (const [i, query] of queries.entries()) {
          const expected = truth[i]!
          const near = await search(query, where, 0.98)
          expect(near.path).toMatchObject({ path: 'index', filter: known ? filter : others })
          expect(near.path.approximate).toBe(near.path.filter === 'checked')
          expect(near.hits.length).toBe(expected.length)
          const numbers = near.hits.map(({ span }) => span.metadata.number)
          there += expected.length
          found += expected.filter(({ number }) => numbers.includes(number)).length
          near.hits.forEach((hit, j) => {
            expect(passes(hit.span.metadata.number as number)).toBe(true)
            expect(hit.distance).toBeCloseTo(distance('cosine', query, rows[numbers[j] as number]!), 9)
          })
          const exact = await search(query, where, 1)
          expect(exact.hits.map(({ span }) => span.metadata.number)).toEqual(expected.map((e) => e.number))
        }
        expect(found).toBeGreaterThanOrEqual(there * 0.95)
      }
    }
    await close()
  }, 60_000)

  test('sees what was written, changed and retired since the index was made', async () => {
    const { notes, rows, queries, search, ask, close } = await begin()
    const [query] = queries
    const where = { number: { $lt: 1600 } }
    const passes = (number: number) => number < 1600
    const [first, second] = nearest(query!, rows, passes)
    const found = async (known: boolean) => {
      ask(known)
      const answer = await search(query!, where, 0.98)
      expect(answer.path.filter).toBe('checked')
      return answer.hits.map(({ span }) => span)
    }
    const [best, next] = await found(true)
    expect([best!.metadata.number, next!.metadata.number]).toEqual([first!.number, second!.number])
    await notes.retire([best!.key], { reason: 'evicted' })
    await notes.update({ keys: [next!.key], metadata: { number: 9000 } })
    const added = await notes.put({
      source: 'late',
      spans: [{ text: 'late', vector: query!, metadata: { number: 7 } }],
    })
    // One that did not pass before.
    const near = nearest(query!, rows, (number) => number >= 1600)[0]!
    const late = (await notes.find({ where: { number: near.number }, limit: 1 }))[0]!
    await notes.update({ keys: [late.key], metadata: { number: 8 } })
    for (const known of [true, false]) {
      const keys = (await found(known)).map(({ key }) => key)
      expect(keys[0]).toBe(added.added[0])
      expect(keys).not.toContain(best!.key)
      expect(keys).not.toContain(next!.key)
      expect(keys.includes(late.key)).toBe(near.distance < nearest(query!, rows, passes)[8]!.distance)
    }
    await close()
  })
})

test('a table is joined into one file before it gets its index', async () => {
  const { directory, close } = await begin()
  await close()
  const connection = await connect(join(directory, 'index'))
  const [name] = (await connection.tableNames()).filter((one) => !one.startsWith('__'))
  const table = await connection.openTable(name!)
  const { numRows, fragmentStats } = await table.stats()
  expect({ rows: numRows, files: fragmentStats.numFragments }).toEqual({ rows: COUNT, files: 1 })
  connection.close()
})

test('a set of ids holds what it was given and nothing else, however far apart they are', () => {
  const next = random(5)
  for (const far of [10, 5_000, 2 ** 40]) {
    const ids = Array.from({ length: 500 }, () => 1 + Math.floor(next() * far))
    const has = idSet(ids)
    const set = new Set(ids)
    const asked = [...ids, ...ids.flatMap((id) => [id - 1, id + 1, id + 8]), 0, far + 1, 2 ** 45]
    expect(asked.map(has)).toEqual(asked.map((id) => set.has(id)))
  }
  expect(idSet([])(0)).toBe(false)
})
