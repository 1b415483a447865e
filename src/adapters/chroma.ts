import { type Embedder, openStore, type Store } from '../index.ts'
import { CHROMA_VERSION, chromaApp, MAX_BATCH } from '../wire/chroma/app.ts'

/*
 * Chroma's JavaScript client without a server: the same method names, arguments and answers, over a store in this
 * process. What it asks goes through the same handlers as a request over the wire, so that both behave alike.
 */

/** Turns texts into vectors, as Chroma's embedding functions do. */
export interface EmbeddingFunction {
  readonly name?: string
  generate(texts: string[]): Promise<number[][]>
  generateForQueries?(texts: string[]): Promise<number[][]>
}

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

export interface ChromaClientOptions {
  /** An open store; whoever opened it closes it. */
  readonly store?: Store
  /** A store's directory, opened at the first call, and closed by `close`. */
  readonly path?: string
  readonly tenant?: string
  readonly database?: string
  /** For collections without an embedding function of their own. */
  readonly embedder?: Embedder
}

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

interface CollectionJson {
  readonly id: string
  readonly name: string
  readonly metadata: RecordMetadata | null
  readonly configuration_json: { readonly [name: string]: unknown }
  readonly tenant: string
  readonly database: string
}

/** A refusal; `name` is that of the class Chroma's client throws. */
export class ChromaError extends Error {
  override readonly name: string
  readonly status: number

  constructor(status: number, error: string, message: string) {
    super(message)
    this.status = status
    this.name = ERROR_NAMES[error] ?? ERROR_NAMES[status] ?? 'ChromaServerError'
  }
}

const ERROR_NAMES: Readonly<Record<string | number, string>> = {
  ConditionalWriteConflictError: 'ChromaConditionalWriteConflictError',
  400: 'ChromaClientError',
  401: 'ChromaUnauthorizedError',
  403: 'ChromaForbiddenError',
  404: 'ChromaNotFoundError',
  409: 'ChromaUniqueError',
  410: 'ChromaNotFoundError',
  412: 'ChromaStaleReadError',
  422: 'ChromaClientError',
}

type Call = <T>(method: string, path: string, body?: unknown) => Promise<T>

/** `new ChromaClient({ path: './memory' })`, or over an open store. */
export class ChromaClient {
  readonly tenant: string
  readonly database: string
  readonly #options: ChromaClientOptions
  #app: Promise<{ readonly call: Call; readonly store: Store }> | undefined

  constructor(options: ChromaClientOptions) {
    if ((options.store === undefined) === (options.path === undefined))
      throw new ChromaError(400, '', 'give either store or path')
    this.#options = options
    this.tenant = options.tenant ?? 'default_tenant'
    this.database = options.database ?? 'default_database'
  }

