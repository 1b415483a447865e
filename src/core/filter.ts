import { SpanStoreError } from './errors.ts'
import type { Json } from './json.ts'

/**
 * The metadata filter: one grammar for every place that takes a `where`. This file is its definition,
 * `matches` (filter-matches.ts) the reference: what a ledger compiles a filter to must give the same answer for every document.
 *
 * **Paths.** `author.name` goes through objects. A backslash makes the next `.`, `\` or `$` part of the key:
 * `author\.name` (in source code `'author\\.name'`) is one key with a dot, `\$ref` a key that starts with `$`;
 * `fieldPath` writes this for you. An empty segment is the empty key. A segment that reads as a number (`tags.0`)
 * is an index where it meets an array and a key where it meets an object. Nothing else goes through arrays, and
 * only own properties count, so `constructor` or `__proto__` are keys like any other.
 *
 * **Operators.** Every one is true or false for every document; there is no third value.
 *
 * | | |
 * |---|---|
 * | `$eq` | present and equal: same JSON type, same value, arrays in order, objects whatever the order of their keys. `-0` equals `0`; `true` is not `1`; `null` equals only a `null` that is there |
 * | `$gt` `$gte` `$lt` `$lte` | between two numbers, or between two strings by code point (the order of their UTF-8 bytes, not of UTF-16 units); false for any other pair |
 * | `$in` | `$eq` to one of the list; `[]` matches nothing |
 * | `$ne` `$nin` | the exact negation of `$eq` and `$in`: a document without the path satisfies them |
 * | `$exists` | whether the path is there; a `null` is there |
 * | `$contains` | an array with an element `$eq` to the value, or, when the value is a string, a string it is a case-sensitive part of (in whole code points) |
 *
 * Several operators on a field, and several fields, are and-ed. `{}` states no condition and matches everything;
 * an empty `$and` or `$or` is an error, because it is nearly always a list that was meant to have something in it.
 */
export interface Where {
  readonly $and?: readonly Where[]
  readonly $or?: readonly Where[]
  readonly $not?: Where
  /** A field's path, and what it must equal or the operators it must satisfy. */
  readonly [path: string]: FieldCondition | readonly Where[] | Where
}

/** A value means `$eq`. An object to compare with needs `$eq` spelled out: it could be taken for a nested path. */
export type FieldCondition = string | number | boolean | null | readonly Json[] | FieldOperators

export interface FieldOperators {
  readonly $eq?: Json
  readonly $ne?: Json
  readonly $gt?: number | string
  readonly $gte?: number | string
  readonly $lt?: number | string
  readonly $lte?: number | string
  readonly $in?: readonly Json[]
  readonly $nin?: readonly Json[]
  readonly $exists?: boolean
  readonly $contains?: Json
}

export type Order = 'gt' | 'gte' | 'lt' | 'lte'

/** A filter that has been understood: it holds copies, is within the limits, and can be answered without failing. */
export type Filter =
  | { readonly op: 'and' | 'or'; readonly filters: readonly Filter[] }
  | { readonly op: 'not'; readonly filter: Filter }
  | { readonly op: 'exists'; readonly path: readonly string[] }
  | { readonly op: 'eq' | 'contains'; readonly path: readonly string[]; readonly value: Json }
  | { readonly op: 'in'; readonly path: readonly string[]; readonly values: readonly Json[] }
  | { readonly op: Order; readonly path: readonly string[]; readonly value: number | string }

/**
 * `depth` counts nested filters, values and path segments; `nodes` counts conditions and the parts of compared
 * arrays and objects, doubled for each `indexes` segment on the way (such a segment has two places to look);
 * `list` counts the values of one `$in`, whose scalars are not nodes.
 */
export const FILTER_LIMITS = { depth: 64, nodes: 2_000, list: 10_000, indexes: 4 } as const

/** Whether a path segment is an index where it meets an array. */
export const isIndex = (segment: string): boolean => /^(?:0|[1-9]\d{0,8})$/.test(segment)

/** The path of a field whose keys are these, taken literally: `fieldPath('a.b', 'c')` is `a\.b.c`. */
export const fieldPath = (...keys: [string, ...string[]]): string =>
  keys.map((key) => key.replace(/[\\.$]/g, '\\$&')).join('.')

