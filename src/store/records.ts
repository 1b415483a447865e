import { parseFilter, type Where } from '../core/filter.ts'
import type { Metadata } from '../core/json.ts'
import type { Metric } from '../core/model.ts'
import type { Admits, LiveRecord, RecordChange, RecordResult } from '../core/record.ts'
import type { Ledger } from '../ports/ledger.ts'
import type { RecordsWritten } from '../ports/records.ts'
import type { VectorIndex, VectorSpace } from '../ports/vectors.ts'
import { hashOf, type VectorInput } from './draft.ts'
import {
  array,
  type Command,
  canonical,
  commandOption,
  identifier,
  invalid,
  metadataOf,
  object,
  vectorOf,
  wellFormed,
  wholeNumber,
} from './input.ts'

export interface RecordInput {
  readonly id: string
  /** `create` leaves a record alone that is there, `change` one that is not; `put` does either; `remove` takes it away. */
  readonly verb: 'create' | 'change' | 'put' | 'remove'
  /** null: none. Left out: as it was. */
  readonly text?: string | null
  /** Left out: as it was, also where the text changes. */
  readonly vector?: VectorInput
  /** The metadata to have from those it has; left out: as they were. Called inside the commit. */
  readonly metadata?: (before: Metadata | undefined) => Metadata | undefined
}

export interface RecordSelection {
  readonly where?: Where
  /** What `where` cannot say. */
  readonly admits?: Admits
}

export interface NearestRecords {
  readonly vector: VectorInput
  readonly limit: number
  readonly offset?: number
  readonly accuracy?: number
  /** Only these records; ids that are not there are passed over. */
  readonly ids?: readonly string[]
}

/** A record among the nearest. */
export interface NearRecord {
  readonly record: LiveRecord
  readonly distance: number
}

export interface RecordsContext {
  readonly ledger: Ledger
  readonly vectors: VectorIndex
  readonly clock: () => number
}

/**
 * A collection as clients of vector databases know it: records with an id, a text or none, metadata, and a vector that
 * comes with them. A record is a source of one span, so that everything else in the store knows it, too: a changed
 * text is a new key, a removed record a tombstone.
 */
export class Records {
  readonly #context: RecordsContext
  readonly #collection: number
  readonly #scope: string
  readonly metric: Metric
  /** The order of all records, as long as nothing changes: clients read a collection page by page. */
  #listed: { readonly position: number; readonly ids: readonly number[] } | undefined

  constructor(context: RecordsContext, collection: { ref: number; id: string; metric: Metric }) {
    this.#context = context
    this.#collection = collection.ref
    this.#scope = collection.id
    this.metric = collection.metric
  }

  /** What vectors are compared in; undefined before the first vector. @throws COLLECTION_DROPPED */
  space(): VectorSpace | undefined {
    return this.#context.ledger.vectors.head(this.#collection).space
  }

  /** Where the collection stands. @throws COLLECTION_DROPPED */
  position(): number {
    return this.#context.ledger.vectors.position(this.#collection)
  }

  async count(): Promise<number> {
    return await this.#context.ledger.count(this.#collection)
  }

