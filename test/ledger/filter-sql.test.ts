import Database from 'better-sqlite3'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { FILTER_LIMITS, fieldPath, parseFilter } from '../../src/core/filter.ts'
import { matches } from '../../src/core/filter-matches.ts'
import type { Metadata } from '../../src/core/json.ts'
import { filterSql } from '../../src/ledger/sqlite/filter-sql.ts'
import { document, filterOf, KEYS, NUMBERS, type Row, reversed, STRINGS } from './filters.ts'

const db = new Database(':memory:')
db.exec('CREATE TABLE spans (id INTEGER PRIMARY KEY, metadata TEXT)')
const insert = db.prepare('INSERT INTO spans VALUES (?, ?)')
afterAll(() => db.close())

function load(rows: readonly Row[]): void {
  db.exec('DELETE FROM spans')
  rows.forEach((row, id) => {
    insert.run(id, row === undefined ? null : JSON.stringify(row))
  })
}

/** The rows SQLite selects; fails if the expression is anything but 0 or 1. */
function select(where: unknown, column = 's.metadata'): number[] {
  const { sql, params } = filterSql(parseFilter(where), column)
  const rows = db.prepare(`SELECT id, ${sql} AS hit FROM spans AS s ORDER BY id`).all(...params)
  return (rows as { id: number; hit: unknown }[]).flatMap(({ id, hit }) => {
    expect([0, 1]).toContain(hit)
    return hit === 1 ? [id] : []
  })
}

const expected = (where: unknown, rows: readonly Row[]): number[] => {
  const filter = parseFilter(where)
  // What was stored is what JSON kept of it.
  const stored = rows.map((row): Row => (row === undefined ? undefined : JSON.parse(JSON.stringify(row))))
  return stored.flatMap((row, id) => (matches(filter, row) ? [id] : []))
}

function agree(where: unknown, rows: readonly Row[]): number[] {
  load(rows)
  const ids = select(where)
  expect(ids).toEqual(expected(where, rows))
  return ids
}

