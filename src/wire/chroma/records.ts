import type { LiveRecord, RecordOutcome, RecordResult } from '../../core/record.ts'
import type { Collection } from '../../index.ts'
import { allFinite } from '../../store/input.ts'
import type { RecordInput } from '../../store/records.ts'
import { countOf, isObject, listOf, type Parsed, type ParsedObject, stringsOf, textsOf } from './body.ts'
import { invalid, misshapen } from './failure.ts'
import { type FieldType, fieldsOf, type MetadataPatch, metadataPatch, patched } from './metadata.ts'
import { type Missing, missingOf, NOTHING_MISSING, refuseMissing } from './missing.ts'
import { plainNumber, vectorFromBase64 } from './numbers.ts'
import { type Selection, selectionOf } from './where.ts'

export type WriteVerb = 'add' | 'upsert' | 'update'

/** Records column by column, as they came. */
export interface Columns {
  readonly ids: readonly string[]
  readonly vectors: readonly (Float32Array | undefined)[] | undefined
  readonly documents: readonly (string | null)[] | undefined
  readonly metadatas: readonly (MetadataPatch | undefined)[] | undefined
  readonly uris: readonly (string | null)[] | undefined
}

// ── reading a request ───────────────────────────────────────────────────────────────────────────────────────

/** @throws ChromaFailure 422 for a wrong shape, 400 for values that cannot be */
export function columnsOf(body: ParsedObject, verb: WriteVerb): Columns {
  const ids = stringsOf(body.ids, 'ids')
  const embeddings = verb === 'update' && body.embeddings == null ? undefined : body.embeddings
  if (embeddings === undefined && verb !== 'update') throw misshapen('missing field `embeddings`')
  if (embeddings !== undefined) checkEmbeddings(embeddings, verb)
  const documents = textsOf(body.documents, 'documents')
  const uris = textsOf(body.uris, 'uris')
  const given = body.metadatas == null ? undefined : listOf(body.metadatas, 'metadatas')
  const metadatas = given?.map((metadata, index) =>
    metadata === null
      ? undefined
      : metadataPatch(metadata, `metadatas[${index}]`, { nulls: verb !== 'add', field: 'metadatas', index }),
  )
  for (const column of [embeddings as readonly Parsed[] | undefined, documents, uris, metadatas])
    if (column !== undefined && column.length !== ids.length)
      throw invalid('Inconsistent number of IDs, embeddings, documents, URIs and metadatas')
  if (ids.includes('')) throw invalid('Empty ID, ID must have at least one character')
  const vectors = (embeddings as readonly Parsed[] | undefined)?.map((embedding) =>
    embedding === null ? undefined : vectorOf(embedding),
  )
  return { ids, vectors, documents, metadatas, uris }
}

/** All lists of numbers, or all base64; in an update, nulls between. */
function checkEmbeddings(value: Parsed, verb: WriteVerb): void {
  const type = verb === 'update' ? 'UpdateEmbeddingsPayload' : 'EmbeddingsPayload'
  const wrong = () => misshapen(`embeddings: data did not match any variant of untagged enum ${type}`)
  if (!Array.isArray(value)) throw wrong()
  const list = (value as readonly Parsed[]).filter((one) => !(one === null && verb === 'update'))
  const fits =
    list.every((one) => typeof one === 'string') ||
    list.every((one) => Array.isArray(one) && one.every(isNumber))
  if (!fits) throw wrong()
}

const isNumber = (value: Parsed): boolean =>
  typeof value === 'number' || (typeof value === 'object' && value !== null && 'integer' in value)

/** A vector from numbers or base64 that was checked to be either. */
export function vectorOf(embedding: Parsed): Float32Array {
  let vector: Float32Array | undefined
  if (typeof embedding === 'string') {
    vector = vectorFromBase64(embedding)
    if (vector === undefined) throw invalid('Invalid base64 string: it is not that of 32-bit floats')
  } else {
    const numbers = embedding as readonly (number | { readonly value: number })[]
    vector = new Float32Array(numbers.length)
    for (let i = 0; i < numbers.length; i++) vector[i] = plainNumber(numbers[i] as number)
  }
  if (vector.length === 0)
    throw invalid('Validation error: embeddings: Each embedding must have at least 1 dimension')
  if (!allFinite(vector))
    throw invalid('Validation error: embeddings: Embeddings must not contain NaN or Infinity values')
  return vector
}

/** Of vectors that callers supply; once there is one, it stays. */
const lengths = new WeakMap<Collection, number>()

