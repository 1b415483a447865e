import { context, type Span, type Tracer, trace } from '@opentelemetry/api'
import { afterEach, expect, test } from 'vitest'
import { jsonLines, type LogEntry } from '../../src/server/index.ts'
import { closeServed, serve } from './served.ts'

afterEach(closeServed)

/** The value of a metric's line. */
const value = (text: string, line: string): number | undefined => {
  const found = text.split('\n').find((one) => one.startsWith(`${line} `))
  return found === undefined ? undefined : Number(found.slice(line.length + 1))
}

test('/metrics counts commits, events, fetches by status, and what indexes and consumers have left to do', async () => {
  const { store, call } = await serve()
  const metrics = async () => (await call('GET', '/metrics')).body as string
  const before = value(await metrics(), 'spanstore_commits_total')!
  const notes = await store.collection('notes')
  const { added, position } = await notes.put({ source: 'a', spans: [{ text: 'one' }, { text: 'two' }] })
  await store.consumers().open('reader', { start: 'start' })
  await call('GET', `/v1/keys/${added[0]}`)
  await call('POST', '/v1/fetch', { keys: [added[0], 'none'] })
  const text = await metrics()
  expect(value(text, 'spanstore_commits_total')! - before).toBeGreaterThanOrEqual(2)
  expect(value(text, 'spanstore_collection_events{collection="notes"}')).toBe(position)
  expect(value(text, 'spanstore_collection_live_spans{collection="notes"}')).toBe(2)
  expect(value(text, 'spanstore_index_lag_events{collection="notes",index="text"}')).toBe(position)
  expect(value(text, 'spanstore_consumer_lag_events{consumer="reader"}')).toBe(position)
  expect(value(text, 'spanstore_consumer_lag_seconds{consumer="reader"}')).toBeGreaterThanOrEqual(0)
  expect(value(text, 'spanstore_consumer_dead_letters{consumer="reader"}')).toBe(0)
  expect(value(text, 'spanstore_fetches_total{status="ok"}')).toBe(2)
  expect(value(text, 'spanstore_fetches_total{status="absent"}')).toBe(1)
  expect(value(text, 'spanstore_fetches_total{status="empty"}')).toBe(0)
  expect(
    value(
      text,
      'spanstore_http_request_duration_seconds_count{route="/v1/keys/{key}",method="GET",status="200"}',
    ),
  ).toBe(1)
  await notes.search({ text: 'one' })
  expect(value(await metrics(), 'spanstore_index_lag_events{collection="notes",index="text"}')).toBe(0)
})

test('/metrics counts what the clients of Chroma fetch, by the same four results', async () => {
  const { call } = await serve()
  const database = '/api/v2/tenants/default_tenant/databases/default_database/collections'
  const { id } = (await call('POST', database, { name: 'notes' })).body
  const post = (path: string, body: object, headers = {}) =>
    call('POST', `${database}/${id}/${path}`, body, headers)
  await post('add', {
    ids: ['a', 'b', 'blank', 'mute', 'gone'],
    embeddings: [[1], [2], [3], [4], [5]],
    documents: ['one', 'two', ' ', null, 'five'],
  })
  await post('delete', { ids: ['gone'] })
  await post('get', { ids: ['a', 'blank', 'mute', 'gone', 'never', 'never'] })
  await post('get', {})
  await post('conditional/get', { ids: ['b', 'gone'] })
  expect((await post('get', { ids: ['never'] }, { 'spanstore-strict': 'true' })).status).toBe(404)
  const text = (await call('GET', '/metrics')).body
  const counts = ['ok', 'empty', 'tombstone', 'absent'].map((status) =>
    value(text, `spanstore_fetches_total{status="${status}"}`),
  )
  expect(counts).toEqual([1 + 2 + 1, 2 + 2, 1 + 1, 1 + 1])
  const route = '/api/v2/tenants/{tenant}/databases/{database}/collections/{collection}/get'
  const requests = (status: number) =>
    value(
      text,
      `spanstore_http_request_duration_seconds_count{route="${route}",method="POST",status="${status}"}`,
    )
  expect([requests(200), requests(404)]).toEqual([2, 1])
})