  #opened() {
    this.#app ??= this.#open()
    return this.#app
  }

  async #open() {
    const { store: given, path, embedder } = this.#options
    const store = given ?? (await openStore(path!, embedder === undefined ? {} : { embedder }))
    const app = chromaApp(store)
    const call: Call = async <T>(method: string, path: string, body?: unknown) => {
      const response = await app.request(path, {
        method,
        headers: { 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      const answer = (await response.json()) as T & { readonly error?: string; readonly message?: string }
      if (response.ok) return answer
      throw new ChromaError(response.status, answer.error ?? '', answer.message ?? 'refused')
    }
    return { call, store }
  }

  async #call<T>(method: string, path: string, body?: unknown): Promise<T> {
    return await (await this.#opened()).call<T>(method, path, body)
  }

  get #collections(): string {
    return `/api/v2/tenants/${encodeURIComponent(this.tenant)}/databases/${encodeURIComponent(this.database)}/collections`
  }

  #collection(
    json: CollectionJson,
    embeddingFunction: EmbeddingFunction | null | undefined,
  ): ChromaCollection {
    const generate = embeddingFunction ?? functionOf(this.#options.embedder)
    return new ChromaCollection(this.#collections, json, generate, (method, path, body) =>
      this.#call(method, path, body),
    )
  }

  async createCollection(args: {
    readonly name: string
    readonly configuration?: { readonly [name: string]: unknown }
    readonly metadata?: RecordMetadata
    readonly embeddingFunction?: EmbeddingFunction | null
    readonly schema?: unknown
    /** As the client's own `getOrCreateCollection` says it. */
    readonly getOrCreate?: boolean
  }): Promise<ChromaCollection> {
    const { name, configuration, metadata, embeddingFunction, schema, getOrCreate = false } = args
    const json = await this.#call<CollectionJson>('POST', this.#collections, {
      name,
      configuration,
      metadata,
      schema,
      get_or_create: getOrCreate,
    })
    return this.#collection(json, embeddingFunction)
  }

  async getOrCreateCollection(
    args: Omit<Parameters<ChromaClient['createCollection']>[0], 'getOrCreate'>,
  ): Promise<ChromaCollection> {
    return await this.createCollection({ ...args, getOrCreate: true })
  }

  async getCollection({
    name,
    embeddingFunction,
  }: {
    readonly name: string
    readonly embeddingFunction?: EmbeddingFunction | null
  }): Promise<ChromaCollection> {
    const json = await this.#call<CollectionJson>('GET', `${this.#collections}/${encodeURIComponent(name)}`)
    return this.#collection(json, embeddingFunction)
  }

  async getCollectionById(id: string): Promise<ChromaCollection> {
    const json = await this.#call<CollectionJson>(
      'GET',
      `${this.#collections}/by-id/${encodeURIComponent(id)}`,
    )
    return this.#collection(json, undefined)
  }

  async getCollections(
    items: readonly (string | { readonly name: string; readonly embeddingFunction?: EmbeddingFunction })[],
  ): Promise<ChromaCollection[]> {
    return await Promise.all(
      items.map((item) => this.getCollection(typeof item === 'string' ? { name: item } : item)),
    )
  }

  async listCollections(
    args: { readonly limit?: number; readonly offset?: number } = {},
  ): Promise<ChromaCollection[]> {
    const { limit = 100, offset = 0 } = args
    const list = await this.#call<CollectionJson[]>(
      'GET',
      `${this.#collections}?limit=${limit}&offset=${offset}`,
    )
    return list.map((json) => this.#collection(json, undefined))
  }

  async countCollections(): Promise<number> {
    return await this.#call<number>('GET', `${this.#collections}_count`)
  }

  async deleteCollection({ name }: { readonly name: string }): Promise<void> {
    await this.#call('DELETE', `${this.#collections}/${encodeURIComponent(name)}`)
  }

  /** Takes away everything made through this interface; other collections of the store stay. */
  async reset(): Promise<void> {
    await this.#call('POST', '/api/v2/reset')
  }

  /** Nanoseconds since the epoch. */
  async heartbeat(): Promise<number> {
    return (await this.#call<{ 'nanosecond heartbeat': number }>('GET', '/api/v2/heartbeat'))[
      'nanosecond heartbeat'
    ]
  }

  async version(): Promise<string> {
    return CHROMA_VERSION
  }

  async getMaxBatchSize(): Promise<number> {
    return MAX_BATCH
  }

  async supportsBase64Encoding(): Promise<boolean> {
    return true
  }

  async getUserIdentity(): Promise<{ userId: string; tenant: string; databases: string[] }> {
    return { userId: '', tenant: this.tenant, databases: [this.database] }
  }

  /** Closes the store that this client opened. */
  async close(): Promise<void> {
    const opened = await this.#app
    this.#app = undefined
    if (this.#options.store === undefined) await opened?.store.close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }
}

function functionOf(embedder: Embedder | undefined): EmbeddingFunction | undefined {
  if (embedder === undefined) return undefined
  return {
    name: embedder.id,
    generate: async (texts) => (await embedder.embedDocuments(texts)).map((vector) => Array.from(vector)),
    generateForQueries: async (texts) =>
      await Promise.all(texts.map(async (text) => Array.from(await embedder.embedQuery(text)))),
  }
}

/** A collection, with the methods of Chroma's. */
export class ChromaCollection {
  readonly id: string
  readonly tenant: string
  readonly database: string
  readonly embeddingFunction: EmbeddingFunction | undefined
  readonly #path: string
  readonly #base: string
  readonly #call: Call
  #json: CollectionJson

  constructor(
    base: string,
    json: CollectionJson,
    embeddingFunction: EmbeddingFunction | undefined,
    call: Call,
  ) {
    this.id = json.id
    this.tenant = json.tenant
    this.database = json.database
    this.embeddingFunction = embeddingFunction
    this.#base = base
    this.#path = `${base}/${json.id}`
    this.#json = json
    this.#call = call
  }

  get name(): string {
    return this.#json.name
  }

  get metadata(): RecordMetadata | undefined {
    return this.#json.metadata ?? undefined
  }

  get configuration(): { readonly [name: string]: unknown } {
    return this.#json.configuration_json
  }

  async #embed(texts: readonly string[], query: boolean): Promise<number[][]> {
    const generate = this.embeddingFunction
    if (generate === undefined)
      throw new ChromaError(
        400,
        '',
        `collection ${JSON.stringify(this.name)} has no embedding function: give embeddings, an embeddingFunction, or an embedder to the client`,
      )
    if (query && generate.generateForQueries !== undefined)
      return await generate.generateForQueries([...texts])
    return await generate.generate([...texts])
  }

  async #write(verb: 'add' | 'upsert' | 'update', records: RecordSet): Promise<Told> {
    const { ids, documents, metadatas, uris } = records
    let embeddings: readonly (readonly number[] | Float32Array)[] | undefined = records.embeddings
    if (embeddings === undefined && documents !== undefined) {
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
      throw new ChromaError(400, '', 'give queryEmbeddings or queryTexts')
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
    readonly configuration?: { readonly [name: string]: unknown }
  }): Promise<void> {
    await this.#call('PUT', this.#path, {
      new_name: change.name,
      new_metadata: change.metadata,
      new_configuration: change.configuration,
    })
    this.#json = await this.#call<CollectionJson>('GET', `${this.#base}/by-id/${this.id}`)
  }

  async fork({ name }: { readonly name: string }): Promise<ChromaCollection> {
    const json = await this.#call<CollectionJson>('POST', `${this.#path}/fork`, { new_name: name })
    return new ChromaCollection(this.#base, json, this.embeddingFunction, this.#call)
  }

  async forkCount(): Promise<number> {
    return (await this.#call<{ readonly count: number }>('GET', `${this.#path}/fork_count`)).count
  }

  /** Takes what `Search` of Chroma's client makes (`toPayload`), or the payload itself. */
  async search(searches: SearchLike | readonly SearchLike[]): Promise<SearchColumns> {
    const list = (Array.isArray(searches) ? searches : [searches]) as readonly SearchLike[]
    return await this.#call<SearchColumns>('POST', `${this.#path}/search`, {
      searches: list.map((one) =>
        typeof (one as { toPayload?: unknown }).toPayload === 'function'
          ? (one as { toPayload(): unknown }).toPayload()
          : one,
      ),
    })
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
