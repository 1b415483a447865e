import Database from 'better-sqlite3'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { coverOf } from '../../src/attributes/cover.ts'
import { openAttributes } from '../../src/attributes/database.ts'
import { prefixOf } from '../../src/attributes/entries.ts'
import { packIds, unpackIds } from '../../src/attributes/ids.ts'
import { countOf, idsOf, Postings } from '../../src/attributes/postings.ts'
import { parseFilter } from '../../src/core/filter.ts'
import { matches } from '../../src/core/filter-matches.ts'
import type { Metadata } from '../../src/core/json.ts'
import { document, filterOf } from '../ledger/filters.ts'

const { connection } = openAttributes('test', undefined)
afterAll(() => connection.db.close())

async function load(rows: readonly Metadata[]): Promise<void> {
  connection.db.exec('DELETE FROM attribute_posting; DELETE FROM attribute_field')
  const postings = new Postings()
  rows.forEach((row, i) => {
    postings.add(i + 1, JSON.stringify(row))
  })
  await postings.write(connection, 1, async () => {})
}

/** What a filter's cover finds; undefined: it has none. */
function found(where: unknown, most = 1_000_000): number[] | undefined {
  const cover = coverOf(parseFilter(where), (lookup, limit) => countOf(connection, 1, lookup, limit), most)
  if (cover === undefined) return undefined
  const ids = new Set<number>()
  for (const lookup of cover.lookups) idsOf(connection, 1, lookup, ids)
  return [...ids].sort((a, b) => a - b)
}

describe('what a filter is looked up by', () => {
  test('finds every span that passes', async () => {
    const rows = fc.array(document, { minLength: 2, maxLength: 6 })
    let covered = 0
    let passed = 0
    await fc.assert(
      fc.asyncProperty(
        rows.chain((some) => fc.tuple(fc.constant(some), filterOf(some))),
        async ([some, where]) => {
          await load(some)
          const ids = found(where)
          if (ids === undefined) return
          covered++
          const stored = some.map((row) => JSON.parse(JSON.stringify(row)) as Metadata)
          const passing = stored.flatMap((row, i) => (matches(parseFilter(where), row) ? [i + 1] : []))
          if (passing.length > 0) passed++
          for (const id of passing) expect(ids).toContain(id)
        },
      ),
      { numRuns: Number(process.env.FC_RUNS ?? 3000) },
    )
    // Guards the generator: filters that are not covered, or pass nothing, would prove little.
    expect(covered).toBeGreaterThan(300)
    expect(passed).toBeGreaterThan(60)
  })

  test('is the condition that fewest spans have', async () => {
    await load(
      Array.from({ length: 3000 }, (_, i) => ({
        lang: i % 2 === 0 ? 'de' : 'en',
        at: { year: 1000 + i },
        tags: [`t${i % 300}`, 'all'],
      })),
    )
    expect(found({ lang: 'de', 'at.year': 1004 })).toEqual([5])
    expect(found({ lang: 'de', 'at.year': { $gte: 3990 } })).toHaveLength(10)
    expect(found({ 'at.year': { $in: [1000, 1001, 7] } })).toEqual([1, 2])
    expect(found({ tags: { $contains: 't7' } })).toHaveLength(10)
    expect(found({ $or: [{ 'at.year': 1000 }, { lang: 'fr' }] })).toEqual([1])
    expect(found({ nowhere: { $exists: true } })).toEqual([])
  })

  test('is given up where it finds too many, or would have to find what is not there', async () => {
    await load(Array.from({ length: 100 }, (_, i) => ({ lang: 'de', number: i })))
    expect(found({ lang: 'de' }, 50)).toBeUndefined()
    expect(found({ lang: 'de', number: 3 }, 50)).toEqual([4])
    expect(found({ $or: [{ lang: 'de' }, { number: 3 }] }, 50)).toBeUndefined()
    expect(found({ number: { $ne: 3 } })).toBeUndefined()
    expect(found({ $or: [{ number: 3 }, { number: { $exists: false } }] })).toBeUndefined()
    expect(found({ 'number.0': 3 })).toBeUndefined()
  })

  test('finds what is too large to be taken apart by everything', async () => {
    await load([{ list: Array.from({ length: 500 }, (_, i) => i) }, { list: [1] }, { other: 1 }])
    expect(found({ list: { $contains: 1 } })).toEqual([1, 2])
    expect(found({ other: 1 })).toEqual([1, 3])
  })

  test('orders beginnings of texts as the texts are ordered', () => {
    const long = fc
      .tuple(fc.string({ unit: fc.constantFrom('a', '\uff5e', '😀'), maxLength: 70 }), fc.string())
      .map(([start, end]) => `${'a'.repeat(60)}${start}${end}`)
    const db = new Database(':memory:')
    const below = db.prepare('SELECT ? < ?').pluck()
    fc.assert(
      fc.property(long, long, (a, b) => {
        const [p, q] = [prefixOf(a), prefixOf(b)]
        if (p === undefined || q === undefined) return
        if (below.get(a, b) === 1) expect(below.get(q, p)).toBe(0)
      }),
      { numRuns: 2000 },
    )
    db.close()
  })

  test('keeps ids of any size', () => {
    const ids = [1, 2, 3, 127, 128, 300, 2 ** 31, 2 ** 40 + 1, Number.MAX_SAFE_INTEGER]
    expect(unpackIds(packIds(ids))).toEqual(ids)
    expect(packIds(Array.from({ length: 1000 }, (_, i) => 5000 + i))).toHaveLength(1001)
  })
})
