import type { CollectionInfo } from './ports/ledger.ts'
import type { Collection } from './store/collection.ts'
import type { Session } from './store/session.ts'
import type { CollectionOptions, Store } from './store/store.ts'

/*
 * What a store is to a program, wherever it runs: the embedded classes have these members, and so has the client of a
 * server. A program written against these types moves from one to the other by the line that opens the store.
 */

/** A store in this process, or behind a server. */
export interface StoreApi
  extends AsyncDisposable,
    Pick<
      Store,
      | 'id'
      | 'renameCollection'
      | 'dropCollection'
      | 'cursor'
      | 'fetch'
      | 'fetchMany'
      | 'verify'
      | 'stats'
      | 'prune'
      | 'subscribe'
      | 'consumers'
      | 'close'
    > {
  collection(name: string, options?: CollectionOptions): Promise<CollectionApi>
  collections(): Promise<readonly Omit<CollectionInfo, 'ref'>[]>
}

/** A collection in this process, or behind a server. */
export interface CollectionApi
  extends Pick<
    Collection,
    | 'id'
    | 'name'
    | 'metric'
    | 'put'
    | 'putMany'
    | 'append'
    | 'remove'
    | 'retire'
    | 'update'
    | 'erase'
    | 'fetch'
    | 'fetchMany'
    | 'find'
    | 'search'
    | 'similar'
    | 'embed'
    | 'count'
    | 'source'
    | 'sources'
    | 'read'
    | 'history'
    | 'diff'
    | 'lineage'
    | 'dependents'
  > {
  session(id: string): SessionApi
}

/**
 * A session in this process, or behind a server. `compact` and `reconcile` run a summarizer of the caller's, which is
 * where the store is.
 */
export interface SessionApi
  extends Pick<
    Session,
    | 'id'
    | 'register'
    | 'summaries'
    | 'stale'
    | 'authoritative'
    | 'context'
    | 'gate'
    | 'assertGate'
    | 'recheck'
    | 'boundaryMarkers'
    | 'unrehydrated'
    | 'fetch'
    | 'search'
    | 'observe'
    | 'boundary'
    | 'readings'
    | 'frozen'
    | 'discardEpoch'
    | 'configure'
    | 'settings'
  > {}
