import {
  type CollectionConfiguration,
  changedConfiguration,
  type EmbeddingFunction,
} from './chroma-configuration.ts'
import { ChromaValueError } from './chroma-errors.ts'

export type MetadataValue =
  | string
  | number
  | boolean
  | null
  | readonly string[]
  | readonly number[]
  | readonly boolean[]
export type RecordMetadata = { readonly [name: string]: MetadataValue | undefined }
export type Include = 'distances' | 'documents' | 'embeddings' | 'metadatas' | 'uris'
type Condition = { readonly [name: string]: unknown }

export interface RecordSet {
  readonly ids: readonly string[]
  readonly embeddings?: readonly (readonly number[] | Float32Array)[] | undefined
  /** In `upsert` and `update`, null takes a member away. */
  readonly metadatas?: readonly (RecordMetadata | null)[] | undefined
  readonly documents?: readonly (string | null)[] | undefined
  readonly uris?: readonly (string | null)[] | undefined
}

/** What was named and not found, or found where it should not be. Missing where nothing is. */
export interface Told {
  readonly missing?: {
    readonly absent: readonly string[]
    readonly tombstone: readonly {
      readonly id: string
      readonly key: string
      readonly reason?: string
      readonly at?: number
    }[]
    readonly exists: readonly string[]
  }
  /** How many records a delete took away, where that is not what Chroma counts. */
  readonly deleted?: number
}

export interface GetRow {
  readonly id: string
  readonly document: string | null | undefined
  readonly embedding: readonly number[] | undefined
  readonly metadata: RecordMetadata | null | undefined
  readonly uri: string | null | undefined
}

export interface GetResult {
  readonly ids: string[]
  readonly embeddings: number[][]
  readonly documents: (string | null)[]
  readonly metadatas: (RecordMetadata | null)[]
  readonly uris: (string | null)[]
  readonly include: Include[]
  readonly spanstore: Told
  rows(): GetRow[]
}

export interface QueryResult {
  readonly ids: string[][]
  readonly distances: (number | null)[][]
  readonly embeddings: number[][][]
  readonly documents: (string | null)[][]
  readonly metadatas: (RecordMetadata | null)[][]
  readonly uris: (string | null)[][]
  readonly include: Include[]
  rows(): (GetRow & { readonly distance: number | null | undefined })[][]
}

/** A collection as the interface shows it; by its id alone, only the first three members. */
export interface CollectionJson {
  readonly id: string
  readonly name: string
  readonly metadata: RecordMetadata | null
  readonly configuration_json: { readonly [name: string]: unknown }
  readonly tenant: string
  readonly database: string
}

/** One request, answered in process. */
export type Call = <T>(method: string, path: string, body?: unknown) => Promise<T>

/** A collection, with the methods of Chroma's. */
export class ChromaCollection {
  readonly id: string
  readonly tenant: string
  readonly database: string
  /** As last read. Setting one of these changes this object alone: `modify` changes the collection. */
  name: string
  metadata: RecordMetadata | undefined
  configuration: { readonly [name: string]: unknown }
  embeddingFunction: EmbeddingFunction | undefined
  readonly #path: string
  readonly #base: string
  readonly #call: Call
  readonly #byIdAlone: boolean

  constructor(
    base: string,
    embeddingFunction: EmbeddingFunction | undefined,
    call: Call,
    known: CollectionJson | Pick<CollectionJson, 'id' | 'tenant' | 'database'>,
  ) {
    const json = 'name' in known ? known : undefined
    this.id = known.id
    this.tenant = known.tenant
    this.database = known.database
    this.name = json?.name ?? ''
    this.metadata = json?.metadata ?? undefined
    this.configuration = json?.configuration_json ?? {}
    this.embeddingFunction = embeddingFunction
    this.#base = base
    this.#path = `${base}/${encodeURIComponent(known.id)}`
    this.#call = call
    this.#byIdAlone = json === undefined
  }

