import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isSpanStoreError } from '../../src/core/errors.ts'
import { FILTER_LIMITS, fieldPath, parseFilter, type Where } from '../../src/core/filter.ts'
import { matches } from '../../src/core/filter-matches.ts'
import type { Json, Metadata } from '../../src/core/json.ts'

const check = (where: Where, metadata?: Metadata): boolean => matches(parseFilter(where), metadata)

function refusal(where: unknown) {
  try {
    parseFilter(where)
  } catch (error) {
    if (isSpanStoreError(error, 'INVALID_FILTER')) return { message: error.message, ...error.detail }
    throw error
  }
  throw new Error(`accepted ${String(where)}`)
}

function nested(depth: number, wrap: (inner: unknown) => unknown, core: unknown): unknown {
  let value = core
  for (let i = 0; i < depth; i++) value = wrap(value)
  return value
}

describe('a filter', () => {
  it('takes a bare value as $eq', () => {
    expect(check({ year: 2020 }, { year: 2020 })).toBe(true)
    expect(check({ year: 2020 }, { year: 2021 })).toBe(false)
    expect(check({ tags: ['a', 'b'] }, { tags: ['a', 'b'] })).toBe(true)
    expect(check({ tags: ['b', 'a'] }, { tags: ['a', 'b'] })).toBe(false)
  })

  it('requires every operator of a field and every field', () => {
    const where = { year: { $gt: 2000, $lt: 2010 }, lang: 'en' }
    expect(check(where, { year: 2005, lang: 'en' })).toBe(true)
    expect(check(where, { year: 2015, lang: 'en' })).toBe(false)
    expect(check(where, { year: 2005, lang: 'de' })).toBe(false)
  })

  it('combines filters with $and, $or and $not, beside fields too', () => {
    const where = { $or: [{ a: 1 }, { b: 1 }], $not: { c: 1 }, $and: [{ d: 1 }] }
    expect(check(where, { b: 1, d: 1 })).toBe(true)
    expect(check(where, { b: 1, d: 1, c: 1 })).toBe(false)
    expect(check(where, { d: 1 })).toBe(false)
  })

  it('matches everything when it states nothing', () => {
    expect(check({})).toBe(true)
    expect(check({ $not: {} }, { a: 1 })).toBe(false)
  })

  it('treats no metadata as empty metadata', () => {
    expect(check({ a: { $ne: 1 } })).toBe(true)
    expect(check({ a: { $exists: true } })).toBe(false)
  })

  it('is not changed by what the caller does to the object afterwards', () => {
    const list = [1]
    const filter = parseFilter({ a: { $eq: list } })
    list.push(2)
    expect(matches(filter, { a: [1] })).toBe(true)
  })
})

describe('a path', () => {
  it('goes through objects, and takes an escaped dot as part of a key', () => {
    expect(check({ 'author.name': 'Ada' }, { author: { name: 'Ada' } })).toBe(true)
    expect(check({ 'author.name': 'Ada' }, { 'author.name': 'Ada' })).toBe(false)
    expect(check({ 'author\\.name': 'Ada' }, { 'author.name': 'Ada' })).toBe(true)
    expect(check({ '\\$ref': 1, 'a\\\\b': 2 }, { $ref: 1, 'a\\b': 2 })).toBe(true)
    expect(check({ 'a.$ref': 1 }, { a: { $ref: 1 } })).toBe(true)
  })

  it('takes an empty segment as the empty key', () => {
    expect(check({ '': 1 }, { '': 1 })).toBe(true)
    expect(check({ 'a..b': 1 }, { a: { '': { b: 1 } } })).toBe(true)
  })

  it('takes a number as an index of an array and as a key of an object', () => {
    expect(check({ 'tags.1': 'b' }, { tags: ['a', 'b'] })).toBe(true)
    expect(check({ 'tags.1': 'b' }, { tags: { 1: 'b' } })).toBe(true)
    expect(check({ 'tags.2': { $exists: true } }, { tags: ['a', 'b'] })).toBe(false)
    expect(check({ 'tags.01': { $exists: true } }, { tags: ['a', 'b'] })).toBe(false)
    expect(check({ 'tags.length': { $exists: true } }, { tags: ['a', 'b'] })).toBe(false)
    expect(check({ 'word.0': { $exists: true } }, { word: 'abc' })).toBe(false)
  })

  it('sees own properties only', () => {
    for (const path of ['constructor', '__proto__', 'toString', 'a.constructor.name', 'a.__proto__']) {
      expect(check({ [path]: { $exists: true } }, { a: {} })).toBe(false)
    }
    expect(check({ ['__proto__']: { $eq: { x: 1 } } }, JSON.parse('{"__proto__":{"x":1}}'))).toBe(true)
    expect(check({ a: { $eq: JSON.parse('{"__proto__":1}') } }, { a: {} })).toBe(false)
  })

  it('written by fieldPath names exactly those keys', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.constantFrom('.', '\\', '$', 'a.b', ''), (a, b) => {
        const document = Object.fromEntries([[a, Object.fromEntries([[b, 'here']])]])
        return check({ [fieldPath(a, b)]: 'here' }, document)
      }),
    )
  })
})

