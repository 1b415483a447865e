import type { Key } from '../core/key.ts'
import type { FetchResult, Metric, WriteResult } from '../core/model.ts'
import type { CollectionInfo, Embedder, Ledger } from '../ports.ts'
import { Collection } from './collection.ts'
import { array, identifier, invalid, object } from './input.ts'

export interface CollectionOptions {
  /** Default cosine. An existing collection of another metric is refused. */
  readonly metric?: Metric
  /** Allow a name that belonged to a collection since renamed or dropped. */
  readonly recreate?: boolean
}

/** An open store. Get one from `openStore(directory)`; close it when done. */
export class Store implements AsyncDisposable {
  readonly #ledger: Ledger
  readonly #embedder: Embedder | undefined
  readonly #clock: () => number

  constructor(ledger: Ledger, options: { readonly embedder?: Embedder; readonly clock: () => number }) {
    this.#ledger = ledger
    this.#embedder = options.embedder
    this.#clock = options.clock
  }

  get id(): Key {
    return this.#ledger.id
  }

  /**
   * Opens or creates a collection.
   * @throws COLLECTION_MISMATCH for another metric; COLLECTION_RENAMED or COLLECTION_DROPPED for a name that is no
   * longer in use, unless `recreate`
   */
  async collection(name: string, options: CollectionOptions = {}): Promise<Collection> {
    object('options', options, ['metric', 'recreate'])
    const { metric } = options
    if (metric !== undefined && !['cosine', 'l2', 'ip'].includes(metric))
      throw invalid('options.metric', metric, "give 'cosine', 'l2' or 'ip'")
    const info = await this.#ledger.openCollection(
      identifier('name', name),
      metric,
      options.recreate === true,
    )
    return new Collection({ ledger: this.#ledger, embedder: this.#embedder, clock: this.#clock }, info)
  }

  /** The collections in use, by name. */
  async collections(): Promise<readonly CollectionInfo[]> {
    return await this.#ledger.collections()
  }

  /** Its id, its spans and its events stay; only the name changes. @throws COLLECTION_UNKNOWN, COLLECTION_EXISTS */
  async renameCollection(name: string, to: string): Promise<void> {
    await this.#ledger.renameCollection(identifier('name', name), identifier('to', to))
  }

  /** Its spans answer `deleted` from now on; dependents in other collections get their causes. @throws COLLECTION_UNKNOWN */
  async dropCollection(name: string): Promise<WriteResult> {
    return await this.#ledger.dropCollection(identifier('name', name))
  }

  /** Exactly one of the four results, whatever collection the key belongs to. */
  async fetch(key: string): Promise<FetchResult> {
    return await this.#ledger.fetchOne(key)
  }

  /** One result per key, in request order, duplicates kept. */
  async fetchMany(keys: readonly string[]): Promise<readonly FetchResult[]> {
    return await this.#ledger.fetch(array('keys', keys) as string[])
  }

  async close(): Promise<void> {
    await this.#ledger.close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }
}