  /**
   * All changes, in order, or none. With `unless`, nothing is written if one of its ids changed after a position; the
   * answer then names those that did.
   * @throws INVALID_ARGUMENT, INVALID_VECTOR, ERASED_TEXT, COLLECTION_DROPPED, STORE_BUSY
   */
  async write(
    inputs: readonly RecordInput[],
    options: {
      readonly unless?: { readonly after: number; readonly ids: readonly string[] }
      readonly commandId?: string
    } = {},
  ): Promise<RecordsWritten | { readonly moved: readonly string[] }> {
    object('options', options, ['unless', 'commandId'])
    const changes = array('records', inputs).map((input, i) =>
      changeOf(input as RecordInput, `records[${i}]`),
    )
    const { unless } = options
    const command: Command = commandOption(`${this.#scope} records`, options.commandId)
    return await this.#context.ledger.records.write(this.#collection, changes, {
      ...command,
      ...(unless === undefined ? {} : { unless: { after: unless.after, sources: unless.ids } }),
    })
  }

  /** One result per id, in request order. */
  async read(
    ids: readonly string[],
    options: { readonly vectors?: boolean } = {},
  ): Promise<{ readonly slots: readonly RecordResult[]; readonly position: number }> {
    return await this.#context.ledger.records.read(this.#collection, ids, options.vectors === true)
  }

  /**
   * Live records in the order in which they came, those brought back after they were removed as if new.
   * @throws INVALID_FILTER, COLLECTION_DROPPED
   */
  async list(
    selection: RecordSelection & {
      readonly offset?: number
      readonly limit?: number
      readonly vectors?: boolean
    } = {},
  ): Promise<readonly LiveRecord[]> {
    const { records } = this.#context.ledger
    const offset = wholeNumber('list.offset', selection.offset ?? 0, 0)
    const limit = wholeNumber('list.limit', selection.limit ?? Number.MAX_SAFE_INTEGER, 0)
    if (limit === 0) return []
    const ids = await this.#order(selection)
    const page = offset === 0 && limit >= ids.length ? ids : ids.slice(offset, offset + limit)
    return await records.rows(this.#collection, page, selection.vectors === true)
  }

  async #order({ where, admits }: RecordSelection): Promise<readonly number[]> {
    const { records } = this.#context.ledger
    if (where !== undefined || admits !== undefined) {
      const filter = where === undefined ? undefined : parseFilter(where)
      return (await records.order(this.#collection, filter, admits)).ids
    }
    // What falls due is a tombstone before the position is looked at.
    await this.#context.ledger.vectors.settle()
    if (this.#listed?.position !== this.position())
      this.#listed = await records.order(this.#collection, undefined, undefined)
    return this.#listed.ids
  }

  /** Live records by the ids of their spans, in the given order; those gone meanwhile are left out. */
  async rows(
    refs: readonly number[],
    options: { readonly vectors?: boolean } = {},
  ): Promise<readonly LiveRecord[]> {
    return await this.#context.ledger.records.rows(this.#collection, refs, options.vectors === true)
  }

  /** Those of these ids that changed after a position. */
  async moved(after: number, ids: readonly string[]): Promise<readonly string[]> {
    return await this.#context.ledger.records.moved(this.#collection, after, ids)
  }

  /**
   * The nearest records, closest first; exact unless `accuracy` is below 1.
   * @throws INVALID_VECTOR, INVALID_FILTER, NO_VECTORS, COLLECTION_DROPPED
   */
  async nearest(
    query: NearestRecords,
    selection: RecordSelection & { readonly vectors?: boolean } = {},
  ): Promise<readonly NearRecord[]> {
    const { where, admits } = selection
    const { ids } = query
    const among = ids === undefined ? undefined : (await this.read(ids)).slots.flatMap(refOf)
    const limit = wholeNumber('nearest.limit', query.limit, 0)
    if (limit === 0) return []
    const { nearest } = await this.#context.vectors.nearest(this.#collection, {
      vector: vectorOf('nearest.vector', query.vector),
      limit,
      offset: wholeNumber('nearest.offset', query.offset ?? 0, 0),
      accuracy: query.accuracy ?? 1,
      ...(where === undefined ? {} : { where: parseFilter(where) }),
      ...(admits === undefined ? {} : { admits }),
      ...(among === undefined ? {} : { among }),
    })
    const distances = new Map(nearest.map(({ id, distance }) => [id, distance]))
    const rows = await this.rows([...distances.keys()], { vectors: selection.vectors === true })
    return rows.map((record) => ({ record, distance: distances.get(record.id)! }))
  }
}

const refOf = (result: RecordResult): readonly number[] => (result.status === 'ok' ? [result.record.id] : [])

const VERBS: readonly unknown[] = ['create', 'change', 'put', 'remove']

function changeOf(input: RecordInput, path: string): RecordChange {
  object(path, input, ['id', 'verb', 'text', 'vector', 'metadata'])
  const { verb, text, vector, metadata } = input
  if (!VERBS.includes(verb)) throw invalid(`${path}.verb`, verb, "give 'create', 'change', 'put' or 'remove'")
  return {
    source: identifier(`${path}.id`, input.id),
    verb,
    ...(text === undefined ? {} : { text: textOf(text, `${path}.text`) }),
    ...(vector === undefined ? {} : { vector: vectorOf(`${path}.vector`, vector) }),
    ...(metadata === undefined ? {} : { metadata: patch(metadata) }),
  }
}

function textOf(value: string | null, path: string): NonNullable<RecordChange['text']> {
  if (value === null) return { text: undefined, hash: undefined }
  const text = wellFormed(path, value)
  return { text, hash: hashOf(text) }
}

const patch =
  (change: NonNullable<RecordInput['metadata']>): NonNullable<RecordChange['metadata']> =>
  (before) => {
    const after = change(before === undefined ? undefined : (JSON.parse(before) as Metadata))
    return after === undefined ? undefined : canonical(metadataOf('metadata', after))
  }
