import type { Key } from '../core/key.ts'
import type { FetchResult, Metric, WriteResult } from '../core/model.ts'
import type { Backup, CollectionInfo, Embedder, Ledger, LedgerStats, Problem, TextIndex } from '../ports.ts'
import { Collection } from './collection.ts'
import { array, identifier, invalid, object, wholeNumber } from './input.ts'

export interface CollectionOptions {
  /** Default cosine. An existing collection of another metric is refused. */
  readonly metric?: Metric
  /** Allow a name that belonged to a collection since renamed or dropped. */
  readonly recreate?: boolean
}

/** An open store. Get one from `openStore(directory)`; close it when done. */
export class Store implements AsyncDisposable {
  readonly #ledger: Ledger
  readonly #text: TextIndex
  readonly #embedder: Embedder | undefined
  readonly #clock: () => number

  constructor(
    ledger: Ledger,
    text: TextIndex,
    options: { readonly embedder?: Embedder; readonly clock: () => number },
  ) {
    this.#ledger = ledger
    this.#text = text
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
    return new Collection(
      { ledger: this.#ledger, text: this.#text, embedder: this.#embedder, clock: this.#clock },
      info,
    )
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
    return this.#ledger.fetchOne(key)
  }

  /** One result per key, in request order, duplicates kept. */
  async fetchMany(keys: readonly string[]): Promise<readonly FetchResult[]> {
    return await this.#ledger.fetch(array('keys', keys) as string[])
  }

  /**
   * Compares every derived row with the append-only tables: O(store). `repair: true` sets derived rows right; what
   * cannot be derived needs a backup. An empty list means all is well.
   */
  async verify(options: { readonly repair?: boolean } = {}): Promise<readonly Problem[]> {
    object('options', options, ['repair'])
    return await this.#ledger.verify(options.repair === true)
  }

  async stats(): Promise<LedgerStats> {
    return await this.#ledger.stats()
  }

  /**
   * Copies the store to an empty directory while it is in use: one consistent state, checksummed. Open the copy
   * with `restoreBackup` and `openStore`. @throws BACKUP_INVALID when the directory is not empty
   */
  async backup(
    directory: string,
    options: { readonly onProgress?: (done: number, total: number) => void } = {},
  ): Promise<Backup> {
    return await this.#ledger.backup(identifier('directory', directory), options.onProgress)
  }

  /**
   * Drops the texts of spans retired before a time (milliseconds since the epoch). Their tombstones, successors and
   * lineage stay; reading them as of a time when they lived answers `tombstone` with `prunedAt`.
   */
  async prune(options: {
    readonly before: number
    readonly signal?: AbortSignal
  }): Promise<{ readonly pruned: number; readonly reclaimed: boolean }> {
    object('prune', options, ['before', 'signal'])
    return await this.#ledger.prune(wholeNumber('prune.before', options.before, 0), options.signal)
  }

  async close(): Promise<void> {
    await this.#text.close()
    await this.#ledger.close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }
}