export function checkDimensions(
  collection: Collection,
  vectors: readonly (Float32Array | undefined)[],
): void {
  const length = lengths.get(collection)
  if (length !== undefined && vectors.every((one) => one === undefined || one.length === length)) return
  const space = collection.records().space()
  const known = space?.dimensions
  if (space?.supplied) lengths.set(collection, space.dimensions)
  let expected = known
  for (const vector of vectors) {
    if (vector === undefined) continue
    expected ??= vector.length
    if (vector.length === expected) continue
    throw invalid(
      known === undefined
        ? 'Inconsistent dimensions in provided embeddings'
        : `Collection expecting embedding with dimension of ${known}, got ${vector.length}`,
    )
  }
}

// ── writing ─────────────────────────────────────────────────────────────────────────────────────────────────

const VERBS = { add: 'create', upsert: 'put', update: 'change' } as const

/** What a columnar write is to the store. */
export function changesOf(
  verb: WriteVerb,
  { ids, vectors, documents, metadatas, uris }: Columns,
): readonly RecordInput[] {
  return ids.map((id, i) => {
    const text = documents?.[i] ?? undefined
    const vector = vectors?.[i]
    const patch = metadatas?.[i]
    const uri = uris?.[i]
    const describes = (patch !== undefined && patch.size > 0) || uri != null
    return {
      id,
      verb: VERBS[verb],
      ...(text === undefined ? {} : { text }),
      ...(vector === undefined ? {} : { vector }),
      ...(describes ? { metadata: (before) => patched(before, patch, uri) } : {}),
    }
  })
}

export interface Told {
  readonly missing: Missing
}

export interface Written extends Told {
  /** What was written for the records that were. */
  readonly fields: readonly (readonly [name: string, type: FieldType])[]
}

/** Writes all, or nothing. @throws ChromaFailure; in strict mode also where an id was passed over */
export async function writeColumns(
  collection: Collection,
  verb: WriteVerb,
  columns: Columns,
  strict: boolean,
): Promise<Written> {
  if (columns.vectors !== undefined) checkDimensions(collection, columns.vectors)
  if (columns.ids.length === 0) return { missing: NOTHING_MISSING, fields: [] }
  const records = collection.records()
  const changes = changesOf(verb, columns)
  if (!strict || verb === 'upsert') {
    const written = await records.write(changes)
    return 'moved' in written
      ? { missing: NOTHING_MISSING, fields: [] }
      : writtenOf(columns, written.outcomes)
  }
  // Looked at first, so that nothing is written where something is refused; again where others were faster.
  const ids = [...new Set(columns.ids)]
  for (;;) {
    const { slots, position } = await records.read(ids)
    refuseMissing(verb === 'update' ? missingOf(slots) : existing(slots))
    const written = await records.write(changes, { unless: { after: position, ids } })
    if (!('moved' in written)) return writtenOf(columns, written.outcomes)
  }
}

function writtenOf({ metadatas }: Columns, outcomes: readonly RecordOutcome[]): Written {
  const fields = outcomes.flatMap(({ outcome }, i) => {
    const patch = metadatas?.[i]
    const passedOver = outcome === 'exists' || outcome === 'absent' || outcome === 'tombstone'
    return patch === undefined || passedOver ? [] : fieldsOf(patch)
  })
  return { missing: missingOf(outcomes), fields }
}

const existing = (slots: readonly RecordResult[]): Missing => ({
  ...NOTHING_MISSING,
  exists: slots.flatMap((slot) => (slot.status === 'ok' ? [slot.record.source] : [])),
})

// ── reading ─────────────────────────────────────────────────────────────────────────────────────────────────

export type Include = 'distances' | 'documents' | 'embeddings' | 'metadatas' | 'uris'

const INCLUDES: readonly unknown[] = ['distances', 'documents', 'embeddings', 'metadatas', 'uris']

