import { fieldPath, type Where } from '../../core/filter.ts'
import type { Admits } from '../../core/record.ts'
import { isObject, type Parsed } from './body.ts'
import { invalid } from './failure.ts'
import { numberAt, numbersAt } from './metadata.ts'
import { ExactNumber, plainNumber } from './numbers.ts'
import { Regex, RegexSyntaxError } from './regex.ts'

/*
 * Chroma's `where` and `where_document`. As much of a condition as the store's own filter can say becomes one, which
 * the ledger answers; the rest (texts, the difference between 1 and 1.0 in a list) is judged in JavaScript, on what
 * the filter let pass.
 */

/** Every record that satisfies the condition passes `where` and `admits`; with both, no other does. */
export interface Selection {
  readonly where?: Where
  readonly admits?: Admits
  /** Both, for records at hand. Undefined: no condition was stated. */
  readonly test?: Admits
}

interface Condition {
  /** Satisfied whenever the condition is. Undefined: always. */
  readonly where: Where | undefined
  /** `where` says all. */
  readonly whole: boolean
  readonly test: Admits
}

type Row = Parameters<Admits>[0]

/** As deep as the store's own filters may be. */
const DEEPEST = 60

const clause = () => invalid('Invalid where clause')
const documentClause = () => invalid('Invalid where document clause')

/**
 * Both conditions of a request; missing ones state none. `ids`: `#id` names the record's id, as in searches; elsewhere
 * it is a name of metadata like any other. @throws ChromaFailure 400
 */
export function selectionOf(
  where: Parsed | undefined,
  document: Parsed | undefined,
  options: { readonly ids?: boolean } = {},
): Selection {
  const parts: Condition[] = []
  if (where !== undefined && where !== null) parts.push(parseWhere(where, options.ids === true, 1))
  if (document !== undefined && document !== null) parts.push(parseDocument(document, 1))
  if (parts.length === 0) return {}
  const condition = parts.length === 1 ? parts[0]! : all(parts)
  return {
    ...(condition.where === undefined ? {} : { where: condition.where }),
    ...(condition.whole ? {} : { admits: condition.test }),
    test: condition.test,
  }
}

// ── combining ───────────────────────────────────────────────────────────────────────────────────────────────

function all(parts: readonly Condition[]): Condition {
  const wheres = parts.flatMap(({ where }) => (where === undefined ? [] : [where]))
  return {
    where: wheres.length === 0 ? undefined : wheres.length === 1 ? wheres[0]! : { $and: wheres },
    whole: parts.every(({ whole }) => whole),
    test: (row) => parts.every(({ test }) => test(row)),
  }
}

function any(parts: readonly Condition[]): Condition {
  const wheres = parts.flatMap(({ where }) => (where === undefined ? [] : [where]))
  return {
    where: wheres.length < parts.length ? undefined : wheres.length === 0 ? NOTHING : { $or: wheres },
    whole: parts.every(({ whole }) => whole),
    test: (row) => parts.some(({ test }) => test(row)),
  }
}

const NOTHING: Where = { $not: {} }

function negated({ where, whole, test }: Condition): Condition {
  return {
    where: whole ? (where === undefined ? NOTHING : { $not: where }) : undefined,
    whole,
    test: (row) => !test(row),
  }
}

const judged = (test: Admits, where?: Where): Condition => ({ where, whole: false, test })

/** What the store's filter says as well; tested in JavaScript only beside a condition that it cannot say. */
const said = (where: Where, test: Admits): Condition => ({ where, whole: true, test })

// ── metadata ────────────────────────────────────────────────────────────────────────────────────────────────

/** The one member of an object. */
function only(value: Parsed, fail: () => Error): readonly [string, Parsed] {
  if (!isObject(value)) throw fail()
  const entries = Object.entries(value)
  if (entries.length !== 1) throw fail()
  return entries[0]!
}

