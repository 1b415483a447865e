import type { StoreApi } from '../../src/api.ts'
import { SpanstoreClient } from '../../src/client/index.ts'
import { openStore, type StoreOptions } from '../../src/index.ts'
import { createServer } from '../../src/server/index.ts'

export interface Opened {
  readonly store: StoreApi
  close(): Promise<void>
}

/** The line that differs: a store in this process, and one behind a socket. */
export const PLACES: readonly { readonly place: string; open(options?: StoreOptions): Promise<Opened> }[] = [
  {
    place: 'in this process',
    async open(options) {
      const store = await openStore(':memory:', options)
      return { store, close: () => store.close() }
    },
  },
  {
    place: 'behind a server',
    async open(options) {
      const embedded = await openStore(':memory:', options)
      const server = createServer(embedded)
      const { url } = await server.listen({ port: 0 })
      const store = await SpanstoreClient.connect(url)
      return {
        store,
        async close() {
          await store.close()
          await server.close()
          await embedded.close()
        },
      }
    },
  },
]
