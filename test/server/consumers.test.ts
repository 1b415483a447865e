import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { Tokens } from '../../src/server/index.ts'
import { temporary } from '../store/helpers.ts'
import { caller, closeServed, serve } from './served.ts'

afterEach(closeServed)

/** A server on a socket, with `count` events in its only collection. */
async function served(count: number, options: Parameters<typeof serve>[0] = {}) {
  const { store, server } = await serve(options)
  const notes = await store.collection('notes')
  if (count > 1)
    await notes.put({
      source: 's',
      spans: Array.from({ length: count - 2 }, (_, i) => ({ text: `Span ${i}.` })),
    })
  const { url } = await server.listen({ port: 0 })
  const call = caller((request) => fetch(request), url)
  const post = async (action: string, body: object = {}) =>
    await call('POST', `/v1/consumers/c/${action}`, body)
  /** As a client without a library would: its holder, and nothing else. */
  const next = async (body: object = {}) => {
    const { status, body: answer } = await post('next', { holder: 'h', wait: 0, filter: {}, ...body })
    expect([status, answer.code]).toEqual([200, undefined])
    return answer
  }
  return { store, server, notes, url, call, post, next }
}

const positions = ({ events }: { events: { position: number }[] }) => events.map(({ position }) => position)
const ids = ({ events }: { events: { id: string }[] }, ...which: number[]) =>
  which.length === 0 ? events.map(({ id }) => id) : which.map((i) => events[i]!.id)

