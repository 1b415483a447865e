import Database from 'better-sqlite3'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { FILTER_LIMITS, fieldPath, matches, parseFilter } from '../../src/core/filter.ts'
import type { Json, Metadata } from '../../src/core/json.ts'
import { filterSql } from '../../src/ledger/sqlite/filter-sql.ts'

const db = new Database(':memory:')
db.exec('CREATE TABLE spans (id INTEGER PRIMARY KEY, metadata TEXT)')
const insert = db.prepare('INSERT INTO spans VALUES (?, ?)')
afterAll(() => db.close())

type Row = Metadata | undefined

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

const KEYS = [
  'a',
  'b',
  '',
  '0',
  '1',
  '01',
  'a.b',
  'a"b',
  '"',
  '\\',
  'a\\',
  '\\"',
  '\\u0061',
  "'",
  '[0]',
  '#',
  '$',
  '$eq',
  '\0',
  'a\0b',
  'a\0',
  'a\0c',
  'a\x01b',
  '\\u0000',
  'a\\u0000',
  '\n',
  '\u007f',
  '\u2028',
  'é',
  'e\u0301',
  '日本',
  '😀',
  '\ud83d',
  '\ude00',
  '\ufffd',
  '__proto__',
  'constructor',
  'toString',
  'length',
]
const STRINGS = [
  ...KEYS,
  'abc',
  'ab\0c',
  'ab\0d',
  'A',
  '1',
  'true',
  'null',
  '{}',
  '[1]',
  '\uff5e',
  'x\ud83dy',
  '😀\ude00',
  '"a"',
  '%',
  '*',
]
const NUMBERS = [
  0,
  -0,
  1,
  -1,
  2,
  0.1,
  0.1 + 0.2,
  0.3,
  1e21,
  1e-7,
  1e308,
  5e-324,
  Number.MAX_VALUE,
  2 ** 31,
  2 ** 53,
  2 ** 53 - 1,
  2 ** 53 + 2,
  2 ** 60,
  2 ** 60 + 256,
  2 ** 63,
  2 ** 63 - 1024,
  -(2 ** 63),
  -(2 ** 60),
  2 ** 64,
  26123733875783170,
  26123733875783164,
]

const key = fc.oneof({ weight: 5, arbitrary: fc.constantFrom('a', 'b', '0', '1') }, fc.constantFrom(...KEYS))
const scalar = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom<Json>(0, 1, true, false, null, 'a', '', '1') },
  { weight: 2, arbitrary: fc.constantFrom(...STRINGS) },
  { weight: 2, arbitrary: fc.constantFrom(...NUMBERS) },
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc
    .array(fc.constantFrom('a', '\0', '😀', '\ud83d', '\ude00', '"', '\\', 'é'), { maxLength: 4 })
    .map((parts) => parts.join('')),
)
const entries = (value: fc.Arbitrary<Json>): fc.Arbitrary<Metadata> =>
  fc.array(fc.tuple(key, value), { maxLength: 4 }).map((pairs) => Object.fromEntries(pairs))
const { json } = fc.letrec<{ json: Json }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    scalar,
    fc.array(tie('json'), { maxLength: 3 }),
    entries(tie('json')),
  ),
}))
const document = entries(json)

/** Every path in a document with the value there. */
function places(value: Json, keys: readonly string[] = []): { keys: readonly string[]; value: Json }[] {
  const here = keys.length === 0 ? [] : [{ keys, value }]
  if (typeof value !== 'object' || value === null) return here
  return [...here, ...Object.entries(value).flatMap(([name, part]) => places(part as Json, [...keys, name]))]
}

/** The same value with the keys of its objects in the opposite order. */
function reversed(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return (value as readonly Json[]).map(reversed)
  return Object.fromEntries(
    Object.entries(value as Metadata)
      .map(([name, part]) => [name, reversed(part)] as const)
      .reverse(),
  )
}

const parts = (value: Json): readonly Json[] =>
  Array.isArray(value) ? value : typeof value === 'string' ? [value.slice(1), value.slice(0, -1)] : [value]

/** Filters about rows: most paths and values are taken from them, so that most conditions are near the edge. */
function filterOf(rows: readonly Row[]): fc.Arbitrary<unknown> {
  const all = rows.flatMap((row) => (row === undefined ? [] : places(row)))
  const place = fc.oneof(
    {
      weight: all.length > 0 ? 6 : 0,
      arbitrary: all.length > 0 ? fc.constantFrom(...all) : fc.constant(undefined as never),
    },
    fc.record({ keys: fc.array(key, { minLength: 1, maxLength: 3 }), value: json }),
  )
  const field = place
    .filter(({ keys }) => keys.filter((one) => /^\d+$/.test(one)).length <= FILTER_LIMITS.indexes)
    .chain(({ keys, value }) => {
      const near = fc.oneof(
        { weight: 3, arbitrary: fc.constantFrom(value, reversed(value)) },
        {
          weight: 2,
          arbitrary: parts(value).length > 0 ? fc.constantFrom(...parts(value)).map(reversed) : json,
        },
        ...(all.length > 0 ? [fc.constantFrom(...all).map((one) => one.value)] : []),
        json,
      )
      const bound = near.map((one) => (typeof one === 'number' || typeof one === 'string' ? one : 0))
      const condition = fc.oneof(
        fc.tuple(fc.constantFrom('$eq', '$ne', '$contains'), near),
        fc.tuple(fc.constantFrom('$contains'), near),
        fc.tuple(fc.constantFrom('$gt', '$gte', '$lt', '$lte'), bound),
        fc.tuple(fc.constantFrom('$in', '$nin'), fc.array(near, { maxLength: 4 })),
        fc.tuple(fc.constantFrom('$exists'), fc.boolean()),
      )
      const path = fieldPath(...(keys as [string, ...string[]]))
      return fc
        .array(condition, { minLength: 1, maxLength: 2 })
        .map((one) => ({ [path]: Object.fromEntries(one) }))
    })
  const { filter } = fc.letrec<{ filter: unknown }>((tie) => ({
    filter: fc.oneof(
      { maxDepth: 3 },
      { weight: 3, arbitrary: field },
      fc
        .array(field, { maxLength: 3 })
        .map((fields) => Object.fromEntries(fields.flatMap((one) => Object.entries(one)))),
      fc
        .tuple(fc.constantFrom('$and', '$or'), fc.array(tie('filter'), { minLength: 1, maxLength: 3 }))
        .map(([name, list]) => ({ [name]: list })),
      tie('filter').map((inner) => ({ $not: inner })),
    ),
  }))
  return filter
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