/** Understands a filter, or throws `INVALID_FILTER` naming the place and what to write instead; never anything else. */
export function parseFilter(where: unknown): Filter {
  try {
    return parseWhere(where, '', 1, { left: FILTER_LIMITS.nodes })
  } catch (error) {
    if (error instanceof SpanStoreError) throw error
    // A getter or a proxy of the caller's object threw while it was read.
    const detail = { path: '', value: where }
    throw new SpanStoreError('INVALID_FILTER', 'The filter cannot be read. Pass plain JSON.', detail, {
      cause: error,
    })
  }
}

type Budget = { left: number }

function parseWhere(where: unknown, at: string, depth: number, budget: Budget): Filter {
  if (!isPlainObject(where)) fail(at, where, 'a filter is an object such as { year: { $gt: 2000 } }')
  enter(at, where, depth, budget)
  const filters: Filter[] = []
  for (const key of Object.keys(where)) {
    const value = where[key]
    const here = at === '' ? key : `${at}.${key}`
    if (key === '$and' || key === '$or') {
      if (!Array.isArray(value) || value.length === 0)
        fail(here, value, `${key} takes a list of one or more filters`)
      const parts: Filter[] = []
      for (let i = 0; i < value.length; i++)
        parts.push(parseWhere(value[i], `${here}[${i}]`, depth + 1, budget))
      filters.push({ op: key === '$and' ? 'and' : 'or', filters: parts })
    } else if (key === '$not') {
      filters.push({ op: 'not', filter: parseWhere(value, here, depth + 1, budget) })
    } else if (key.startsWith('$')) {
      if (Object.hasOwn(OPERATORS, key))
        fail(here, value, `${key} goes inside a field, as in { year: { ${key}: … } }`)
      fail(here, value, `there is no operator ${key}; for a metadata key of that name write \\${key}`)
    } else {
      filters.push(...parseField({ path: parsePath(key, here), here, depth: depth + 1, budget }, value))
    }
  }
  return filters.length === 1 ? filters[0]! : { op: 'and', filters }
}

/** Splits a path at its dots and takes the escapes out. */
function parsePath(path: string, at: string): readonly string[] {
  const segments: string[] = []
  let segment = ''
  for (let i = 0; i < path.length; i++) {
    const char = path[i]!
    if (char === '\\') {
      const next = path[++i]
      if (next !== '.' && next !== '\\' && next !== '$') {
        fail(
          at,
          path,
          'a backslash in a path escapes only a dot, a backslash or a $; for a backslash write two',
        )
      }
      segment += next
    } else if (char === '.') {
      segments.push(segment)
      segment = ''
    } else segment += char
  }
  segments.push(segment)
  const { depth, indexes } = FILTER_LIMITS
  if (segments.length > depth) fail(at, path, `a path has at most ${depth} segments`)
  if (segments.filter(isIndex).length > indexes)
    fail(at, path, `a path has at most ${indexes} numeric segments`)
  return segments
}

interface Field {
  readonly path: readonly string[]
  readonly here: string
  readonly depth: number
  readonly budget: Budget
}

function parseField(field: Field, condition: unknown): Filter[] {
  if (!isPlainObject(condition)) return [OPERATORS.$eq(field, condition)]
  const keys = Object.keys(condition)
  if (keys.length === 0)
    fail(field.here, condition, 'a field needs an operator; for an empty object write { $eq: {} }')
  return keys.map((key) => {
    const value = condition[key]
    const here = `${field.here}.${key}`
    const parse = Object.hasOwn(OPERATORS, key) ? OPERATORS[key as keyof FieldOperators] : undefined
    if (parse !== undefined) return parse({ ...field, here, depth: field.depth + 1 }, value)
    if (key === '$and' || key === '$or' || key === '$not') {
      fail(
        here,
        value,
        `${key} goes around fields, as in { ${key}: ${key === '$not' ? '{ … }' : '[{ … }]'} }`,
      )
    }
    if (key.startsWith('$')) fail(here, value, `there is no operator ${key}; a field takes ${OPERATOR_NAMES}`)
    fail(
      here,
      value,
      `for a nested key write the path ${field.here}.${fieldPath(key)}; to compare with a whole object write { $eq: { … } }`,
    )
  })
}

type ParseOperator = (field: Field, value: unknown) => Filter

const not = (filter: Filter): Filter => ({ op: 'not', filter })

const parseEq: ParseOperator = (field, value) => ({
  op: 'eq',
  path: field.path,
  value: parseValue(field, value),
})

