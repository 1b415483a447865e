import type { Collection } from '../../index.ts'
import { allFinite } from '../../store/input.ts'
import type { NearRecord } from '../../store/records.ts'
import { countOf, isObject, listOf, type Parsed, stringsOf } from './body.ts'
import { ChromaFailure, invalid, misshapen } from './failure.ts'
import { plainNumber } from './numbers.ts'
import { type Include, includeOf } from './records.ts'
import { type Selection, selectionOf } from './where.ts'

export interface QueryRequest {
  readonly vectors: readonly Float32Array[]
  readonly limit: number
  readonly ids: readonly string[] | undefined
  readonly selection: Selection
  readonly include: readonly Include[]
}

export type QueryHit = NearRecord

export function queryRequestOf(value: Parsed): QueryRequest {
  if (!isObject(value)) throw misshapen('invalid type, expected struct QueryRequestPayload')
  const vectors = listOf(value.query_embeddings, 'query_embeddings').map((one, i) =>
    queryVectorOf(one, `query_embeddings[${i}]`),
  )
  return {
    vectors,
    limit: countOf(value.n_results, 'n_results') ?? 10,
    ids: value.ids == null ? undefined : stringsOf(value.ids, 'ids'),
    include: includeOf(value.include, ['documents', 'metadatas', 'distances']),
    selection: selectionOf(value.where, value.where_document),
  }
}

export function queryVectorOf(value: Parsed, path: string): Float32Array {
  const numbers = listOf(value, path)
  const vector = new Float32Array(numbers.length)
  numbers.forEach((one, i) => {
    if (typeof one !== 'number' && !(typeof one === 'object' && one !== null && 'integer' in one))
      throw misshapen(`${path}[${i}]: invalid type, expected f32`)
    vector[i] = plainNumber(one as number)
  })
  return vector
}

/** What part of the true nearest an index of a large collection may find; small ones are compared exactly. */
const ACCURACY = 0.995

/** The nearest of each query. @throws ChromaFailure 400 for other dimensions, 500 for an id that is not there */
export async function queryRecords(
  collection: Collection,
  { vectors, limit, ids, selection, include }: QueryRequest,
): Promise<readonly (readonly QueryHit[])[]> {
  const records = collection.records()
  const dimensions = records.space()?.dimensions
  for (const { length } of vectors)
    if (length !== (dimensions ?? vectors[0]!.length))
      throw invalid(
        dimensions === undefined || vectors.some((one) => one.length === dimensions)
          ? 'Inconsistent dimensions in provided embeddings'
          : `Collection expecting embedding with dimension of ${dimensions}, got ${length}`,
      )
  for (const vector of vectors)
    if (!allFinite(vector)) throw invalid('query_embeddings must not contain NaN or Infinity values')
  if (ids !== undefined && ids.length > 0) {
    const { slots } = await records.read([...new Set(ids)])
    // As Chroma says it, and means it: an answer from the other ids would be another answer.
    if (slots.some(({ status }) => status !== 'ok'))
      throw new ChromaFailure(500, 'InternalError', 'Error executing plan: Internal error: Error finding id')
  }
  if (dimensions === undefined) return vectors.map(() => [])
  const answers: (readonly QueryHit[])[] = []
  const only = ids === undefined ? {} : { ids: [...new Set(ids)] }
  const chosen = { ...selection, vectors: include.includes('embeddings') }
  for (const vector of vectors)
    answers.push(await records.nearest({ vector, limit, accuracy: ACCURACY, ...only }, chosen))
  return answers
}
