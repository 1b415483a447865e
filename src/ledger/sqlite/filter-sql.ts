import { type Filter, isIndex, type Order } from '../../core/filter.ts'
import type { Json } from '../../core/json.ts'

/**
 * Compiles a filter to an SQLite expression over a TEXT column that holds what `JSON.stringify` made of the
 * metadata, or NULL for none. The expression is 1 for exactly the rows `matches` accepts and 0 for all others, never
 * NULL, so it can be negated and combined. Parameters are positional, in the order of the text.
 *
 * `column` is spliced as it is and is evaluated several times: give it a column of your own schema, `s.metadata`.
 *
 * It rests on four properties of SQLite's JSON functions, which the tests hold it to:
 * - a path label quoted by `JSON.stringify` finds the key that `JSON.stringify` wrote, unless there is a NUL in one
 *   of them: SQLite compares keys only up to it, and `"a"` finds `"a\u0000b"`;
 * - `->` gives back the stored text of a value to the byte, so scalars are equal when their texts are. That keeps
 *   `true` from `1`, and leaves lone surrogates in their escaped form;
 * - `->>` decodes strings to UTF-8 (lone surrogates to their three bytes), and TEXT compares by bytes;
 * - `->>` reads numbers exactly, except that integers below 2^63 are taken digit by digit (see `numberSql`).
 *
 * The few documents with a NUL in them are therefore read in a form of their own, see `nulSafe`.
 */
export function filterSql(filter: Filter, column: string): { sql: string; params: Param[] } {
  const plain: Document = {
    json: { text: column, params: [] },
    text: (found) => found,
    decoded: (found) => found,
  }
  if (filter.op === 'and' && filter.filters.length === 0) return { sql: '1', params: [] }
  const { text, params } = sql`(CASE WHEN instr(${plain.json}, '\\u0000') THEN
    (SELECT ${compile(filter, NUL_SAFE)} FROM (SELECT ${nulSafe(plain.json)} AS json) AS nul_safe)
    ELSE ${compile(filter, plain)} END)`
  return { sql: text, params: [...params] }
}

type Param = string | number | null

interface Sql {
  readonly text: string
  readonly params: readonly Param[]
}

/** A template whose holes are either SQL or bound: no value can end up in the text. */
function sql(strings: TemplateStringsArray, ...holes: readonly (Sql | Param)[]): Sql {
  let text = strings[0]!
  const params: Param[] = []
  holes.forEach((hole, i) => {
    if (typeof hole === 'object' && hole !== null) {
      text += hole.text
      params.push(...hole.params)
    } else {
      text += '?'
      params.push(hole)
    }
    text += strings[i + 1]!
  })
  return { text, params }
}

/** A JSON text and how to read what `->` and `->>` find in it. */
interface Document {
  readonly json: Sql
  readonly text: (found: Sql) => Sql
  readonly decoded: (found: Sql) => Sql
}

/** Where a value is: a path into a document. */
interface Place {
  readonly document: Document
  readonly path: string
}

/** U+110000, which no string of JavaScript can hold. */
const STAND_IN = sql`CAST(x'F4908080' AS TEXT)`

/** A JSON text with a stand-in for every NUL. Escaped backslashes go first, or `\\u0000` would look like one. */
const nulSafe = (json: Sql): Sql => sql`replace(replace(${json}, '\\\\', '\\u005c'), '\\u0000', ${STAND_IN})`

const NUL_SAFE: Document = {
  json: sql`nul_safe.json`,
  text: (found) => sql`replace(replace(${found}, ${STAND_IN}, '\\u0000'), '\\u005c', '\\\\')`,
  decoded: (found) => sql`replace(${found}, ${STAND_IN}, char(0))`,
}

/** A path as SQL. A key with a NUL is looked for by its stand-in, which documents without NUL do not have. */
const pathSql = (path: string): Sql => (path.includes('\\u0000') ? nulSafe(sql`${path}`) : sql`${path}`)