  async #embed(texts: readonly string[], query: boolean): Promise<number[][]> {
    const generate = this.embeddingFunction
    if (generate === undefined)
      throw new ChromaValueError(
        this.#byIdAlone
          ? `collection(${JSON.stringify(this.id)}) has no embedding function: give embeddings, or use client.getCollection()`
          : `collection ${JSON.stringify(this.name)} has no embedding function: give embeddings, an embeddingFunction, or an embedder to the client`,
      )
    if (query && generate.generateForQueries !== undefined)
      return await generate.generateForQueries([...texts])
    return await generate.generate([...texts])
  }

  #refuseByIdAlone(method: string): void {
    if (this.#byIdAlone)
      throw new ChromaValueError(
        `${method}() is not supported on collection(${JSON.stringify(this.id)}): use client.getCollection()`,
      )
  }

  async #write(verb: 'add' | 'upsert' | 'update', records: RecordSet): Promise<Told> {
    const { ids, documents, metadatas, uris } = records
    let embeddings: readonly (readonly number[] | Float32Array)[] | undefined = records.embeddings
    if (embeddings !== undefined) refuseEmpty(embeddings)
    else if (documents !== undefined) {
      const texts = documents.map((text) => text ?? '')
      embeddings = await this.#embed(texts, false)
    }
    const answer = await this.#call<{ readonly spanstore?: Told }>('POST', `${this.#path}/${verb}`, {
      ids,
      embeddings: embeddings?.map(base64Of),
      documents,
      uris,
      metadatas: verb === 'add' ? metadatas?.map(withoutNulls) : metadatas,
    })
    return answer.spanstore ?? {}
  }

  /** Records that are there already are left as they are: the answer names them. */
  async add(records: RecordSet): Promise<Told> {
    return await this.#write('add', records)
  }

  async upsert(records: RecordSet): Promise<Told> {
    return await this.#write('upsert', records)
  }

  /** Records that are not there are passed over: the answer names them. */
  async update(records: RecordSet): Promise<Told> {
    return await this.#write('update', records)
  }

  async get(
    args: {
      readonly ids?: readonly string[] | undefined
      readonly where?: Condition | undefined
      readonly whereDocument?: Condition | undefined
      readonly limit?: number | undefined
      readonly offset?: number | undefined
      readonly include?: readonly Include[] | undefined
    } = {},
  ): Promise<GetResult> {
    const { whereDocument, include = ['documents', 'metadatas'], ...rest } = args
    const answer = await this.#call<Columns & { readonly spanstore?: Told }>('POST', `${this.#path}/get`, {
      ...rest,
      where_document: whereDocument,
      include,
    })
    const result = {
      ids: answer.ids,
      embeddings: answer.embeddings ?? [],
      documents: answer.documents ?? [],
      metadatas: answer.metadatas ?? [],
      uris: answer.uris ?? [],
      include: answer.include,
      spanstore: answer.spanstore ?? {},
    }
    return { ...result, rows: () => rowsOf(result) }
  }

  async peek({ limit = 10 }: { readonly limit?: number } = {}): Promise<GetResult> {
    return await this.get({ limit })
  }

  async query(args: {
    readonly queryEmbeddings?: readonly (readonly number[] | Float32Array)[] | undefined
    readonly queryTexts?: readonly string[] | undefined
    readonly ids?: readonly string[] | undefined
    readonly nResults?: number | undefined
    readonly where?: Condition | undefined
    readonly whereDocument?: Condition | undefined
    readonly include?: readonly Include[] | undefined
  }): Promise<QueryResult> {
    const { queryTexts, whereDocument, nResults = 10, ids, where } = args
    const { include = ['metadatas', 'documents', 'distances'] } = args
    if (args.queryEmbeddings === undefined && queryTexts === undefined)
      throw new ChromaValueError('give queryEmbeddings or queryTexts')
    if (args.queryEmbeddings !== undefined) refuseEmpty(args.queryEmbeddings)
    const vectors = args.queryEmbeddings ?? (await this.#embed(queryTexts!, true))
    const answer = await this.#call<Matrix>('POST', `${this.#path}/query`, {
      query_embeddings: vectors.map((vector) => Array.from(vector)),
      n_results: nResults,
      ids,
      where,
      where_document: whereDocument,
      include,
    })
    const result = {
      ids: answer.ids,
      distances: answer.distances ?? [],
      embeddings: answer.embeddings ?? [],
      documents: answer.documents ?? [],
      metadatas: answer.metadatas ?? [],
      uris: answer.uris ?? [],
      include: answer.include,
    }
    return {
      ...result,
      rows: () =>
        result.ids.map((ids, i) =>
          rowsOf({
            ids,
            embeddings: result.embeddings[i] ?? [],
            documents: result.documents[i] ?? [],
            metadatas: result.metadatas[i] ?? [],
            uris: result.uris[i] ?? [],
          }).map((row, k) => ({ ...row, distance: result.distances[i]?.[k] })),
        ),
    }
  }

  async delete(
    args: {
      readonly ids?: readonly string[] | undefined
      readonly where?: Condition | undefined
      readonly whereDocument?: Condition | undefined
      readonly limit?: number | undefined
    } = {},
  ): Promise<{ deleted: number; spanstore: Told }> {
    const { whereDocument, ...rest } = args
    const body = { ...rest, where_document: whereDocument }
    const answer = await this.#call<{ deleted: number; spanstore?: Told }>(
      'POST',
      `${this.#path}/delete`,
      body,
    )
    return { deleted: answer.deleted, spanstore: answer.spanstore ?? {} }
  }

  async count(): Promise<number> {
    return await this.#call<number>('GET', `${this.#path}/count`)
  }

  async modify(change: {
    readonly name?: string
    readonly metadata?: RecordMetadata
    readonly configuration?: CollectionConfiguration
  }): Promise<void> {
    this.#refuseByIdAlone('modify')
    const { configuration } = change
    await this.#call('PUT', this.#path, {
      new_name: change.name,
      new_metadata: change.metadata,
      new_configuration: configuration && changedConfiguration(configuration),
    })
    const json = await this.#call<CollectionJson>('GET', `${this.#base}/by-id/${this.id}`)
    this.name = json.name
    this.metadata = json.metadata ?? undefined
    this.configuration = json.configuration_json
    this.embeddingFunction = configuration?.embeddingFunction ?? this.embeddingFunction
  }

  async fork({ name }: { readonly name: string }): Promise<ChromaCollection> {
    this.#refuseByIdAlone('fork')
    const json = await this.#call<CollectionJson>('POST', `${this.#path}/fork`, { new_name: name })
    return new ChromaCollection(this.#base, this.embeddingFunction, this.#call, json)
  }

  async forkCount(): Promise<number> {
    return (await this.#call<{ readonly count: number }>('GET', `${this.#path}/fork_count`)).count
  }

  /** Takes what `Search` of Chroma's client makes (`toPayload`), or the payload itself. */
  async search(searches: SearchLike | readonly SearchLike[]): Promise<SearchColumns> {
    const list = (Array.isArray(searches) ? searches : [searches]) as readonly SearchLike[]
    const payloads = list.map((one) =>
      typeof one.toPayload === 'function' ? (one as { toPayload(): unknown }).toPayload() : one,
    )
    return await this.#call<SearchColumns>('POST', `${this.#path}/search`, {
      searches: await Promise.all(
        payloads.map(async (payload) => {
          const { rank, ...rest } = payload as { readonly rank?: unknown }
          return rank === undefined ? rest : { ...rest, rank: await this.#withVectors(rank) }
        }),
      ),
    })
  }

  /** Texts that `$knn` asks for become vectors. */
  async #withVectors(part: unknown): Promise<unknown> {
    if (Array.isArray(part)) return await Promise.all(part.map((one) => this.#withVectors(one)))
    if (typeof part !== 'object' || part === null) return part
    const members = Object.entries(part).map(async ([name, member]) => {
      if (name !== '$knn' || typeof member?.query !== 'string')
        return [name, await this.#withVectors(member)] as const
      const [query] = await this.#embed([member.query], true)
      return [name, { ...member, query }] as const
    })
    return Object.fromEntries(await Promise.all(members))
  }
}

export type SearchLike = { toPayload(): unknown } | { readonly [name: string]: unknown }

/** Column by column, one list a search; null where it was not selected. */
export interface SearchColumns {
  readonly ids: string[][]
  readonly documents: ((string | null)[] | null)[]
  readonly embeddings: ((number[] | null)[] | null)[]
  readonly metadatas: ((RecordMetadata | null)[] | null)[]
  readonly scores: ((number | null)[] | null)[]
  readonly select: unknown[][]
}

interface Columns {
  readonly ids: string[]
  readonly embeddings: number[][] | null
  readonly documents: (string | null)[] | null
  readonly metadatas: (RecordMetadata | null)[] | null
  readonly uris: (string | null)[] | null
  readonly include: Include[]
}

interface Matrix {
  readonly ids: string[][]
  readonly distances: (number | null)[][] | null
  readonly embeddings: number[][][] | null
  readonly documents: (string | null)[][] | null
  readonly metadatas: (RecordMetadata | null)[][] | null
  readonly uris: (string | null)[][] | null
  readonly include: Include[]
}

const rowsOf = ({
  ids,
  documents,
  embeddings,
  metadatas,
  uris,
}: Omit<GetResult, 'rows' | 'include' | 'spanstore'>): GetRow[] =>
  ids.map((id, i) => ({
    id,
    document: documents[i],
    embedding: embeddings[i],
    metadata: metadatas[i],
    uri: uris[i],
  }))

function base64Of(vector: readonly number[] | Float32Array): string {
  const floats = vector instanceof Float32Array ? vector : Float32Array.from(vector)
  return Buffer.from(floats.buffer, floats.byteOffset, floats.byteLength).toString('base64')
}

const withoutNulls = (metadata: RecordMetadata | null): RecordMetadata | null =>
  metadata && Object.fromEntries(Object.entries(metadata).filter(([, value]) => value !== null))

function refuseEmpty(vectors: readonly (readonly number[] | Float32Array)[]): void {
  const index = vectors.findIndex((vector) => vector.length === 0)
  if (index >= 0)
    throw new ChromaValueError(
      `Expected each embedding to be a non-empty array of numbers, but got an empty array at index ${index}`,
    )
}
