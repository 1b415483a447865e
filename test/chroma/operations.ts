import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'

/** A request to a collection. */
export interface Operation {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body?: string
}

interface Answer {
  readonly status: number
  readonly body: unknown
}

export type Send = (method: string, path: string, body?: string) => Promise<Answer>

/** A number as a language with two kinds of them writes it. */
class Written {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** JSON with numbers as they were written. */
function write(value: unknown): string {
  if (value instanceof Written) return value.text
  if (Array.isArray(value)) return `[${value.map(write).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  return `{${Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([name, member]) => `${JSON.stringify(name)}:${write(member)}`)
    .join(',')}}`
}

const id = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'ü/f', 'g h')
const number = fc.constantFrom(-1, 0, 1, 2, 0.5, 1.25).map((n) => new Written(String(n)))
const double = fc.constantFrom('1.0', '2.0', '-1.0', '0.5', '1e2').map((text) => new Written(text))
const text = fc.constantFrom('x', 'y', 'xy', 'Straße', 'x y')
const word = fc.constantFrom('apple', 'Apple', 'pear', 'sky', 'ä', 'a.b', '1')
const document = fc.array(word, { maxLength: 4 }).map((words) => words.join(' '))

const scalar = fc.oneof(number, double, text, fc.boolean())
const list = fc.oneof(
  fc.array(text, { maxLength: 3 }),
  fc.array(fc.boolean(), { maxLength: 2 }),
  fc.array(fc.constantFrom(1, 2, 3), { maxLength: 3 }),
  fc.array(fc.oneof(double, number), { minLength: 1, maxLength: 3 }),
)
const field = fc.constantFrom('n', 's', 't', 'x.y')
const metadata = fc.dictionary(
  field,
  fc.oneof({ weight: 4, arbitrary: scalar }, { weight: 1, arbitrary: list }),
  { maxKeys: 3 },
)
const patch = fc.dictionary(field, fc.oneof(scalar, fc.constant(null)), { maxKeys: 3 })
const vector = fc
  .array(fc.constantFrom(-1, 0, 0.5, 1, 2, 0.1), { minLength: 3, maxLength: 3 })
  .filter((v) => v.some((n) => n !== 0))

const nullable = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null, freq: 3 })
const column = <T>(arbitrary: fc.Arbitrary<T>, length: number) =>
  fc.option(fc.array(arbitrary, { minLength: length, maxLength: length }), { nil: undefined, freq: 3 })

const records = (verb: 'add' | 'upsert' | 'update') =>
  fc.array(id, { minLength: 1, maxLength: 4 }).chain((ids) =>
    fc.record({
      ids: fc.constant(ids),
      embeddings:
        verb === 'update'
          ? column(nullable(vector), ids.length)
          : fc.array(vector, { minLength: ids.length, maxLength: ids.length }),
      documents: column(nullable(document), ids.length),
      metadatas: column(nullable(verb === 'add' ? metadata : fc.oneof(metadata, patch)), ids.length),
      uris: column(nullable(text), ids.length),
    }),
  )

const comparison = fc.oneof(
  scalar,
  fc.record({ $eq: scalar }),
  fc.record({ $ne: scalar }),
  fc.record({ $gt: scalar }),
  fc.record({ $lte: fc.oneof(number, double) }),
  fc.record({ $in: fc.array(scalar, { maxLength: 3 }) }),
  fc.record({ $nin: fc.array(text, { maxLength: 3 }) }),
  fc.record({ $contains: scalar }),
  fc.record({ $not_contains: scalar }),
)
const regex = fc.constantFrom(
  '^a',
  'apple|pear',
  '(?i)APPLE',
  '\\bsky\\b',
  'a.b',
  '[[:upper:]]',
  '\\d',
  '^$',
  '(',
)
const documentCondition: fc.Arbitrary<unknown> = fc.letrec<{ condition: unknown }>((tie) => ({
  condition: fc.oneof(
    { maxDepth: 2 },
    fc.record({ $contains: fc.oneof(word, fc.constant('')) }),
    fc.record({ $not_contains: word }),
    fc.record({ $regex: regex }),
    fc.record({ $not_regex: regex }),
    fc.record({ $and: fc.array(tie('condition'), { maxLength: 2 }) }),
    fc.record({ $or: fc.array(tie('condition'), { maxLength: 2 }) }),
  ),
})).condition
const condition: fc.Arbitrary<unknown> = fc.letrec<{ condition: unknown }>((tie) => ({
  condition: fc.oneof(
    { maxDepth: 2 },
    fc.tuple(field, comparison).map(([name, compared]) => ({ [name]: compared })),
    documentCondition
      .filter((one) => !('$and' in (one as object)) && !('$or' in (one as object)))
      .map((one) => ({ '#document': one })),
    fc.record({ $and: fc.array(tie('condition'), { maxLength: 2 }) }),
    fc.record({ $or: fc.array(tie('condition'), { maxLength: 2 }) }),
  ),
})).condition

const optional = <T>(arbitrary: fc.Arbitrary<T>, freq = 1) => fc.option(arbitrary, { nil: undefined, freq })
const selection = { where: optional(condition), where_document: optional(documentCondition) }

const post = (path: string, body: fc.Arbitrary<unknown>): fc.Arbitrary<Operation> =>
  body.map((value) => ({ method: 'POST', path, body: write(value) }))

const operation = fc.oneof(
  { weight: 4, arbitrary: post('/add', records('add')) },
  { weight: 3, arbitrary: post('/upsert', records('upsert')) },
  { weight: 3, arbitrary: post('/update', records('update')) },
  {
    weight: 2,
    arbitrary: post('/delete', fc.record({ ids: optional(fc.array(id, { maxLength: 3 })), ...selection })),
  },
  {
    weight: 5,
    arbitrary: post(
      '/get',
      fc.record({
        ids: optional(fc.array(id, { maxLength: 4 })),
        ...selection,
        limit: optional(fc.nat(3)),
        offset: optional(fc.nat(2)),
        include: fc.subarray(['documents', 'embeddings', 'metadatas', 'uris']),
      }),
    ),
  },
  {
    weight: 4,
    arbitrary: post(
      '/query',
      fc.record({
        query_embeddings: fc.array(vector, { minLength: 1, maxLength: 2 }),
        n_results: fc.constantFrom(1, 3, 20),
        ...selection,
        include: fc.constant(['distances']),
      }),
    ),
  },
  { weight: 1, arbitrary: fc.constant<Operation>({ method: 'GET', path: '/count' }) },
)

/**
 * Where an `update` brought a vector for a record that was not there, and `add` makes the record, Chroma 1.4.4 gives it
 * the vector of the update once it was read and something else was written; before, it has that of the `add`. What is
 * compared keeps clear of this: an `add` of an id that an `update` brought a vector for is an `upsert`.
 */
function withoutLateVectors(sequence: readonly Operation[]): Operation[] {
  const updated = new Set<string>()
  return sequence.map((one) => {
    if (one.path !== '/add' && one.path !== '/update') return one
    const { ids, embeddings } = JSON.parse(one.body!) as {
      ids: string[]
      embeddings?: readonly (readonly number[] | null)[]
    }
    if (one.path === '/add') return ids.some((name) => updated.has(name)) ? { ...one, path: '/upsert' } : one
    for (const [row, name] of ids.entries()) if (embeddings?.[row] != null) updated.add(name)
    return one
  })
}

export const operations = fc.array(operation, { minLength: 1, maxLength: 14 }).map(withoutLateVectors)

/** Undefined where both say the same; otherwise what differs. */
export function sameAnswer(path: string, theirs: Answer, ours: Answer): string | undefined {
  if (theirs.status !== ours.status) return 'status'
  if (theirs.status >= 400) {
    const error = ({ body }: Answer) => (body as { error?: string }).error
    return error(theirs) === error(ours) ? undefined : 'error'
  }
  const { spanstore: _, ...our } = isObject(ours.body) ? ours.body : { value: ours.body }
  const their = isObject(theirs.body) ? theirs.body : { value: theirs.body }
  if (path === '/query') return sameNeighbours(their as unknown as Neighbours, our as unknown as Neighbours)
  const { embeddings: theirVectors, ...theirRest } = their
  const { embeddings: ourVectors, ...ourRest } = our
  if (!isDeepStrictEqual(theirRest, ourRest)) return 'body'
  return sameVectors(theirVectors, ourVectors) ? undefined : 'embeddings'
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Under cosine, Chroma gives back what its index made of a vector; here it comes back as it was given. */
function sameVectors(theirs: unknown, ours: unknown): boolean {
  if (!Array.isArray(theirs) || !Array.isArray(ours)) return isDeepStrictEqual(theirs, ours)
  return (
    theirs.length === ours.length &&
    theirs.every((one, i) =>
      typeof one === 'number' ? Math.abs(one - (ours[i] as number)) < 1e-5 : sameVectors(one, ours[i]),
    )
  )
}

interface Neighbours {
  readonly ids: readonly (readonly string[])[]
  readonly distances: readonly (readonly number[])[]
}

/** Among records at the same distance the order is anybody's, and so is who comes last. */
function sameNeighbours(theirs: Neighbours, ours: Neighbours): string | undefined {
  for (const [i, distances] of theirs.distances.entries()) {
    const our = ours.distances[i]!
    if (our.length !== distances.length) return `query ${i}: ${our.length} records, not ${distances.length}`
    const close = (a: number, b: number) => Math.abs(a - b) <= 1e-5 * Math.max(1, Math.abs(a))
    if (!distances.every((distance, k) => close(distance, our[k]!))) return `query ${i}: distances`
    const last = distances.at(-1)
    for (const [k, id] of theirs.ids[i]!.entries()) {
      if (close(distances[k]!, last!)) continue
      const at = ours.ids[i]!.indexOf(id)
      if (at < 0 || !close(our[at]!, distances[k]!)) return `query ${i}: ${id}`
    }
  }
  return undefined
}
