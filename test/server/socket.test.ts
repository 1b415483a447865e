import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { caller, closeServed, serve } from './served.ts'

afterEach(closeServed)

const listening = async (options: Parameters<typeof serve>[0] = {}) => {
  const served = await serve(options)
  const at = await served.server.listen({ port: 0 })
  return { ...served, ...at, call: caller((request) => fetch(request), at.url) }
}

/** Bytes as they are, and what comes back until the connection ends. */
const raw = (port: number, text: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(text))
    let answer = ''
    socket.setEncoding('latin1')
    socket.on('data', (chunk: string) => {
      answer += chunk
    })
    socket.on('error', reject)
    socket.on('close', () => resolve(answer))
  })

test('answers over a socket what it answers in process', async () => {
  const { server, store, call } = await listening()
  const notes = await store.collection('notes')
  const { added } = await notes.put({ source: 'a/b', text: 'one' })
  for (const path of [
    `/v1/keys/${added[0]}`,
    '/v1/keys/none',
    '/v1/collections/notes/sources/a%2Fb',
    '/docs',
  ]) {
    const over = await call('GET', path)
    const within = await caller((request) => server.fetch(request))('GET', path)
    expect([over.status, over.body]).toEqual([within.status, within.body])
  }
})

test('listens on loopback unless told, and on one port only', async () => {
  const { server, host } = await listening()
  expect(host).toBe('127.0.0.1')
  await expect(server.listen({ port: 0 })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
})

test('a port that is taken is said by Node', async () => {
  const { port } = await listening()
  const { server } = await serve()
  await expect(server.listen({ port })).rejects.toMatchObject({ code: 'EADDRINUSE' })
})

describe('closing', () => {
  test('answers what was asked before, then refuses connections', async () => {
    const { server, store, url } = await listening()
    await store.collection('notes')
    let finish = () => {}
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode('{"text":'))
        finish = () => {
          controller.enqueue(new TextEncoder().encode('"in flight"}'))
          controller.close()
        }
      },
    })
    const init = { method: 'PUT', body, duplex: 'half', headers: { 'content-type': 'application/json' } }
    const put = fetch(`${url}/v1/collections/notes/sources/a`, init as RequestInit)
    // It has arrived once it is counted.
    while (!/spanstore_http_requests_open [2-9]/.test(await (await fetch(`${url}/metrics`)).text()));
    const closed = server.close()
    finish()
    const response = await put
    expect([response.status, ((await response.json()) as { outcome: string }).outcome]).toEqual([
      200,
      'created',
    ])
    await closed
    expect((await (await store.collection('notes')).source('a')).status).toBe('ok')
    await expect(fetch(`${url}/healthz`)).rejects.toThrow()
  })

  test('answers what was on its way over connections in use, so that no caller is cut off', async () => {
    const { server, store, port } = await listening()
    await store.collection('notes')
    const agent = new Agent({ keepAlive: true })
    const outcomes = new Set<unknown>()
    const ask = () =>
      new Promise<boolean>((resolve) => {
        request({ port, agent, path: '/v1/collections' }, (answer) => {
          outcomes.add(answer.statusCode)
          answer.resume().on('end', () => resolve(answer.statusCode === 200))
        })
          .on('error', (error: NodeJS.ErrnoException) => {
            outcomes.add(error.code)
            resolve(false)
          })
          .end()
      })
    let asked = 0
    const callers = Array.from({ length: 8 }, async () => {
      while (await ask()) asked++
    })
    while (asked < 100) await new Promise((resolve) => setTimeout(resolve, 1))
    await server.close()
    await Promise.all(callers)
    agent.destroy()
    // Served, told that the server stops, or not let in: never a connection that ends instead of an answer.
    expect([200, 503, 'ECONNREFUSED']).toEqual(expect.arrayContaining([...outcomes]))
  })

  test('does not wait for connections that ask for nothing', async () => {
    const { server, port } = await listening()
    const idle = [raw(port, ''), raw(port, 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n')]
    await new Promise((resolve) => setTimeout(resolve, 50))
    await server.close({ grace: 60_000 })
    await Promise.all(idle)
  })

  test('gives up on what takes too long, and tells its handler', async () => {
    const { server, url } = await listening()
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode('{'))
      },
    })
    const init = { method: 'PUT', body, duplex: 'half', headers: { 'content-type': 'application/json' } }
    const never = fetch(`${url}/v1/collections/notes`, init as RequestInit)
    const failed = expect(never).rejects.toThrow()
    while (!/spanstore_http_requests_open [2-9]/.test(await (await fetch(`${url}/metrics`)).text()));
    await server.close({ grace: 50 })
    await failed
  })

  test('twice is once; a closed server answers 503 in process', async () => {
    const { server } = await listening()
    await Promise.all([server.close(), server.close()])
    const response = await server.fetch(new Request('http://localhost/healthz'))
    expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([
      503,
      'SHUTTING_DOWN',
    ])
  })
})

describe('bytes that are no request', () => {
  const requests: [string, string, RegExp][] = [
    ['no HTTP', 'hello\r\n\r\n', /^HTTP\/1\.1 400/],
    ['no host', 'GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n', /^HTTP\/1\.1 400/],
    [
      'another host',
      'GET /healthz HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n',
      /^HTTP\/1\.1 403/,
    ],
    [
      'a host that is none',
      'GET /healthz HTTP/1.1\r\nHost: a b<>\r\nConnection: close\r\n\r\n',
      /^HTTP\/1\.1 4/,
    ],
    [
      'headers without end',
      `GET / HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(70_000)}\r\n\r\n`,
      /^HTTP\/1\.1 431/,
    ],
    [
      'an absolute address',
      'GET http://evil.example/healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
      /^HTTP\/1\.1 [24]/,
    ],
    [
      'climbing',
      'GET /v1/../../etc/passwd HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
      /^HTTP\/1\.1 404/,
    ],
    [
      'bytes that are no UTF-8',
      'GET /v1/keys/%ff%fe HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
      /^HTTP\/1\.1 400/,
    ],
    [
      'raw bytes',
      'GET /v1/keys/\xff\x01 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
      /^HTTP\/1\.1 4/,
    ],
    [
      'two lengths',
      'PUT /v1/collections/x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}',
      /^HTTP\/1\.1 400/,
    ],
    [
      'a length and chunks',
      'PUT /v1/collections/x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      /^HTTP\/1\.1 400/,
    ],
  ]
  test.each(requests)('%s is refused', async (_, text, expected) => {
    const { port, store } = await listening()
    expect(await raw(port, text)).toMatch(expected)
    expect(await store.collections()).toEqual([])
  })

  test('a request that never ends is answered 408', async () => {
    const { port } = await listening({ limits: { time: 200 } })
    const head = 'PUT /v1/collections/x HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n'
    expect(await raw(port, `${head}Content-Length: 100\r\nConnection: close\r\n\r\n{`)).toMatch(
      /^HTTP\/1\.1 408/,
    )
  })
})