describe('equality', () => {
  it('treats true and 1, null and missing, "1" and 1 as different values', () => {
    expect(check({ a: true }, { a: 1 })).toBe(false)
    expect(check({ a: 1 }, { a: true })).toBe(false)
    expect(check({ a: '1' }, { a: 1 })).toBe(false)
    expect(check({ a: null }, {})).toBe(false)
    expect(check({ a: null }, { a: null })).toBe(true)
    expect(check({ a: 0 }, { a: null })).toBe(false)
  })

  it('treats 0 and -0 as the same number', () => {
    expect(check({ a: -0 }, { a: 0 })).toBe(true)
    expect(check({ a: { $in: [0] } }, { a: -0 })).toBe(true)
  })

  it('compares objects deeply, whatever the order of their keys', () => {
    const where = { a: { $eq: { x: 1, y: [{ p: 1, q: 2 }] } } }
    expect(check(where, { a: { y: [{ q: 2, p: 1 }], x: 1 } })).toBe(true)
    expect(check(where, { a: { x: 1, y: [{ p: 1, q: 2 }], z: 0 } })).toBe(false)
    expect(check(where, { a: { x: 1, y: [{ p: 1 }] } })).toBe(false)
    expect(check({ a: { $eq: {} } }, { a: [] })).toBe(false)
  })

  it('has $ne and $nin as its exact negations', () => {
    expect(check({ a: { $ne: 1 } }, {})).toBe(true)
    expect(check({ a: { $ne: null } }, { a: null })).toBe(false)
    expect(check({ a: { $nin: [1, 2] } }, {})).toBe(true)
    expect(check({ a: { $nin: [1, 2] } }, { a: 2 })).toBe(false)
  })

  it('finds nothing in an empty $in and everything outside an empty $nin', () => {
    expect(check({ a: { $in: [] } }, { a: 1 })).toBe(false)
    expect(check({ a: { $nin: [] } }, { a: 1 })).toBe(true)
    expect(check({ a: { $nin: [] } }, {})).toBe(true)
  })
})

describe('order', () => {
  it('holds between two numbers or two strings and nothing else', () => {
    expect(check({ a: { $gte: 1 } }, { a: 1 })).toBe(true)
    for (const a of [true, '5', null, [5], { x: 5 }] as Json[]) {
      expect(check({ $or: [{ a: { $gte: 0 } }, { a: { $lte: 0 } }] }, { a })).toBe(false)
    }
    expect(check({ a: { $gt: 'a' } }, { a: 9 })).toBe(false)
    expect(check({ a: { $lte: 'a' } }, {})).toBe(false)
  })

  it('sorts strings by code point, where UTF-16 would differ', () => {
    expect('\u{1F600}' < '\uFF5E').toBe(true)
    expect(check({ a: { $gt: '\uFF5E' } }, { a: '\u{1F600}' })).toBe(true)
    expect(check({ a: { $lt: 'ab' } }, { a: 'a' })).toBe(true)
    expect(check({ a: { $gt: 'Z' } }, { a: 'a' })).toBe(true)
  })
})

describe('$exists and $contains', () => {
  it('count a null as there', () => {
    expect(check({ a: { $exists: true } }, { a: null })).toBe(true)
    expect(check({ a: { $exists: false } }, { a: null })).toBe(false)
    expect(check({ a: { $exists: false } }, {})).toBe(true)
  })

  it('find an equal element in an array', () => {
    expect(check({ a: { $contains: 1 } }, { a: [true, 1] })).toBe(true)
    expect(check({ a: { $contains: 1 } }, { a: [true, '1', [1]] })).toBe(false)
    expect(check({ a: { $contains: { x: 1, y: 2 } } }, { a: [{ y: 2, x: 1 }] })).toBe(true)
    expect(check({ a: { $contains: 'x' } }, { a: ['xyz'] })).toBe(false)
    expect(check({ a: { $contains: 1 } }, { a: { x: 1 } })).toBe(false)
  })

  it('find a part of a string, case-sensitively and in whole code points', () => {
    expect(check({ a: { $contains: 'Bc' } }, { a: 'aBcd' })).toBe(true)
    expect(check({ a: { $contains: 'bc' } }, { a: 'aBcd' })).toBe(false)
    expect(check({ a: { $contains: '' } }, { a: '' })).toBe(true)
    expect(check({ a: { $contains: 1 } }, { a: '1' })).toBe(false)
    expect(check({ a: { $contains: '\ud83d' } }, { a: '\u{1F600}' })).toBe(false)
    expect(check({ a: { $contains: '\ude00' } }, { a: '\u{1F600}\ude00' })).toBe(true)
  })
})

