import { expect } from 'vitest'
import { openStore, type Store, type StoreOptions } from '../../src/index.ts'
import { createServer, type Server, type ServerOptions } from '../../src/server/index.ts'
import { parametersOf, type Route } from '../../src/server/route.ts'
import { ROUTES } from '../../src/server/routes/all.ts'
import { Problem } from '../../src/server/schemas.ts'

const open: { readonly store: Store; readonly server: Server }[] = []

/** A store in memory (or in a directory) and a server for it, closed by `closeServed`. */
export async function serve(
  options: ServerOptions & { readonly directory?: string; readonly store?: StoreOptions } = {},
) {
  const { directory = ':memory:', store: storeOptions, ...rest } = options
  const store = await openStore(directory, storeOptions)
  const server = createServer(store, rest)
  open.push({ store, server })
  return { store, server, call: caller((request) => server.fetch(request)) }
}

export async function closeServed(): Promise<void> {
  for (const { store, server } of open.splice(0)) {
    await server.close()
    await store.close()
  }
}

export interface Answered {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
  readonly body: any
}

export type Send = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
) => Promise<Answered>

/** Sends JSON, and holds every answer to what the OpenAPI document says of it. */
export const caller =
  (fetch: (request: Request) => Promise<Response>, base = 'http://localhost'): Send =>
  async (method, path, body, headers = {}) => {
    const response = await fetch(
      new Request(base + path, {
        method,
        headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    )
    const text = await response.text()
    const json = response.headers.get('content-type')?.includes('json') === true && text !== ''
    const answered = {
      status: response.status,
      headers: response.headers,
      body: json ? JSON.parse(text) : text,
    }
    if (json) expectDescribed(method, new URL(base + path).pathname, answered)
    return answered
  }

const routeOf = (method: string, path: string): Route | undefined =>
  ROUTES.find(
    (route) =>
      route.method === method &&
      new RegExp(
        `^${parametersOf(route.path).reduce((text, name) => text.replace(`{${name}}`, '[^/]+'), route.path)}$`,
      ).test(path),
  )

/** An answer is what its schema says, and nothing else is in it. */
function expectDescribed(method: string, path: string, { status, headers, body }: Answered): void {
  if (path.startsWith('/api/')) return
  const refused = headers.get('content-type') === 'application/problem+json' && body.outcome === undefined
  const schema = refused ? Problem : routeOf(method, path)?.answers[status]?.schema
  expect(
    schema,
    `${method} ${path} answered ${status}, which is not described: ${JSON.stringify(body)}`,
  ).toBeDefined()
  expect(schema!.parse(body)).toEqual(body)
  if (refused) expect(body.status).toBe(status)
}