describe('a consumer over HTTP', () => {
  test('gives what has no answer again, so that a lost response loses nothing', async () => {
    const { next, post } = await served(6)
    const first = await next({ batch: 4 })
    expect(positions(first)).toEqual([1, 2, 3, 4])
    expect(positions(await next({ batch: 2 }))).toEqual([1, 2])
    expect(positions(await next({ batch: 9 }))).toEqual([1, 2, 3, 4])
    expect((await post('ack', { holder: 'h', ids: ids(first, 0, 1, 2) })).body).toEqual({ answered: 3 })
    expect(positions(await next())).toEqual([4])
    await post('ack', { holder: 'h', ids: ids(first, 3) })
    expect(positions(await next())).toEqual([5, 6])
  })

  test('gives more to who says what has arrived, and what got lost in between first', async () => {
    const { next } = await served(10)
    const first = await next({ batch: 3 })
    const second = await next({ batch: 3, lease: first.lease, after: first.batch })
    expect(positions(second)).toEqual([4, 5, 6])
    // The third answer is lost.
    await next({ batch: 2, lease: first.lease, after: second.batch })
    const again = await next({ batch: 1, lease: first.lease, after: second.batch })
    expect(positions(again)).toEqual([7])
    const rest = await next({ batch: 1, lease: first.lease, after: again.batch })
    expect(positions(rest)).toEqual([8])
    expect(positions(await next({ lease: first.lease, after: rest.batch }))[0]).toBe(9)
    expect(positions(await next({ lease: 'of a server that died', after: 99 }))[0]).toBe(1)
  })

  test('waits for events, and no longer than it is told', async () => {
    const { notes, next } = await served(1)
    const { lease, batch } = await next()
    const waiting = next({ wait: 10_000, lease, after: batch })
    await sleep(20)
    await notes.put({ source: 's', spans: [{ text: 'One.' }] })
    expect(positions(await waiting)).toEqual([2, 3])
  })

  test('names a holder for who has none, and keeps everybody else out', async () => {
    const { post } = await served(2)
    const { body } = await post('next', { filter: {}, wait: 0 })
    expect(body.events).toHaveLength(2)
    expect(await post('next', { wait: 0 })).toMatchObject({
      status: 409,
      body: {
        code: 'CONSUMER_LEASED',
        detail: expect.stringContaining('POST /v1/consumers/{consumer}/release'),
      },
    })
    expect((await post('next', { wait: 0, holder: body.holder })).body.events).toHaveLength(2)
    expect(await post('release', { holder: body.holder })).toMatchObject({ status: 204 })
    expect((await post('next', { wait: 0 })).body.events).toHaveLength(2)
  })

  test('is not made by a slip of the pen', async () => {
    const { post } = await served(1)
    expect(await post('next', { wait: 0 })).toMatchObject({
      status: 404,
      body: {
        code: 'CONSUMER_UNKNOWN',
        detail: expect.stringContaining('; GET /v1/consumers lists them, PUT'),
      },
    })
  })

  test('is let go when its holder is silent for as long as its lease', async () => {
    const { post, next } = await served(2)
    const first = await next({ duration: 100 })
    await sleep(250)
    expect(await post('ack', { holder: 'h', ids: ids(first) })).toMatchObject({
      status: 409,
      body: { code: 'LEASE_LOST', resumable: true },
    })
    expect((await post('next', { wait: 0, holder: 'other' })).body.events).toHaveLength(2)
  })

  test('can be taken back by its holder from a server that died', async () => {
    const { store, next, post } = await served(4)
    const first = await next({ batch: 3 })
    await post('ack', { holder: 'h', ids: ids(first, 0) })
    // Another server over the same store knows nothing of the holder, as a restarted one does not.
    const { createServer } = await import('../../src/server/index.ts')
    const other = createServer(store)
    const { url } = await other.listen({ port: 0 })
    const call = caller((request) => fetch(request), url)
    const lost = await call('POST', '/v1/consumers/c/ack', { holder: 'h', ids: ids(first, 1) })
    expect(lost).toMatchObject({ status: 409, body: { code: 'LEASE_LOST', resumable: true } })
    const resumed = await call('POST', '/v1/consumers/c/next', {
      holder: 'h',
      wait: 0,
      lease: first.lease,
      after: first.batch,
    })
    expect(resumed.body.lease).not.toBe(first.lease)
    const late = { holder: 'h', lease: first.lease, ids: ids(first, 1) }
    expect(await call('POST', '/v1/consumers/c/ack', late)).toMatchObject({
      status: 409,
      body: { code: 'LEASE_LOST', resumable: true },
    })
    expect(positions(resumed.body)).toEqual([2, 3, 4])
    // Acknowledged before, and again: the request whose response was lost.
    const acked = await call('POST', '/v1/consumers/c/ack', { holder: 'h', ids: ids(first) })
    expect(acked).toMatchObject({ status: 200, body: { answered: 2 } })
    await other.close()
  })

  test('holds a collection back behind an event that was given back', async () => {
    const { next, post, call } = await served(5)
    const first = await next()
    const [a, b, c] = ids(first)
    expect(await post('nack', { holder: 'h', id: b })).toMatchObject({
      status: 409,
      body: { code: 'ACK_OUT_OF_ORDER' },
    })
    await post('ack', { holder: 'h', ids: [a] })
    const nacked = await post('nack', { holder: 'h', id: b, delay: 30, error: 'no luck' })
    expect(nacked).toMatchObject({ status: 200, body: { batch: first.batch } })
    expect(await post('ack', { holder: 'h', ids: [c] })).toMatchObject({
      status: 409,
      body: { code: 'ACK_OUT_OF_ORDER' },
    })
    const lag = await call('GET', '/v1/consumers/c/lag')
    expect(lag.body).toMatchObject({
      events: 4,
      collections: [{ failing: { attempts: 1, error: 'no luck' } }],
    })
    const again = await next({ wait: 5000 })
    expect(again.events).toMatchObject([
      { position: 2, attempt: 2, redelivered: true },
      { position: 3 },
      { position: 4 },
      { position: 5 },
    ])
    expect(await post('terminate', { holder: 'h', id: b, error: 'for good' })).toMatchObject({ status: 200 })
    const letters = await call('GET', '/v1/consumers/c/dead-letters')
    expect(letters.body.deadLetters).toMatchObject([
      { position: 2, attempts: 2, error: 'for good', event: { id: b } },
    ])
    const rest = await next({ wait: 5000, batch: 3 })
    expect(rest.events).toMatchObject([{ position: 3, redelivered: true }, { position: 4 }, { position: 5 }])
    await post('ack', { holder: 'h', ids: ids(rest) })
    expect((await post('dead-letters/replay', { which: 'all' })).body).toEqual({ replayed: 1 })
    expect((await next({ wait: 5000 })).events[0]).toMatchObject({
      position: 2,
      attempt: 3,
      redelivered: true,
    })
  })

  test('is made, read, reset, given another filter and forgotten', async () => {
    const { call } = await served(6)
    const made = await call('PUT', '/v1/consumers/c', { filter: { types: ['span.added'] }, start: 'start' })
    expect(made).toMatchObject({
      status: 200,
      body: { name: 'c', start: 'start', filter: { types: ['span.added'] } },
    })
    expect(await call('PUT', '/v1/consumers/c', {})).toMatchObject({
      status: 409,
      body: {
        code: 'CONSUMER_MISMATCH',
        detail: expect.stringContaining('PUT /v1/consumers/{consumer}/filter'),
      },
    })
    expect((await call('GET', '/v1/consumers/c')).body).toEqual(made.body)
    expect((await call('GET', '/v1/consumers')).body).toEqual({ consumers: [made.body] })
    expect((await call('GET', '/v1/consumers/c/lag')).body).toMatchObject({ events: 4 })
    expect((await call('POST', '/v1/consumers/c/reset', { start: 'now' })).status).toBe(200)
    expect((await call('GET', '/v1/consumers/c/lag')).body).toMatchObject({ events: 0 })
    expect((await call('PUT', '/v1/consumers/c/filter', { collections: ['notes'] })).body).toMatchObject({
      filter: { collections: ['notes'] },
    })
    expect(await call('DELETE', '/v1/consumers/c')).toMatchObject({ status: 204, body: '' })
    expect(await call('GET', '/v1/consumers/c')).toMatchObject({
      status: 404,
      body: { code: 'CONSUMER_UNKNOWN' },
    })
    expect((await call('POST', '/v1/events/prune', { collection: 'notes', before: 4 })).body).toEqual({
      pruned: 3,
    })
  })

  test('ends its wait when the server stops', async () => {
    const { server, next } = await served(1)
    const { lease, batch } = await next()
    const asked = vi.spyOn(server, 'fetch')
    const waiting = next({ wait: 60_000, lease, after: batch })
    await vi.waitFor(() => expect(asked).toHaveBeenCalled())
    const started = Date.now()
    await server.close()
    expect((await waiting).events).toEqual([])
    expect(Date.now() - started).toBeLessThan(1500)
  })

  test('gives nothing to a token that was revoked while it waited', async () => {
    const tokens = new Tokens(temporary())
    const { store, notes, call } = await served(1, { tokens })
    await store.consumers().open('c')
    const { token, info } = tokens.create({ name: 'reader', access: 'write' })
    const { token: other } = tokens.create({ name: 'other', access: 'admin' })
    const as = (token: string, body: object) =>
      call('POST', '/v1/consumers/c/next', body, { Authorization: `Bearer ${token}` })
    const metrics = async () =>
      (await call('GET', '/metrics', undefined, { Authorization: `Bearer ${other}` })).body
    const { lease, batch: after, events } = (await as(token, { holder: 'h', wait: 0 })).body
    expect(events).toHaveLength(1)
    const waiting = as(token, { holder: 'h', wait: 10_000, lease, after })
    while (!/spanstore_http_requests_open [2-9]/.test(await metrics()));
    tokens.revoke(info.id)
    await notes.put({ source: 's', text: 'Not for who was turned out.' })
    expect((await waiting).status).toBe(401)
    expect((await as(other, { holder: 'h', wait: 0 })).body.events.length).toBeGreaterThan(1)
  })

  test('is nobody’s who may not reach what it reads', async () => {
    const tokens = new Tokens(temporary())
    const { store, call } = await served(3, { tokens })
    await store.collection('mine')
    await store.consumers().open('of all')
    await store.consumers().open('of mine', { filter: { collections: ['mine'] } })
    const { token: mine } = tokens.create({ name: 'mine', access: 'write', collections: ['mine'] })
    const { token: reader } = tokens.create({ name: 'reader', access: 'read' })
    const as = async (token: string, method: string, path: string, body?: object) =>
      await call(method, `/v1/consumers${path}`, body, { Authorization: `Bearer ${token}` })
    const listed = await as(mine, 'GET', '')
    expect(listed.body.consumers).toMatchObject([{ name: 'of mine' }])
    expect((await as(mine, 'POST', '/of%20mine/next', { wait: 0 })).body.events).toHaveLength(1)
    const refused = [
      await as(mine, 'GET', '/of%20all'),
      await as(mine, 'DELETE', '/of%20all'),
      await as(mine, 'POST', '/of%20all/next', { wait: 0 }),
      await as(mine, 'POST', '/of%20all/ack', { holder: 'h', ids: ['x'] }),
      await as(mine, 'POST', '/new/next', { wait: 0, filter: {} }),
      await as(mine, 'PUT', '/new', { filter: { collections: ['notes'] } }),
      await as(mine, 'PUT', '/of%20mine/filter', {}),
      await as(reader, 'POST', '/of%20mine/next', { wait: 0 }),
      await as(reader, 'DELETE', '/of%20mine'),
      await call(
        'POST',
        '/v1/events/prune',
        { collection: 'notes', before: 2 },
        { Authorization: `Bearer ${mine}` },
      ),
    ]
    expect(refused.map(({ status, body }) => [status, body.code])).toEqual(
      refused.map(() => [403, 'FORBIDDEN']),
    )
    expect((await as(reader, 'GET', '/of%20all/lag')).status).toBe(200)
    expect(await store.consumers().list()).toHaveLength(2)
  })
})
