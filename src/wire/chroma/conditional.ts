import type { Collection } from '../../index.ts'
import type { RecordInput } from '../../store/records.ts'
import { countOf, isObject, listOf, objectOf, type Parsed, stringOf, stringsOf } from './body.ts'
import { ChromaFailure, invalid, misshapen } from './failure.ts'
import {
  changesOf,
  checkDimensions,
  columnsOf,
  type Found,
  getRecords,
  getRequestOf,
  type WriteVerb,
} from './records.ts'

/*
 * Reads that a later write stands on. The token of a read is the position of the collection's log; a commit is refused
 * when one of the ids it read changed after it, and so is a further read, which would mix two states.
 */

export interface ConditionalFound extends Found {
  readonly token: number
}

/** @throws ChromaFailure 412 where one of these records changed after the token */
export async function conditionalGet(collection: Collection, body: Parsed): Promise<ConditionalFound> {
  const request = getRequestOf(body)
  const token = isObject(body) ? countOf(body.read_token, 'read_token') : undefined
  const found = await getRecords(collection, request, false)
  if (token === undefined) return { ...found, token: found.position }
  const asked = request.ids ?? found.records.map(({ source }) => source)
  const moved = await collection.records().moved(token, asked)
  if (moved.length > 0)
    throw new ChromaFailure(
      412,
      'StaleReadError',
      `changed since they could be read with token ${token}: ${moved.slice(0, 20).join(', ')}`,
    )
  return { ...found, token }
}

export interface Committed {
  readonly first_inserted_record_offset: number
  readonly record_count: number
}

/** @throws ChromaFailure 409 where one of the ids read changed after the token */
export async function conditionalCommit(collection: Collection, body: Parsed): Promise<Committed> {
  const { read_token, read_ids, operations } = objectOf(body)
  const token = countOf(read_token, 'read_token')
  const ids = read_ids == null ? [] : stringsOf(read_ids, 'read_ids')
  if (token === undefined && ids.length > 0) throw invalid('read_ids need the read_token they were read with')
  const changes = listOf(operations, 'operations').flatMap((operation, i) =>
    changesIn(collection, operation, `operations[${i}]`),
  )
  const written = await collection
    .records()
    .write(changes, token === undefined ? {} : { unless: { after: token, ids } })
  if ('moved' in written)
    throw new ChromaFailure(
      409,
      'ConditionalWriteConflictError',
      `changed since they were read with token ${token}: ${written.moved.slice(0, 20).join(', ')}`,
    )
  return { first_inserted_record_offset: written.before + 1, record_count: changes.length }
}

const VERBS: readonly string[] = ['add', 'upsert', 'update']

function changesIn(collection: Collection, operation: Parsed, path: string): readonly RecordInput[] {
  const { operation: verb, payload } = objectOf(operation, path)
  const name = stringOf(verb, `${path}.operation`)
  const fields = objectOf(payload ?? null, `${path}.payload`)
  if (name === 'delete')
    return stringsOf(fields.ids, `${path}.payload.ids`).map((id) => ({ id, verb: 'remove' }))
  if (!VERBS.includes(name)) throw misshapen(`${path}.operation: unknown variant \`${name}\``)
  const columns = columnsOf(fields, name as WriteVerb)
  if (columns.vectors !== undefined) checkDimensions(collection, columns.vectors)
  return changesOf(name as WriteVerb, columns)
}