test('/metrics says what the store says of lag, and what gates answered', async () => {
  const { store, call } = await serve()
  const notes = await store.collection('notes')
  const { added } = await notes.put({ source: 'a', text: 'The bridge was closed on Monday.' })
  const claims = [{ text: `The bridge was closed on Monday. [[${added[0]}]]` }]
  const gate = async () =>
    (await call('POST', '/v1/collections/notes/sessions/s/gate', { claims })).body.verdict
  expect(await gate()).toBe('substantiated')
  await notes.put({ source: 'a', text: 'The bridge is open.' })
  expect([await gate(), await gate()]).toEqual(['refused', 'refused'])
  await store.consumers().open('reader', { start: 'start' })
  const text = (await call('GET', '/metrics')).body
  expect(value(text, 'spanstore_gates_total{verdict="substantiated"}')).toBe(1)
  expect(value(text, 'spanstore_gates_total{verdict="refused"}')).toBe(2)
  const { commits, collections } = await store.activity()
  const { position, indexedThrough } = collections[0]!
  expect(value(text, 'spanstore_commits_total')).toBe(commits)
  expect(value(text, 'spanstore_collection_events{collection="notes"}')).toBe(position)
  expect(Object.keys(indexedThrough).length).toBeGreaterThan(0)
  for (const [index, reached] of Object.entries(indexedThrough))
    expect(value(text, `spanstore_index_lag_events{collection="notes",index="${index}"}`)).toBe(
      position - reached,
    )
  const lag = await store.consumers().lag('reader')
  expect(lag.events).toBe(position)
  expect(value(text, 'spanstore_consumer_lag_events{consumer="reader"}')).toBe(lag.events)
})

test('metrics of a dropped collection and a deleted consumer end with them', async () => {
  const { store, call } = await serve()
  await store.collection('notes')
  await store.consumers().open('reader')
  expect((await call('GET', '/metrics')).body).toContain('consumer="reader"')
  await store.dropCollection('notes')
  await store.consumers().delete('reader')
  const { body } = await call('GET', '/metrics')
  expect(body).not.toContain('collection="notes"')
  expect(body).not.toContain('consumer="reader"')
})

test('metrics name routes, never what callers made up', async () => {
  const { call } = await serve()
  for (let i = 0; i < 20; i++) await call('GET', `/made-up-${i}`)
  const { body } = await call('GET', '/metrics')
  expect(body).not.toContain('made-up')
  expect(
    value(body, 'spanstore_http_request_duration_seconds_count{route="none",method="GET",status="404"}'),
  ).toBe(20)
})

test('readiness ends with the store, health does not', async () => {
  const { store, call } = await serve()
  expect((await call('GET', '/readyz')).status).toBe(200)
  await store.close()
  const { status, body } = await call('GET', '/readyz')
  expect([status, body.code]).toEqual([503, 'STORE_CLOSED'])
  expect((await call('GET', '/healthz')).status).toBe(200)
})

test('a request is one line of the log, with what came of it and the id its caller got', async () => {
  const lines: string[] = []
  const log = jsonLines(
    (line) => lines.push(line),
    () => 0,
  )
  const { call } = await serve({ log, token: 'secret' })
  const { headers } = await call('PUT', '/v1/collections/a%0Ab', {}, { authorization: 'Bearer secret' })
  await call('GET', '/v1/collections')
  expect(lines).toHaveLength(2)
  expect(lines.every((line) => line.endsWith('\n') && line.indexOf('\n') === line.length - 1)).toBe(true)
  const [first, second] = lines.map((line) => JSON.parse(line))
  expect(first).toMatchObject({
    time: '1970-01-01T00:00:00.000Z',
    level: 'info',
    event: 'request',
    id: headers.get('spanstore-request'),
    method: 'PUT',
    route: '/v1/collections/{collection}',
    path: '/v1/collections/a%0Ab',
    status: 201,
    ms: expect.any(Number),
  })
  expect(second).toMatchObject({ status: 401 })
  expect(lines.join('')).not.toContain('Bearer')
})

test('a failure is told to whoever reads the log, and not to the caller', async () => {
  const entries: LogEntry[] = []
  const { store, call } = await serve({ log: (entry) => entries.push(entry) })
  await store.close()
  const { status, body } = await call('GET', '/v1/collections')
  expect([status, body.code]).toEqual([503, 'STORE_CLOSED'])
  expect(JSON.stringify(body)).not.toContain('.ts:')
  expect(entries.find(({ event }) => event === 'failure')).toMatchObject({
    level: 'error',
    code: 'STORE_CLOSED',
    error: expect.stringContaining('the store is closed'),
  })
})

test('with a tracer at hand, a request is a span named after its route', async () => {
  const ended: { name: string; attributes: Record<string, unknown> }[] = []
  const tracer = {
    startSpan(name: string, options: { attributes: Record<string, unknown> }) {
      const span = { name, attributes: { ...options.attributes } }
      return {
        updateName: (to: string) => {
          span.name = to
        },
        setAttributes: (more: object) => Object.assign(span.attributes, more),
        setStatus: () => {},
        end: () => ended.push(span),
        spanContext: () => ({ traceId: '0', spanId: '0', traceFlags: 0 }),
      } as unknown as Span
    },
  } as unknown as Tracer
  trace.setGlobalTracerProvider({ getTracer: () => tracer })
  try {
    const { call } = await serve()
    await call('GET', '/v1/keys/none')
    expect(ended).toEqual([
      {
        name: 'GET /v1/keys/{key}',
        attributes: {
          'http.request.method': 'GET',
          'http.route': '/v1/keys/{key}',
          'http.response.status_code': 404,
        },
      },
    ])
  } finally {
    trace.disable()
    context.disable()
  }
})
