/** Compiled by `npm run check:types`, never run: an `@ts-expect-error` that no longer errs fails the build. */
import type { CollectionApi, SessionApi, StoreApi } from '../../src/api.ts'
import type { SpanstoreClient } from '../../src/client/index.ts'
import type { Collection, Session, Store } from '../../src/index.ts'

declare const store: Store
declare const collection: Collection
declare const session: Session
declare const client: SpanstoreClient

store satisfies StoreApi
collection satisfies CollectionApi
session satisfies SessionApi
client satisfies StoreApi

/** What needs the process that has the store: embedders, directories, summarizers, and what derives an index. */
type InProcess = {
  store: 'backup' | 'activity'
  collection: 'switchEmbedder' | 'estimateSwitch' | 'checkEmbeddings' | 'records'
  session: 'compact' | 'reconcile'
}

type Missing<Embedded, Api, But> = Exclude<keyof Embedded, keyof Api | But>

// A verb that only the library has fails here: give it a route and the client a method, or say above why it has none.
'all' satisfies [Missing<Store, StoreApi, InProcess['store']>] extends [never] ? 'all' : never
'all' satisfies [Missing<Collection, CollectionApi, InProcess['collection']>] extends [never] ? 'all' : never
'all' satisfies [Missing<Session, SessionApi, InProcess['session']>] extends [never] ? 'all' : never

const program = async (either: StoreApi) => await (await either.collection('notes')).fetch('key')
await program(store)
await program(client)

// @ts-expect-error a client cannot back a store up to a directory of this machine
client.backup('directory')
