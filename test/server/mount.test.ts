import { Hono } from 'hono'
import { afterEach, describe, expect, test } from 'vitest'
import type { Mount, RequestContext } from '../../src/server/index.ts'
import { requireAccess } from '../../src/wire/principal.ts'
import { closeServed, serve } from './served.ts'

afterEach(closeServed)

/** A protocol that says of everything what it was given. */
const echo: Mount = {
  prefix: '/api/echo',
  async fetch(request, { principal, id }) {
    const { pathname } = new URL(request.url)
    if (pathname.endsWith('/secret')) requireAccess(principal, 'read', { collection: 'secret' })
    if (pathname.endsWith('/defect')) throw new TypeError('nobody may read this')
    return Response.json({ pathname, name: principal.name, id, body: await request.text() })
  },
  problem: ({ status, code }) => Response.json({ oops: code }, { status }),
}

describe('another protocol on the same port', () => {
  test('gets what lies below its prefix, as it came, and nothing else', async () => {
    const { call } = await serve({ mounts: [echo] })
    expect((await call('POST', '/api/echo/a%2Fb', { x: 1 })).body).toMatchObject({
      pathname: '/api/echo/a%2Fb',
      name: 'anyone',
      body: '{"x":1}',
    })
    expect((await call('GET', '/api/echo')).status).toBe(200)
    expect((await call('GET', '/api/echoes')).body.code).toBe('ROUTE_UNKNOWN')
  })

  test('says in its own words what the server refuses', async () => {
    const tokens = {
      any: true,
      find: () => ({ name: 'confined', access: 'read', collections: ['notes'] }),
    } as never
    const { call } = await serve({ mounts: [echo], tokens, limits: { body: 10 } })
    const as = { authorization: 'Bearer x' }
    const refusals = [
      await call('GET', '/api/echo/a'),
      await call('GET', '/api/echo/secret', undefined, as),
      await call('POST', '/api/echo/a', { long: 'x'.repeat(100) }, as),
      await call('GET', '/api/echo/a', undefined, { origin: 'https://evil.example' }),
      await call('GET', '/api/echo/defect', undefined, as),
    ]
    expect(refusals.map(({ status, body }) => [status, body])).toEqual([
      [401, { oops: 'UNAUTHENTICATED' }],
      [403, { oops: 'FORBIDDEN' }],
      [413, { oops: 'TOO_LARGE' }],
      [403, { oops: 'ORIGIN_REFUSED' }],
      [500, { oops: 'UNEXPECTED' }],
    ])
  })

  test('is timed like the rest', async () => {
    const never: Mount = { ...echo, fetch: () => new Promise(() => {}) }
    const { call } = await serve({ mounts: [never], limits: { time: 30 } })
    expect((await call('GET', '/api/echo/a')).body).toEqual({ oops: 'TIMED_OUT' })
  })

  test('is told when to stop', async () => {
    let context: RequestContext | undefined
    const kept: Mount = {
      ...echo,
      fetch(_, given) {
        context = given
        return new Promise((resolve) =>
          given.stopping.addEventListener('abort', () => resolve(Response.json('stopped'))),
        )
      },
    }
    const { server } = await serve({ mounts: [kept] })
    const answer = server.fetch(new Request('http://localhost/api/echo'))
    await new Promise((resolve) => setImmediate(resolve))
    await server.close()
    expect(context?.stopping.aborted).toBe(true)
    expect(await (await answer).json()).toBe('stopped')
  })

  test('Chroma is served unless told otherwise', async () => {
    const { call } = await serve()
    expect((await call('GET', '/api/v2/version')).status).toBe(200)
    const { call: without } = await serve({ mounts: [] })
    expect((await without('GET', '/api/v2/version')).body.code).toBe('ROUTE_UNKNOWN')
  })
})

test('a server is mounted in another program by its fetch alone', async () => {
  const { server } = await serve()
  const { fetch } = server
  const program = new Hono().mount('/memory', fetch)
  const response = await program.fetch(new Request('http://localhost/memory/healthz'))
  expect([response.status, await response.json()]).toEqual([200, { status: 'ok' }])
})
