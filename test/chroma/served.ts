import { ChromaClient } from 'chromadb'
import { openStore, type Store } from '../../src/index.ts'
import { createServer } from '../../src/server/index.ts'

export interface Served extends AsyncDisposable {
  readonly store: Store
  readonly url: string
  readonly port: number
  /** Chroma's own client. */
  readonly client: ChromaClient
  /** A request to the collections of the default database. */
  ask(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Asked>
}

export interface Asked {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: bodies are looked into by the tests
  readonly body: any
}

/** A store behind a socket. */
export async function serve(directory = ':memory:'): Promise<Served> {
  const store = await openStore(directory)
  const server = createServer(store)
  const { port, url } = await server.listen({ port: 0 })
  return {
    store,
    port,
    url,
    client: new ChromaClient({ host: '127.0.0.1', port }),
    async ask(method, path, body, headers = {}) {
      const response = await fetch(
        `${url}/api/v2/tenants/default_tenant/databases/default_database/collections${path}`,
        {
          method,
          headers: { 'content-type': 'application/json', ...headers },
          ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
        },
      )
      const text = await response.text()
      return { status: response.status, headers: response.headers, body: text === '' ? '' : JSON.parse(text) }
    },
    async [Symbol.asyncDispose]() {
      await server.close({ grace: 200 })
      await store.close()
    },
  }
}
