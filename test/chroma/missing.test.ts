import { expect, test } from 'vitest'
import { serve } from './served.ts'

const body = (ids: string[]) => ({ ids, embeddings: ids.map((_, i) => [1, i]) })

async function withRecords() {
  const served = await serve()
  const { body: made } = await served.ask('POST', '', { name: 'things' })
  await served.ask('POST', `/${made.id}/add`, { ...body(['a', 'b', 'c']), documents: ['x', 'y', 'z'] })
  await served.ask('POST', `/${made.id}/delete`, { ids: ['b'] })
  const post = async (path: string, sent: unknown, headers?: Record<string, string>) =>
    await served.ask('POST', `/${made.id}/${path}`, sent, headers)
  return { served, post, id: made.id as string, [Symbol.asyncDispose]: () => served[Symbol.asyncDispose]() }
}

test('what a get leaves out is told in a header and in the body, each for what it is', async () => {
  await using records = await withRecords()
  const { status, headers, body: got } = await records.post('get', { ids: ['a', 'b', 'never', 'ü;,='] })
  expect(status).toBe(200)
  expect(got.ids).toEqual(['a'])
  expect(headers.get('spanstore-missing')).toBe('absent=never,%C3%BC%3B%2C%3D;tombstone=b')
  expect(got.spanstore.missing.absent).toEqual(['never', 'ü;,='])
  const [tombstone] = got.spanstore.missing.tombstone
  expect(tombstone).toMatchObject({ id: 'b', reason: 'deleted' })
  // The key names the record that was there, also for the store.
  expect(await records.served.store.fetch(tombstone.key)).toMatchObject({ status: 'tombstone' })
  const whole = await records.post('get', { ids: ['a', 'c'] })
  expect([whole.headers.has('spanstore-missing'), 'spanstore' in whole.body]).toEqual([false, false])
})

test('a header with very many ids says how many more there are', async () => {
  await using records = await withRecords()
  const ids = Array.from({ length: 2000 }, (_, i) => `missing-${i}`)
  const { headers, body: got } = await records.post('get', { ids })
  expect(headers.get('spanstore-missing')!.length).toBeLessThan(2000)
  expect(headers.get('spanstore-missing')).toMatch(/,\+\d+$/)
  expect(got.spanstore.missing.absent).toHaveLength(2000)
})

test('strict makes 404 and 410 of it, by header or by the collection', async () => {
  await using records = await withRecords()
  const strict = { 'spanstore-strict': 'true' }
  expect((await records.post('get', { ids: ['a', 'never'] }, strict)).status).toBe(404)
  const gone = await records.post('get', { ids: ['a', 'b'] }, strict)
  expect([gone.status, gone.body.error, gone.body.spanstore.missing.tombstone[0].id]).toEqual([
    410,
    'GoneError',
    'b',
  ])
  expect((await records.post('get', { ids: ['a', 'c'] }, strict)).status).toBe(200)
  await records.served.ask('PUT', `/${records.id}`, { new_metadata: { 'spanstore:strict': true } })
  expect((await records.post('get', { ids: ['never'] })).status).toBe(404)
  expect((await records.post('get', { ids: ['never'] }, { 'spanstore-strict': 'false' })).status).toBe(200)
})

test('an add of what is there leaves it alone and says so; strict refuses the whole batch', async () => {
  await using records = await withRecords()
  const added = await records.post('add', { ...body(['a', 'new']), documents: ['other', 'n'] })
  expect([added.status, added.headers.get('spanstore-missing')]).toEqual([201, 'exists=a'])
  expect(added.body.spanstore.missing.exists).toEqual(['a'])
  expect((await records.post('get', {})).body.documents).toEqual(['x', 'z', 'n'])
  const refused = await records.post('add', body(['c', 'newer']), { 'spanstore-strict': '1' })
  expect(refused.status).toBe(409)
  expect((await records.post('get', { ids: ['newer'] })).body.ids).toEqual([])
})

test('an update of what is not there passes over it and says so; strict writes nothing', async () => {
  await using records = await withRecords()
  const updated = await records.post('update', { ids: ['a', 'b', 'never'], documents: ['X', 'Y', 'N'] })
  expect([updated.status, updated.headers.get('spanstore-missing')]).toEqual([
    200,
    'absent=never;tombstone=b',
  ])
  const refused = await records.post(
    'update',
    { ids: ['a', 'b'], documents: ['XX', 'YY'] },
    { 'spanstore-strict': 'true' },
  )
  expect(refused.status).toBe(410)
  expect((await records.post('get', { ids: ['a'] })).body.documents).toEqual(['X'])
})

test('a delete says what Chroma says, and beside it how many there were', async () => {
  await using records = await withRecords()
  const deleted = await records.post('delete', { ids: ['a', 'b', 'never'] })
  expect(deleted.body).toMatchObject({ deleted: 3, spanstore: { deleted: 1 } })
  expect(deleted.headers.get('spanstore-missing')).toBe('absent=never;tombstone=b')
  expect((await records.post('delete', { ids: ['never'] }, { 'spanstore-strict': 'true' })).status).toBe(404)
  const exact = await records.post('delete', { ids: ['c'] })
  expect(exact.body).toEqual({ deleted: 1 })
})

test('overwriting and deleting leave tombstones and events', async () => {
  await using records = await withRecords()
  const { store } = records.served
  const collection = await store.collection('things')
  const before = (await collection.find()).find(({ source }) => source === 'a')!
  await records.post('upsert', { ...body(['a']), documents: ['changed'] })
  const after = (await collection.find()).find(({ source }) => source === 'a')!
  expect(await store.fetch(before.key)).toMatchObject({
    status: 'tombstone',
    tombstone: { reason: 'edited', successors: [after.key] },
  })
  const types = new Set<string>()
  for await (const event of store.subscribe({ from: 'start', collections: ['things'], follow: false }))
    types.add(event.type)
  expect([...types].sort()).toEqual([
    'collection.created',
    'source.removed',
    'source.revised',
    'span.added',
    'span.retired',
  ])
  expect((await collection.history('a')).length).toBe(2)
})