function parseWhere(value: Parsed, ids: boolean, depth: number): Condition {
  if (depth > DEEPEST) throw invalid(`Invalid where clause: nested more than ${DEEPEST} deep`)
  const [name, operand] = only(value, clause)
  if (name === '$and' || name === '$or') {
    if (!Array.isArray(operand)) throw clause()
    const parts = operand.map((part) => parseWhere(part as Parsed, ids, depth + 1))
    return name === '$and' ? all(parts) : any(parts)
  }
  if (name.startsWith('$')) throw clause()
  const [operator, given] = isObject(operand) ? only(operand, clause) : ['$eq', operand]
  if (name === '#document') return documentField(operator, given)
  if (name === 'chroma:document') return textual(operator, given, (row) => row.text)
  if (name === '#id' && ids) return textual(operator, given, (row) => row.source)
  return field(name, operator!, given as Parsed)
}

type Scalar = string | boolean | number | ExactNumber

const isScalar = (value: Parsed | undefined): value is Scalar =>
  typeof value === 'string' ||
  typeof value === 'boolean' ||
  typeof value === 'number' ||
  value instanceof ExactNumber

function scalar(value: Parsed | undefined): Scalar {
  if (isScalar(value)) return value
  throw clause()
}

const kindOf = (value: Scalar) =>
  typeof value === 'string' || typeof value === 'boolean'
    ? typeof value
    : isInteger(value)
      ? 'integer'
      : 'double'

const isInteger = (value: number | ExactNumber): boolean =>
  typeof value === 'number' ? Number.isInteger(value) : value.integer

/** Of one type, and at least one. */
function scalars(value: Parsed): readonly Scalar[] {
  if (!Array.isArray(value) || value.length === 0) throw clause()
  const list = (value as readonly Parsed[]).map(scalar)
  const kind = kindOf(list[0]!)
  if (!list.every((one) => kindOf(one) === kind)) throw clause()
  return list
}

function field(name: string, operator: string, given: Parsed): Condition {
  switch (operator) {
    case '$eq':
      return equals(name, scalar(given))
    case '$ne':
      return negated(equals(name, scalar(given)))
    case '$in':
      return oneOf(name, scalars(given))
    case '$nin':
      return negated(oneOf(name, scalars(given)))
    case '$contains':
      return contains(name, scalar(given))
    case '$not_contains':
      return negated(contains(name, scalar(given)))
    case '$gt':
    case '$gte':
    case '$lt':
    case '$lte':
      return ordered(name, operator, given)
  }
  throw clause()
}

const at = (row: Row, name: string) => (Object.hasOwn(row.metadata, name) ? row.metadata[name] : undefined)

/**
 * A number with a fraction, set against integers: Chroma cuts the fraction off first, so that 1 is "equal" to 1.5, and
 * not below it. Whoever moves here with such filters gets the same answers.
 */
function cut(
  name: string,
  bound: number,
  where: (bound: number) => Where,
  compare: (value: number, bound: number) => boolean,
): Condition {
  const whole = Math.trunc(bound)
  return judged(
    (row) => {
      const found = numberAt(row.metadata, name)
      return found !== undefined && compare(found.value, found.integer ? whole : bound)
    },
    { $or: [where(bound), where(whole)] },
  )
}

const hasFraction = (value: Scalar): value is number => typeof value === 'number' && !Number.isInteger(value)

function equals(name: string, value: Scalar): Condition {
  const path = fieldPath(name)
  if (hasFraction(value))
    return cut(
      name,
      value,
      (bound) => ({ [path]: { $eq: bound } }),
      (found, bound) => found === bound,
    )
  if (!(value instanceof ExactNumber))
    return said({ [path]: { $eq: value } }, (row) => at(row, name) === value)
  const { value: number, text, integer } = value
  const where = { [path]: { $eq: number } }
  if (!integer || Number.isSafeInteger(number)) return said(where, (row) => at(row, name) === number)
  // Beyond 2^53, doubles of different integers are the same.
  return judged((row) => {
    const found = numberAt(row.metadata, name)
    return found !== undefined && (found.integer ? found.text === text : found.value === number)
  }, where)
}

function oneOf(name: string, values: readonly Scalar[]): Condition {
  if (values.some((value) => hasFraction(value) || (value instanceof ExactNumber && value.integer)))
    return any(values.map((value) => equals(name, value)))
  const plain = values.map((value) => (value instanceof ExactNumber ? value.value : value))
  const set = new Set<unknown>(plain)
  return said({ [fieldPath(name)]: { $in: plain } }, (row) => set.has(at(row, name)))
}

