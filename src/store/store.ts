import type { Bell } from '../core/consumer.ts'
import { encodeCursor } from '../core/cursor.ts'
import type { Key } from '../core/key.ts'
import type { FetchResult, Metric, WriteResult } from '../core/model.ts'
import type { Consumers } from '../ports/consumers.ts'
import type { DerivedIndex } from '../ports/derived.ts'
import type { Embedder } from '../ports/embedder.ts'
import type { DeferredVectors } from '../ports/embedding.ts'
import type { Backup, CollectionInfo, Ledger, LedgerStats } from '../ports/ledger.ts'
import type { Problem } from '../ports/problem.ts'
import type { TextIndex } from '../ports/text.ts'
import type { VectorIndex } from '../ports/vectors.ts'
import type { EventStream, SubscribeOptions, Subscriptions } from '../subscription/index.ts'
import { nextTurn } from '../threads/turn.ts'
import { Collection } from './collection.ts'
import { abortSignal, array, flag, identifier, invalid, object, wholeNumber } from './input.ts'
import { Observer } from './observer.ts'

export interface CollectionOptions {
  /** Default cosine. An existing collection of another metric is refused. */
  readonly metric?: Metric
  /** Allow a name that belonged to a collection since renamed or dropped. */
  readonly recreate?: boolean
  /** Default true. `false`: refuse with COLLECTION_UNKNOWN instead of making a new collection. */
  readonly create?: boolean
}

/** How much this process has committed, and how far the indexes have come. */
export interface StoreActivity {
  /** Of this process, since it opened the store. */
  readonly commits: number
  readonly collections: readonly {
    readonly name: string
    readonly position: number
    readonly live: number
    /** Positions up to which indexes have absorbed the log; `vectors` where the collection has a table. */
    readonly indexedThrough: { readonly text: number; readonly vectors?: number }
  }[]
}

/** What a store is put together from; `openStore` does it. */
export interface StoreParts {
  readonly ledger: Ledger
  readonly text: TextIndex
  readonly vectors: VectorIndex
  readonly attributes: DerivedIndex
  readonly deferred: DeferredVectors
  readonly bell: Bell & { close(): void }
  readonly consumers: Consumers
  readonly subscriptions: Subscriptions
  /** How often this process has committed since it opened the store. */
  readonly commits: () => number
  readonly embedder?: Embedder
  readonly clock: () => number
}

/** Milliseconds before a collection that is opened again is looked through again. */
const LOOK_AGAIN = 60_000

/** An open store. Get one from `openStore(directory)`; close it when done. */
export class Store implements AsyncDisposable {
  readonly #ledger: Ledger
  readonly #parts: StoreParts
  readonly #observer: Observer
  /** When each collection was last looked through for texts without vectors, in milliseconds. */
  readonly #looked = new Map<number, number>()

  constructor(parts: StoreParts) {
    this.#ledger = parts.ledger
    this.#parts = parts
    this.#observer = new Observer(parts.ledger.sessions)
  }

  get id(): Key {
    return this.#ledger.id
  }

  /**
   * Opens or creates a collection.
   * @throws COLLECTION_MISMATCH for another metric; COLLECTION_RENAMED or COLLECTION_DROPPED for a name that is no
   * longer in use, unless `recreate`; COLLECTION_UNKNOWN with `create: false`
   */
  async collection(name: string, options: CollectionOptions = {}): Promise<Collection> {
    object('options', options, ['metric', 'recreate', 'create'])
    const { metric } = options
    if (metric !== undefined && !['cosine', 'l2', 'ip'].includes(metric))
      throw invalid('options.metric', metric, "give 'cosine', 'l2' or 'ip'")
    const info = await this.#ledger.openCollection(identifier('name', name), metric, {
      recreate: flag('options.recreate', options.recreate),
      create: flag('options.create', options.create ?? true),
    })
    const { ledger, text, vectors, deferred, embedder, clock } = this.#parts
    const observer = this.#observer
    // What other processes left to be embedded, if they did. Looking reads the collection, and some open it often.
    const looked = this.#looked.get(info.ref) ?? Number.NEGATIVE_INFINITY
    if (info.embedder !== undefined && info.embedder === embedder?.id && clock() - looked >= LOOK_AGAIN) {
      this.#looked.set(info.ref, clock())
      deferred.wake(info.ref)
    }
    return new Collection({ ledger, text, vectors, deferred, observer, embedder, clock }, info)
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

  /** Where every collection stands now, as one token: for `basedOn`, `subscribe({ from })`, and to compare later. */
  async cursor(): Promise<string> {
    return encodeCursor(new Map((await this.#ledger.collections()).map(({ id, position }) => [id, position])))
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
    const repair = flag('options.repair', options.repair)
    return [
      ...(await this.#ledger.verify(repair)),
      ...(await this.#parts.text.verify(repair)),
      ...(await this.#parts.vectors.verify(repair)),
      ...(await this.#parts.attributes.verify(repair)),
    ]
  }

  /** What is cheap to ask often, for metrics; `stats` counts everything. */
  async activity(): Promise<StoreActivity> {
    const { text, vectors, commits } = this.#parts
    const collections = (await this.#ledger.collections()).map(({ ref, name, position, live }) => {
      const table = vectors.watermark(ref)
      return {
        name,
        position,
        live,
        indexedThrough: { text: text.watermark(ref), ...(table === undefined ? {} : { vectors: table }) },
      }
    })
    return { commits: commits(), collections }
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
    return await this.#ledger.prune(
      wholeNumber('prune.before', options.before, 0),
      abortSignal('prune.signal', options.signal),
    )
  }

  /**
   * Reads events as they come, each collection in order. With a `consumer` the reading is durable: what is not
   * acknowledged comes again, also after a crash. @throws as `Subscriptions.subscribe` says
   */
  subscribe(options: SubscribeOptions = {}): EventStream {
    return this.#parts.subscriptions.subscribe(options)
  }

  /** The durable consumers: list, lag, reset, filters, dead letters, replay. */
  consumers(): Consumers {
    return this.#parts.consumers
  }

  /** Writes what sessions observed, ends subscriptions and lets their leases go, then closes the files. */
  async close(): Promise<void> {
    const observed = await this.#observer.close().then(
      () => undefined,
      (error: unknown) => error,
    )
    await this.#parts.subscriptions.close()
    this.#parts.bell.close()
    await this.#parts.deferred.close()
    // Each closes files of its own, which takes some milliseconds.
    for (const part of [this.#parts.text, this.#parts.vectors, this.#parts.attributes, this.#ledger]) {
      await nextTurn()
      await part.close()
    }
    if (observed !== undefined) throw observed
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }
}
