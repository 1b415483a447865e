import { type Embedder, openStore, type Store } from '../index.ts'
import { CHROMA_VERSION, chromaApp, MAX_BATCH } from '../wire/chroma/app.ts'
import { type Call, ChromaCollection, type CollectionJson, type RecordMetadata } from './chroma-collection.ts'
import {
  type CollectionConfiguration,
  createdConfiguration,
  type EmbeddingFunction,
  type SchemaLike,
} from './chroma-configuration.ts'
import { ChromaValueError, refusalOf } from './chroma-errors.ts'

export type {
  GetResult,
  GetRow,
  Include,
  MetadataValue,
  QueryResult,
  RecordMetadata,
  RecordSet,
  SearchColumns,
  SearchLike,
  Told,
} from './chroma-collection.ts'
export { ChromaCollection } from './chroma-collection.ts'
export type { CollectionConfiguration, EmbeddingFunction, SchemaLike, Space } from './chroma-configuration.ts'
export {
  ChromaClientError,
  ChromaConditionalWriteConflictError,
  ChromaError,
  ChromaForbiddenError,
  ChromaNotFoundError,
  ChromaServerError,
  ChromaStaleReadError,
  ChromaUniqueError,
  ChromaValueError,
} from './chroma-errors.ts'

/*
 * Chroma's JavaScript client without a server: the same method names, arguments and answers, over a store in this
 * process. What it asks goes through the same handlers as a request over the wire, so that both behave alike.
 */

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

/** `new ChromaClient({ path: './memory' })`, or over an open store. */
export class ChromaClient {
  readonly tenant: string
  readonly database: string
  readonly #options: ChromaClientOptions
  #app: Promise<{ readonly call: Call; readonly store: Store }> | undefined

  constructor(options: ChromaClientOptions) {
    if ((options.store === undefined) === (options.path === undefined))
      throw new ChromaValueError('give either store or path')
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
      throw refusalOf(response.status, answer.error ?? '', answer.message ?? 'refused')
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
    return new ChromaCollection(
      this.#collections,
      generate,
      (method, path, body) => this.#call(method, path, body),
      json,
    )
  }

  async createCollection(args: {
    readonly name: string
    readonly configuration?: CollectionConfiguration
    readonly metadata?: RecordMetadata
    readonly embeddingFunction?: EmbeddingFunction | null
    /** A `Schema` of Chroma's client, or what it serializes to. */
    readonly schema?: SchemaLike
    /** As the client's own `getOrCreateCollection` says it. */
    readonly getOrCreate?: boolean
  }): Promise<ChromaCollection> {
    const { name, configuration, metadata, embeddingFunction, schema, getOrCreate = false } = args
    const json = await this.#call<CollectionJson>('POST', this.#collections, {
      name,
      configuration: createdConfiguration({
        configuration,
        embeddingFunction,
        metadata,
        schema,
        standing: functionOf(this.#options.embedder),
      }),
      metadata,
      schema: schema?.serializeToJSON === undefined ? schema : schema.serializeToJSON(),
      get_or_create: getOrCreate,
    })
    return this.#collection(
      json,
      embeddingFunction ?? configuration?.embeddingFunction ?? schema?.resolveEmbeddingFunction?.(),
    )
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

  /**
   * The collection of this id, looked for at the first call only. It has no embedding function: vectors have to be given,
   * and `modify` and `fork` are refused with `ChromaValueError`, as Chroma's client does.
   */
  collection(id: string): ChromaCollection {
    return new ChromaCollection(
      this.#collections,
      undefined,
      (method, path, body) => this.#call(method, path, body),
      {
        id,
        tenant: this.tenant,
        database: this.database,
      },
    )
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