/** Of a list; a text is not a list of its parts. */
function contains(name: string, value: Scalar): Condition {
  const path = fieldPath(name)
  if (typeof value === 'string' || typeof value === 'boolean') {
    const inList: Where = { $and: [{ [`${path}.0`]: { $exists: true } }, { [path]: { $contains: value } }] }
    return said(inList, (row) => {
      const list = at(row, name)
      return Array.isArray(list) && list.includes(value)
    })
  }
  const [number, integer] = [plainNumber(value), isInteger(value)]
  const text = typeof value === 'number' ? JSON.stringify(value) : value.text
  return judged(
    (row) => {
      const list = numbersAt(row.metadata, name)
      if (list === undefined || list.integers !== integer) return false
      return integer ? list.texts.includes(text) : list.values.includes(number)
    },
    { [path]: { $contains: number } },
  )
}

type Order = '$gt' | '$gte' | '$lt' | '$lte'

function ordered(name: string, operator: Order, given: Parsed): Condition {
  if (typeof given !== 'number' && !(given instanceof ExactNumber)) throw clause()
  const bound = plainNumber(given)
  const where = (limit: number): Where => ({ [fieldPath(name)]: { [operator]: limit } })
  if (hasFraction(bound)) return cut(name, bound, where, (value, limit) => inOrder(operator, value, limit))
  return said(where(bound), (row) => {
    const value = at(row, name)
    return typeof value === 'number' && inOrder(operator, value, bound)
  })
}

function inOrder(operator: Order, value: number, bound: number): boolean {
  if (operator === '$gt') return value > bound
  if (operator === '$gte') return value >= bound
  return operator === '$lt' ? value < bound : value <= bound
}

/** A text that is no metadata: `$eq`, `$in` and their negations. */
function textual(
  operator: string | undefined,
  given: Parsed | undefined,
  textOf: (row: Row) => string | undefined,
) {
  const one = (value: Scalar): Condition => judged((row) => textOf(row) === value)
  switch (operator) {
    case '$eq':
      return one(scalar(given))
    case '$ne':
      return negated(one(scalar(given)))
    case '$in':
    case '$nin': {
      const set = new Set<unknown>(scalars(given as Parsed))
      const condition = judged((row) => set.has(textOf(row)))
      return operator === '$in' ? condition : negated(condition)
    }
  }
  throw clause()
}

// ── documents ───────────────────────────────────────────────────────────────────────────────────────────────

const DOCUMENT_OPERATORS = ['$contains', '$not_contains', '$regex', '$not_regex']

function documentField(operator: string | undefined, given: Parsed | undefined): Condition {
  if (operator === undefined || !DOCUMENT_OPERATORS.includes(operator)) {
    scalar(operator === '$in' || operator === '$nin' ? scalars(given as Parsed)[0] : given)
    throw invalid("Cannot filter using metadata key '#document' with type 'Str' because indexing is disabled")
  }
  if (typeof given !== 'string') throw clause()
  return documentCondition(operator, given)
}

function parseDocument(value: Parsed, depth: number): Condition {
  if (depth > DEEPEST) throw invalid(`Invalid where document clause: nested more than ${DEEPEST} deep`)
  const [operator, operand] = only(value, documentClause)
  if (operator === '$and' || operator === '$or') {
    if (!Array.isArray(operand)) throw documentClause()
    const parts = operand.map((part) => parseDocument(part as Parsed, depth + 1))
    return operator === '$and' ? all(parts) : any(parts)
  }
  if (!DOCUMENT_OPERATORS.includes(operator) || typeof operand !== 'string') throw documentClause()
  return documentCondition(operator, operand)
}

function documentCondition(operator: string, operand: string): Condition {
  if (operator === '$contains') return judged(({ text }) => text?.includes(operand) === true)
  if (operator === '$not_contains') return judged(({ text }) => text?.includes(operand) !== true)
  let regex: Regex
  try {
    regex = new Regex(operand)
  } catch (error) {
    if (error instanceof RegexSyntaxError) throw invalid(`Regex syntax error: ${error.message}`)
    throw error
  }
  const matches = (text: string | undefined) => text !== undefined && regex.test(text)
  return operator === '$regex' ? judged(({ text }) => matches(text)) : judged(({ text }) => !matches(text))
}
