import fc from 'fast-check'
import { FILTER_LIMITS, fieldPath } from '../../src/core/filter.ts'
import type { Json, Metadata } from '../../src/core/json.ts'

/** Metadata and filters about it, near every edge of the grammar. */

export type Row = Metadata | undefined

export const KEYS = [
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
export const STRINGS = [
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
export const NUMBERS = [
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
export const document = entries(json)

/** Every path in a document with the value there. */
function places(value: Json, keys: readonly string[] = []): { keys: readonly string[]; value: Json }[] {
  const here = keys.length === 0 ? [] : [{ keys, value }]
  if (typeof value !== 'object' || value === null) return here
  return [...here, ...Object.entries(value).flatMap(([name, part]) => places(part as Json, [...keys, name]))]
}

/** The same value with the keys of its objects in the opposite order. */
export function reversed(value: Json): Json {
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
export function filterOf(rows: readonly Row[]): fc.Arbitrary<unknown> {
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