const parseIn: ParseOperator = (field, list) => {
  const { path, here, depth, budget } = field
  if (!Array.isArray(list)) fail(here, list, 'it takes a list of values')
  if (list.length > FILTER_LIMITS.list) fail(here, list, `it takes at most ${FILTER_LIMITS.list} values`)
  enter(here, list, depth, budget, path)
  const values: Json[] = []
  for (let i = 0; i < list.length; i++) {
    const value: unknown = list[i]
    const place = `${here}[${i}]`
    const part = { ...field, here: place, depth: depth + 1 }
    values.push(typeof value === 'object' && value !== null ? parseValue(part, value) : scalar(place, value))
  }
  return { op: 'in', path, values }
}

const parseExists: ParseOperator = ({ path, here, depth, budget }, value) => {
  if (typeof value !== 'boolean') fail(here, value, 'it takes true or false')
  enter(here, value, depth, budget, path)
  return value ? { op: 'exists', path } : not({ op: 'exists', path })
}

const parseOrder =
  (op: Order): ParseOperator =>
  ({ path, here, depth, budget }, value) => {
    enter(here, value, depth, budget, path)
    const bound = scalar(here, value)
    if (typeof bound !== 'number' && typeof bound !== 'string')
      fail(here, value, 'it takes a number or a string')
    return { op, path, value: bound }
  }

const OPERATORS: Record<keyof FieldOperators, ParseOperator> = {
  $eq: parseEq,
  $ne: (field, value) => not(parseEq(field, value)),
  $gt: parseOrder('gt'),
  $gte: parseOrder('gte'),
  $lt: parseOrder('lt'),
  $lte: parseOrder('lte'),
  $in: parseIn,
  $nin: (field, value) => not(parseIn(field, value)),
  $exists: parseExists,
  $contains: (field, value) => ({ op: 'contains', path: field.path, value: parseValue(field, value) }),
}

const OPERATOR_NAMES = Object.keys(OPERATORS).join(' ')

/** A copy of a JSON value, so that nothing the caller does to it later changes the filter. */
function parseValue(field: Field, value: unknown): Json {
  const { path, here, depth, budget } = field
  enter(here, value, depth, budget, path)
  if (Array.isArray(value)) {
    const items: Json[] = []
    for (let i = 0; i < value.length; i++) {
      items.push(parseValue({ ...field, here: `${here}[${i}]`, depth: depth + 1 }, value[i]))
    }
    return items
  }
  if (!isPlainObject(value)) return scalar(here, value)
  // `fromEntries` defines properties; assigning would give `__proto__` its special meaning.
  return Object.fromEntries(
    Object.keys(value).map((key) => [
      key,
      parseValue({ ...field, here: `${here}.${key}`, depth: depth + 1 }, value[key]),
    ]),
  )
}

function scalar(at: string, value: unknown): string | number | boolean | null {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'number' && Number.isFinite(value)) return value
  fail(at, value, 'a value is JSON: a string, a finite number, true, false, null, a list or a plain object')
}

/** Counts one node and checks both limits. */
function enter(
  at: string,
  value: unknown,
  depth: number,
  budget: Budget,
  path: readonly string[] = [],
): void {
  if (depth > FILTER_LIMITS.depth) fail(at, value, `a filter is at most ${FILTER_LIMITS.depth} levels deep`)
  budget.left -= 2 ** path.filter(isIndex).length
  if (budget.left < 0) {
    fail(
      at,
      value,
      `a filter has at most ${FILTER_LIMITS.nodes} conditions; give many values of one field to $in`,
    )
  }
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  // Object.prototype of any realm: the only one without a prototype of its own.
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

function fail(path: string, value: unknown, advice: string): never {
  const where = path === '' ? 'Invalid filter' : `Invalid filter at ${clip(path)}`
  throw new SpanStoreError('INVALID_FILTER', `${where}: got ${show(value)}, but ${advice}.`, { path, value })
}

const clip = (text: string): string => (text.length > 120 ? `${text.slice(0, 120)}…` : text)

/** Names a value in a message without reading into it. */
function show(value: unknown): string {
  if (typeof value === 'string') return clip(JSON.stringify(value))
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : `a list of ${value.length}`
  if (typeof value === 'bigint') return 'a bigint'
  if (typeof value === 'function' || typeof value === 'symbol') return `a ${typeof value}`
  if (typeof value !== 'object' || value === null) return Object.is(value, -0) ? '-0' : String(value)
  if (!isPlainObject(value)) return 'a class instance'
  return clip(`an object with the keys ${JSON.stringify(Object.keys(value).slice(0, 8))}`)
}