const textAt = ({ document, path }: Place): Sql => document.text(sql`(${document.json} -> ${pathSql(path)})`)
const decodedAt = ({ document, path }: Place): Sql =>
  document.decoded(sql`(${document.json} ->> ${pathSql(path)})`)
const typeAt = ({ document, path }: Place): Sql => sql`json_type(${document.json}, ${pathSql(path)})`
const partsAt = ({ document, path }: Place): Sql => sql`json_each(${document.json}, ${pathSql(path)})`

const FALSE = sql`0`
const TRUE = sql`1`

function compile(filter: Filter, document: Document): Sql {
  switch (filter.op) {
    case 'and':
      return all(filter.filters.map((part) => compile(part, document)))
    case 'or':
      return any(filter.filters.map((part) => compile(part, document)))
    case 'not':
      return sql`(NOT ${compile(filter.filter, document)})`
  }
  const place = locate(document, filter.path)
  switch (filter.op) {
    case 'exists':
      return sql`(${typeAt(place)} IS NOT NULL)`
    case 'eq':
      return equalTo(place, filter.value)
    case 'in':
      return oneOf(place, filter.values)
    case 'contains':
      return contains(place, filter.value)
    default:
      return inOrder(place, filter.op, filter.value)
  }
}

const all = (parts: readonly Sql[]): Sql => join(parts, ' AND ', TRUE)
const any = (parts: readonly Sql[]): Sql => join(parts, ' OR ', FALSE)

/** Joins in halves: SQLite refuses expressions deeper than 1,000, and a chain of ANDs is as deep as it is long. */
function join(parts: readonly Sql[], operator: ' AND ' | ' OR ', none: Sql): Sql {
  if (parts.length <= 1) return parts[0] ?? none
  // Flat arrays, not nested templates: copying parameters at every level would be needless work.
  const group = (from: number, to: number): string => {
    if (to - from === 1) return parts[from]!.text
    const middle = (from + to) >> 1
    return `(${group(from, middle)}${operator}${group(middle, to)})`
  }
  return { text: group(0, parts.length), params: parts.flatMap((part) => part.params) }
}

const label = (key: string): string => `.${JSON.stringify(key)}`

/**
 * The place of a path. SQLite spells an index and a key differently, and only the document knows which of the two
 * a numeric segment is; at most one spelling exists in any document, so the first that is found is the one.
 */
function locate(document: Document, path: readonly string[]): Place {
  let spellings = ['$']
  for (const segment of path) {
    const asKey = spellings.map((spelling) => spelling + label(segment))
    spellings = isIndex(segment)
      ? [...asKey, ...spellings.map((spelling) => `${spelling}[${segment}]`)]
      : asKey
  }
  if (spellings.length === 1) return { document, path: spellings[0]! }
  const found = spellings.map((spelling) => sql`${document.json} -> ${pathSql(spelling)}`)
  const list = { text: found.map((one) => one.text).join(', '), params: found.flatMap((one) => one.params) }
  return { document: { ...document, json: sql`coalesce(${list})` }, path: '$' }
}

/** Whether every way of writing the value gives the same text: no object in it has two keys to swap. */
function hasOneText(value: Json): boolean {
  if (typeof value !== 'object' || value === null) return true
  const parts: readonly Json[] = Object.values(value)
  return (Array.isArray(value) || parts.length <= 1) && parts.every(hasOneText)
}

function equalTo(place: Place, value: Json): Sql {
  if (typeof value !== 'object' || value === null || hasOneText(value)) {
    return sql`(${textAt(place)} IS ${JSON.stringify(value)})`
  }
  const { document, path } = place
  const isArray = Array.isArray(value)
  const parts = Object.entries(value as { readonly [key: string]: Json })
  return all([
    sql`(${typeAt(place)} IS ${isArray ? 'array' : 'object'})`,
    sql`((SELECT count(*) FROM ${partsAt(place)}) = ${parts.length})`,
    ...parts.map(([key, part]) =>
      equalTo({ document, path: path + (isArray ? `[${key}]` : label(key)) }, part),
    ),
  ])
}