describe('a filter compiled to SQL', () => {
  it('selects exactly the rows the reference evaluator accepts', { timeout: 120_000 }, () => {
    const rows = fc.array(fc.option(document, { nil: undefined, freq: 8 }), { minLength: 2, maxLength: 6 })
    let hits = 0
    let runs = 0
    fc.assert(
      fc.property(
        rows.chain((some) => fc.tuple(fc.constant(some), filterOf(some))),
        ([some, where]) => {
          const ids = agree(where, some)
          runs++
          if (ids.length > 0 && ids.length < some.length) hits++
        },
      ),
      { numRuns: Number(process.env.FC_RUNS ?? 4000) },
    )
    // Guards the generator: a property about filters that select all or nothing would prove little.
    expect(hits / runs).toBeGreaterThan(0.25)
  })

  it('treats true and 1, null and missing, and no metadata at all as different', () => {
    const rows = [{ a: true }, { a: 1 }, { a: null }, {}, undefined]
    expect(agree({ a: true }, rows)).toEqual([0])
    expect(agree({ a: 1 }, rows)).toEqual([1])
    expect(agree({ a: null }, rows)).toEqual([2])
    expect(agree({ a: { $gte: 0 } }, rows)).toEqual([1])
    expect(agree({ a: { $ne: 1 } }, rows)).toEqual([0, 2, 3, 4])
    expect(agree({ a: { $exists: false } }, rows)).toEqual([3, 4])
    expect(agree({}, rows)).toEqual([0, 1, 2, 3, 4])
  })

  it('finds every key there is, and no other', () => {
    const rows = KEYS.map((name): Metadata => Object.fromEntries([[name, Object.fromEntries([[name, 1]])]]))
    KEYS.forEach((name, id) => {
      expect(agree({ [fieldPath(name)]: { $exists: true } }, rows)).toEqual([id])
      expect(agree({ [fieldPath(name, name)]: 1 }, rows)).toEqual([id])
    })
  })

  it('tells all strings and all numbers apart, and orders them as the reference does', () => {
    const rows = [...new Set(STRINGS), ...new Set(NUMBERS)].map((a): Metadata => ({ a, list: ['…', a] }))
    rows.forEach(({ a }, id) => {
      expect(agree({ a: a! }, rows)).toEqual([id])
      expect(agree({ a: { $in: [a, 'no such'] } }, rows)).toEqual([id])
      expect(agree({ list: { $contains: a } }, rows)).toEqual([id])
      for (const operator of ['$gt', '$gte', '$lt', '$lte']) agree({ a: { [operator]: a } }, rows)
      agree({ a: { $contains: a } }, rows)
    })
  })

  it('reads any double back exactly', () => {
    const wide = fc.oneof(
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.maxSafeInteger(),
      fc.constantFrom(...NUMBERS),
    )
    fc.assert(
      fc.property(wide, wide, (x, y) => {
        load([
          { a: x, list: [x] },
          { a: y, list: [y] },
        ])
        expect(select({ a: { $gt: x } })).toEqual(y > x ? [1] : [])
        expect(select({ list: { $contains: x } })).toEqual(x === y ? [0, 1] : [0])
      }),
      { numRuns: 2000 },
    )
  })

  it('compares objects whatever the order of their keys, at any depth', () => {
    const value = { x: 1, y: [{ p: 1, q: [], 'r"': {} }, 2], z: null }
    const rows = [
      { a: value },
      { a: reversed(value) },
      { a: { ...value, more: 1 } },
      { a: { x: 1 } },
      { a: JSON.stringify(value) },
    ]
    expect(agree({ a: { $eq: value } }, rows)).toEqual([0, 1])
    expect(agree({ a: { $in: [7, reversed(value)] } }, rows)).toEqual([0, 1])
    const lists = rows.map(({ a }): Metadata => ({ a: ['{', a] }))
    expect(agree({ a: { $contains: value } }, lists)).toEqual([0, 1])
  })

  it('never lets a value or a path into the text of the statement', () => {
    const evil = `x'"); DROP TABLE spans; --`
    const { sql } = filterSql(
      parseFilter({ [fieldPath(evil)]: { $in: [evil, { [evil]: evil, b: 1 }], $contains: evil, $gt: evil } }),
      'm',
    )
    expect(sql).not.toContain('DROP')
    expect(agree({ [fieldPath(evil)]: evil }, [{ [evil]: evil }, {}])).toEqual([0])
  })

  it('gives one statement text to filters that differ only in their values', () => {
    const text = (where: unknown) => filterSql(parseFilter(where), 'm').sql
    expect(text({ a: { $in: [1] } })).toBe(text({ b: { $in: ['x', null, [1, 2]] } }))
    expect(text({ a: { $gt: 1 } })).toBe(text({ b: { $gt: 2.5 } }))
  })

  it('runs at every limit of the grammar', () => {
    const { depth, nodes, list, indexes } = FILTER_LIMITS
    const rows: Row[] = [{ a: 1 }, { a: 2 }, undefined]
    agree({ $or: Array.from({ length: (nodes - 1) / 2 - 1 }, (_, i) => ({ a: i })) }, rows)
    agree({ $and: Array.from({ length: (nodes - 1) / 2 - 1 }, (_, i) => ({ b: { $ne: i } })) }, rows)
    agree({ a: { $in: Array.from({ length: list }, (_, i) => i + 2) } }, rows)
    let deep: unknown = { a: 1 }
    for (let i = 0; i < depth / 2 - 2; i++)
      deep = i % 2 ? { $not: deep } : { $or: [{ a: -1 }, { $and: [deep] }] }
    agree(deep, rows)
    const wide = Object.fromEntries(Array.from({ length: nodes - 2 }, (_, i) => [`k${i}`, i]))
    expect(agree({ a: { $eq: wide } }, [{ a: reversed(wide) }, { a: { ...wide, k0: 1 } }])).toEqual([0])
    const many = Array.from({ length: 60 }, (_, i) => ({ x: i, y: i }))
    const path = Array.from({ length: indexes }, () => '0').join('.')
    expect(
      agree({ [path]: { $eq: many[0] }, $not: { [path]: { $in: many.slice(1, 35) } } }, [
        { 0: [{ 0: [many[0]!] }] },
      ]),
    ).toEqual([0])
    agree({ [Array.from({ length: depth }, () => 'a').join('.')]: 1 }, rows)
  })

  it('works on a bare column and inside a larger query', () => {
    load([{ a: 'x' }, { a: 'y' }, undefined])
    expect(select({ a: { $contains: 'x' } }, 'metadata')).toEqual([0])
    const { sql, params } = filterSql(parseFilter({ a: { $ne: 'x' } }), 'metadata')
    const ids = db
      .prepare(`SELECT id FROM spans WHERE id < ? AND ${sql} AND id >= ?`)
      .pluck()
      .all(9, ...params, 2)
    expect(ids).toEqual([2])
  })
})
