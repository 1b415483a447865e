import { createServer as createHttpServer, type Server as HttpServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { SpanstoreClient } from '../../src/client/index.ts'
import { openStore } from '../../src/index.ts'
import { createServer } from '../../src/server/index.ts'
import { type ProblemCode, STATUS } from '../../src/wire/problem.ts'

let http: HttpServer | undefined

afterEach(async () => {
  http?.closeAllConnections()
  await new Promise<void>((resolve) => (http === undefined ? resolve() : http.close(() => resolve())))
  http = undefined
})

const STORE = { id: '01ARZ3NDEKTSV4RRFFQ69G5FAV' }

/** A client of a server that answers as the test wants; `/v1/store` answers as it should. */
async function against(answer: RequestListener, options: Parameters<typeof SpanstoreClient.connect>[1] = {}) {
  http = createHttpServer((request, response) => {
    if (request.url === '/v1/store') response.end(JSON.stringify(STORE))
    else answer(request, response)
  })
  await new Promise<void>((resolve) => http!.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
  return { url, client: await SpanstoreClient.connect(url, options) }
}

const problem = (status: number, code: ProblemCode, error?: object) =>
  JSON.stringify({
    type: 'urn:x',
    title: code,
    status,
    detail: `told: ${code}`,
    code,
    ...(error && { error }),
  })

const PROBLEM = { 'Content-Type': 'application/problem+json' }

describe('a client', () => {
  test.each(Object.entries(STATUS))('throws %s as the library does', async (code, status) => {
    const detail = { collection: 'notes', more: [1] }
    const { client } = await against(
      (_, response) => response.writeHead(status, PROBLEM).end(problem(status, code as ProblemCode, detail)),
      { retries: 0 },
    )
    await expect(client.cursor()).rejects.toMatchObject({
      name: 'SpanStoreError',
      code,
      detail,
      message: `told: ${code}`,
    })
  })

  test.each([
    'UNAUTHENTICATED',
    'FORBIDDEN',
    'TOO_LARGE',
    'TIMED_OUT',
    'UNEXPECTED',
    'ROUTE_UNKNOWN',
  ] as const)('tells of %s, which only servers say', async (code) => {
    const { client } = await against((_, response) =>
      response.writeHead(499, PROBLEM).end(problem(499, code)),
    )
    await expect(client.cursor()).rejects.toMatchObject({
      code: 'SERVER_REFUSED',
      detail: { status: 499, problem: code },
      message: `told: ${code}`,
    })
  })

  test('is not taken in by what is no server of a store', async () => {
    const { client } = await against((_, response) => response.writeHead(404).end('<h1>Not here</h1>'))
    await expect(client.cursor()).rejects.toMatchObject({
      code: 'SERVER_REFUSED',
      detail: { status: 404, problem: '404' },
    })
  })

  test('reads again when the answer got lost, and writes again only what is done once', async () => {
    const asked: string[] = []
    const { client } = await against(
      (request, response) => {
        asked.push(`${request.method} ${request.url}`)
        request.socket.destroy()
        response.end()
      },
      { retries: 2 },
    )
    const lost = { code: 'SERVER_UNREACHABLE' }
    await expect(client.cursor()).rejects.toMatchObject(lost)
    expect(asked.splice(0)).toHaveLength(3)
    await expect(client.dropCollection('notes')).rejects.toMatchObject(lost)
    expect(asked.splice(0)).toEqual(['DELETE /v1/collections/notes'])
  })

  test('writes with a commandId once, however often the answer gets lost', async () => {
    const store = await openStore(':memory:')
    const server = createServer(store)
    const { url } = await server.listen({ port: 0 })
    let lose = 2
    const client = await SpanstoreClient.connect(url, {
      fetch: async (input, init) => {
        const response = await fetch(input, init)
        if (init?.method === 'PUT' && String(input).includes('/sources/') && lose-- > 0)
          throw new TypeError('lost')
        return response
      },
    })
    const notes = await client.collection('notes')
    const result = await notes.put({ source: 's', spans: [{ text: 'One.' }], commandId: 'once' })
    expect(lose).toBe(-1)
    expect(result).toMatchObject({ outcome: 'created', revision: 1 })
    expect(await notes.history('s')).toHaveLength(1)
    lose = 1
    await expect(notes.put({ source: 's', spans: [{ text: 'Two.' }] })).rejects.toMatchObject({
      code: 'SERVER_UNREACHABLE',
      detail: { url },
    })
    await client.close()
    await server.close()
    await store.close()
  })

  test('comes back to a server that is stopping or has too much to do', async () => {
    let refusals = 2
    const { client } = await against((_, response) => {
      if (refusals-- === 2) response.writeHead(503, PROBLEM).end(problem(503, 'SHUTTING_DOWN'))
      else if (refusals === 0) response.writeHead(429, PROBLEM).end(problem(429, 'TOO_MANY_REQUESTS'))
      else response.end(JSON.stringify({ cursor: 'c1' }))
    })
    expect(await client.cursor()).toBe('c1')
  })

  test('sends again what did not arrive in full, and what took too long where it may be done twice', async () => {
    let answers: (() => [number, object, string?])[] = []
    const { client } = await against((request, response) => {
      const [status, headers, text] = answers.shift()?.() ?? [200, PROBLEM, JSON.stringify({ cursor: 'c1' })]
      request.resume()
      response.writeHead(status, { ...headers }).end(text)
    })
    const node = (): [number, object] => [408, {}]
    const late = (): [number, object, string] => [408, PROBLEM, problem(408, 'TIMED_OUT')]
    answers = [node]
    await client.dropCollection('notes')
    answers = [late, node, late]
    expect(await client.cursor()).toBe('c1')
    answers = [late]
    await expect(client.dropCollection('notes')).rejects.toMatchObject({
      code: 'SERVER_REFUSED',
      detail: { status: 408, problem: 'TIMED_OUT' },
    })
  })

  test('gives up after its time, at its signal, and when it is closed', async () => {
    const { url, client } = await against(() => undefined, { retries: 0 })
    const hasty = await SpanstoreClient.connect(url, { timeout: 50, retries: 0 })
    await expect(hasty.cursor()).rejects.toMatchObject({ code: 'SERVER_UNREACHABLE' })
    const stop = new AbortController()
    const pruning = client.prune({ before: 1, signal: stop.signal })
    setTimeout(() => stop.abort(), 10)
    await expect(pruning).rejects.toMatchObject({ code: 'ABORTED' })
    const waiting = client.cursor()
    await client.close()
    await expect(waiting).rejects.toMatchObject({ code: 'STORE_CLOSED' })
  })

  test('sends its token, and its path may end with a slash', async () => {
    const store = await openStore(':memory:')
    const server = createServer(store, { token: 'secret' })
    const { url } = await server.listen({ port: 0 })
    const client = await SpanstoreClient.connect(`${url}/`, { token: 'secret' })
    expect(client.id).toBe(store.id)
    await expect(SpanstoreClient.connect(url)).rejects.toMatchObject({
      code: 'SERVER_REFUSED',
      detail: { status: 401, problem: 'UNAUTHENTICATED' },
    })
    await server.close()
    await store.close()
  })

  test('says when nobody listens', async () => {
    const { url, client } = await against(() => undefined)
    await client.close()
    http!.closeAllConnections()
    await new Promise<void>((resolve) => http!.close(() => resolve()))
    http = undefined
    await expect(SpanstoreClient.connect(url, { retries: 1 })).rejects.toMatchObject({
      code: 'SERVER_UNREACHABLE',
      detail: { url },
    })
  })

  test('refuses here what cannot be sent', async () => {
    const { client } = await against((_, response) =>
      response.end(JSON.stringify({ id: STORE.id, name: 'n', metric: 'cosine' })),
    )
    const notes = await client.collection('n')
    await expect(notes.put({ source: '', text: '' })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      detail: { path: 'source' },
    })
    await expect(
      notes.session('s').context({ maxTokens: 1, countTokens: (text) => text.length }),
    ).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', detail: { path: 'context.countTokens' } })
  })
})