/** One parameter for all values with one text: the statement stays the same whatever the list, and has no limit. */
function oneOf(place: Place, values: readonly Json[]): Sql {
  const texts = JSON.stringify(values.filter(hasOneText).map((value) => JSON.stringify(value)))
  const parts = values.filter((value) => !hasOneText(value)).map((value) => equalTo(place, value))
  if (parts.length === values.length) return any(parts)
  return any([sql`((${textAt(place)} IN (SELECT value FROM json_each(${texts}))) IS TRUE)`, ...parts])
}

function contains(place: Place, value: Json): Sql {
  // `json_each` of an object has TEXT keys and of a scalar a NULL one: an integer key is an array's.
  const inArray = sql`EXISTS (SELECT 1 FROM ${partsAt(place)} AS element
    WHERE typeof(element.key) = 'integer' AND ${elementEquals(place.document, value)})`
  if (typeof value !== 'string') return inArray
  return sql`(CASE ${typeAt(place)}
    WHEN 'array' THEN ${inArray}
    WHEN 'text' THEN instr(${decodedAt(place)}, ${stringSql(value)}) > 0
    ELSE 0 END)`
}

/** Equality with a row `element` of `json_each`, which gives scalars decoded and other values as their JSON text. */
function elementEquals(document: Document, value: Json): Sql {
  const json = sql`element.value`
  if (value === null) return sql`element.type = 'null'`
  if (typeof value === 'boolean') return sql`element.type = ${value ? 'true' : 'false'}`
  if (typeof value === 'number')
    return sql`element.type IN ('integer', 'real') AND ${json} = ${numberSql(value)}`
  if (typeof value === 'string')
    return sql`element.type = 'text' AND ${document.decoded(json)} = ${stringSql(value)}`
  const type = Array.isArray(value) ? 'array' : 'object'
  // CASE, because AND does not promise to look at the type first, and a decoded string need not be JSON.
  return sql`CASE element.type WHEN ${type} THEN ${equalTo({ document: { ...document, json }, path: '$' }, value)} ELSE 0 END`
}

const SIGNS: Record<Order, Sql> = { gt: sql`>`, gte: sql`>=`, lt: sql`<`, lte: sql`<=` }

/** The comparison goes first: it is what most rows fail. The type then rules out what SQLite orders across types. */
function inOrder(place: Place, op: Order, bound: number | string): Sql {
  if (typeof bound === 'string') {
    return sql`((${decodedAt(place)} ${SIGNS[op]} ${stringSql(bound)} AND ${typeAt(place)} = 'text') IS TRUE)`
  }
  const { document, path } = place
  // Not `decoded`: it would make text of the number.
  const number = sql`(${document.json} ->> ${pathSql(path)})`
  return sql`((${number} ${SIGNS[op]} ${numberSql(bound)} AND ${typeAt(place)} IN ('integer', 'real')) IS TRUE)`
}

/**
 * From 2^53 on, `JSON.stringify` rounds the last digits of an integer (2^60 is 1152921504606847000) and SQLite
 * takes them literally up to 2^63. There the bound is read the same way; rounding keeps the order of numbers.
 */
function numberSql(value: number): Sql {
  const literal = Number.isInteger(value) && Math.abs(value) >= 2 ** 53 && Math.abs(value) < 2 ** 63
  return literal ? sql`CAST(${JSON.stringify(value)} AS INTEGER)` : sql`${value}`
}

/**
 * How a lone surrogate is bound as TEXT is up to V8: three bytes in Node 20, U+FFFD where strings are written as
 * strict UTF-8. SQLite's own decoder always makes it the three bytes that it makes of the stored one.
 */
const stringSql = (value: string): Sql =>
  /\p{Surrogate}/u.test(value) ? sql`(${JSON.stringify(value)} ->> '$')` : sql`${value}`