export function includeOf(value: Parsed | undefined, fallback: readonly Include[]): readonly Include[] {
  if (value === undefined) return fallback
  return stringsOf(value, 'include').map((one, i) => {
    if (INCLUDES.includes(one)) return one as Include
    throw misshapen(
      `include[${i}]: unknown variant \`${one}\`, expected one of ${INCLUDES.map((name) => `\`${name}\``).join(', ')}`,
    )
  })
}

export interface GetRequest {
  readonly ids: readonly string[] | undefined
  readonly selection: Selection
  readonly limit: number | undefined
  readonly offset: number
  readonly include: readonly Include[]
}

export function getRequestOf(value: Parsed): GetRequest {
  if (!isObject(value)) throw misshapen('invalid type, expected struct GetRequestPayload')
  return {
    ids: value.ids == null ? undefined : stringsOf(value.ids, 'ids'),
    limit: countOf(value.limit, 'limit'),
    offset: countOf(value.offset, 'offset') ?? 0,
    include: includeOf(value.include, ['documents', 'metadatas']),
    selection: selectionOf(value.where, value.where_document),
  }
}

export interface Found extends Told {
  readonly records: readonly LiveRecord[]
  /** Where the collection stood. */
  readonly position: number
}

const inOrder = (a: LiveRecord, b: LiveRecord): number => a.came - b.came || a.id - b.id

/** In the order in which records came; ids that are not there are told apart. */
export async function getRecords(
  collection: Collection,
  { ids, selection, limit, offset, include }: GetRequest,
  strict: boolean,
): Promise<Found> {
  const records = collection.records()
  const vectors = include.includes('embeddings')
  const { where, admits, test } = selection
  if (ids === undefined) {
    const position = records.position()
    const listed = await records.list({
      ...(where === undefined ? {} : { where }),
      ...(admits === undefined ? {} : { admits }),
      ...(limit === undefined ? {} : { limit }),
      offset,
      vectors,
    })
    return { records: listed, missing: NOTHING_MISSING, position }
  }
  const { slots, position } = await records.read([...new Set(ids)], { vectors })
  const missing = slots.some(({ status }) => status !== 'ok') ? missingOf(slots) : NOTHING_MISSING
  if (strict) refuseMissing(missing)
  const found: LiveRecord[] = []
  for (const slot of slots)
    if (slot.status === 'ok' && (test === undefined || test(judgedOf(slot.record)))) found.push(slot.record)
  if (found.length > 1) found.sort(inOrder)
  const page =
    offset === 0 && limit === undefined
      ? found
      : found.slice(offset, limit === undefined ? undefined : offset + limit)
  return { records: page, missing, position }
}

export const judgedOf = ({ source, text, metadata }: LiveRecord) => ({
  source,
  text,
  metadata:
    metadata === undefined
      ? {}
      : (JSON.parse(metadata) as Parameters<NonNullable<Selection['test']>>[0]['metadata']),
})

// ── deleting ────────────────────────────────────────────────────────────────────────────────────────────────

export interface Deleted extends Told {
  /** What Chroma says: with ids alone, how many were named. */
  readonly deleted: number
  /** How many there were to delete. */
  readonly removed: number
}

export async function deleteRecords(
  collection: Collection,
  value: Parsed,
  strict: boolean,
): Promise<Deleted> {
  if (!isObject(value)) throw misshapen('invalid type, expected struct DeleteCollectionRecordsPayload')
  const ids = value.ids == null ? undefined : stringsOf(value.ids, 'ids')
  const limit = countOf(value.limit, 'limit')
  const selection = selectionOf(value.where, value.where_document)
  const conditional = selection.test !== undefined
  if (limit !== undefined && !conditional)
    throw invalid(
      'Validation error: limit, where: limit can only be specified when a where clause is provided',
    )
  if (ids?.length === 0 && !conditional)
    throw invalid('Validation error: ids, where: Either ids or where must be specified')
  const records = collection.records()
  if (ids === undefined && !conditional) return { deleted: 0, removed: 0, missing: NOTHING_MISSING }
  if (conditional || strict) {
    const request = { ids, selection, limit, offset: 0, include: [] }
    const { records: found, missing } = await getRecords(collection, request, strict)
    const { removed } = await removeAll(
      records,
      found.map(({ source }) => source),
    )
    return { deleted: conditional ? removed : ids!.length, removed, missing }
  }
  const { removed, missing } = await removeAll(records, ids!)
  return { deleted: ids!.length, removed, missing }
}

async function removeAll(records: ReturnType<Collection['records']>, ids: readonly string[]) {
  if (ids.length === 0) return { removed: 0, missing: NOTHING_MISSING }
  const written = await records.write([...new Set(ids)].map((id) => ({ id, verb: 'remove' as const })))
  if ('moved' in written) return { removed: 0, missing: NOTHING_MISSING }
  return {
    removed: written.outcomes.filter(({ outcome }) => outcome === 'removed').length,
    missing: missingOf(written.outcomes),
  }
}