describe('an invalid filter', () => {
  it('is refused with the place of the mistake and what to write instead', () => {
    expect(refusal({ $and: [{ a: 1 }, { year: { $gt: true } }] })).toMatchObject({
      path: '$and[1].year.$gt',
      value: true,
      message: 'Invalid filter at $and[1].year.$gt: got true, but it takes a number or a string.',
    })
    expect(refusal({ a: { $in: [1, undefined] } })).toMatchObject({ path: 'a.$in[1]', value: undefined })
    expect(refusal({ a: { $eq: { b: [0, Number.NaN] } } }).path).toBe('a.$eq.b[1]')
    expect(refusal({ $gt: 1 }).message).toContain('inside a field')
    expect(refusal({ $ref: 1 }).message).toContain('write \\$ref')
    expect(refusal({ a: { $like: 1 } }).message).toContain('$contains')
    expect(refusal({ a: { $not: { $gt: 1 } } }).message).toContain('around fields')
    expect(refusal({ author: { name: 'Ada' } }).message).toContain('write the path author.name')
  })

  it('is never mistaken for a filter that matches everything', () => {
    const mistakes = [
      undefined,
      null,
      1,
      'a',
      [],
      new Date(),
      new Map(),
      () => ({}),
      { a: undefined },
      { a: {} },
      { a: { $eq: undefined } },
      { $and: [] },
      { $or: [] },
      { $or: {} },
      { $and: [[]] },
      { $not: [] },
      { $not: undefined },
      { a: { $in: 'x' } },
      { a: { $in: { 0: 1, length: 1 } } },
      { a: { $exists: 1 } },
      { a: { $gt: null } },
      { a: { $gt: [1] } },
      { a: 1n },
      { a: Symbol('a') },
      { a: new Date() },
      { a: Number.POSITIVE_INFINITY },
      { a: { $lt: Number.NaN } },
      { a: new Array(2) },
      { a: { $gt: 1, b: 1 } },
      { a: new String('x') },
      { 'a\\b': 1 },
      { 'a\\': 1 },
      { 'a.0.1.2.3.4': 1 },
    ]
    for (const mistake of mistakes)
      expect(refusal(mistake).message).toMatch(/^Invalid filter.*: got .*, but /)
  })

  it('is refused when it is too deep, too large or endless, before it costs anything', () => {
    const { depth, nodes, list } = FILTER_LIMITS
    const cyclic: Record<string, unknown> = {}
    cyclic.$not = cyclic
    const loop: unknown[] = []
    loop.push(loop)
    refusal(cyclic)
    refusal({ a: loop })
    refusal(nested(100_000, (inner) => ({ $not: inner }), {}))
    refusal(nested(100_000, (inner) => [inner], 1))
    refusal({ a: nested(100_000, (inner) => [inner], 1) })
    refusal({ a: { $eq: nested(100_000, (inner) => ({ a: inner }), 1) } })
    refusal({ [Array.from({ length: depth + 1 }, () => 'a').join('.')]: 1 })
    refusal({ $or: Array.from({ length: nodes }, () => ({ a: 1 })) })
    refusal({ a: Array.from({ length: nodes }, () => 1) })
    refusal({ a: { $in: Array.from({ length: list + 1 }, () => 1) } })
    expect(check({ a: { $in: Array.from({ length: list }, (_, i) => i) } }, { a: list - 1 })).toBe(true)
    expect(check(nested(depth - 3, (inner) => ({ $not: inner }), { a: 1 }) as Where, { a: 1 })).toBe(false)
  })

  it('is all that hostile input can cause', () => {
    const trap = (): never => {
      throw new TypeError('trap')
    }
    const revoked = Proxy.revocable({}, {})
    revoked.revoke()
    refusal({
      get a() {
        return trap()
      },
    })
    refusal(new Proxy({}, { ownKeys: trap }))
    refusal({ a: new Proxy({}, { getPrototypeOf: trap }) })
    refusal({ a: revoked.proxy })
    const operator = fc.constantFrom(
      '$eq',
      '$gt',
      '$in',
      '$nin',
      '$and',
      '$or',
      '$not',
      '$exists',
      '$contains',
      '$x',
    )
    const noise = fc.object({
      key: fc.oneof(
        operator,
        fc.string({ unit: 'binary' }),
        fc.constantFrom('__proto__', 'constructor', 'a.0'),
      ),
      values: [fc.anything({ withBigInt: true, withDate: true, withMap: true, withNullPrototype: true })],
      maxDepth: 4,
    })
    fc.assert(
      fc.property(fc.oneof(noise, fc.anything()), (input) => {
        try {
          expect(typeof matches(parseFilter(input), { a: [1], b: 'x' })).toBe('boolean')
        } catch (error) {
          expect(isSpanStoreError(error, 'INVALID_FILTER')).toBe(true)
        }
      }),
      { numRuns: 1000 },
    )
  })
})
