import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { closeServed, type Send, serve } from './served.ts'

let call: Send
const DOC = '/v1/collections/notes/sources/doc'

beforeEach(async () => {
  call = (await serve()).call
  await call('PUT', '/v1/collections/notes')
})

afterEach(closeServed)

const text = async () => (await call('GET', `${DOC}/text`)).body.text

describe('If-Match', () => {
  test('lets a write through that was made for the revision that stands', async () => {
    const first = await call('PUT', DOC, { text: 'one' })
    const second = await call('PUT', DOC, { text: 'two' }, { 'if-match': first.headers.get('etag')! })
    expect([second.status, second.headers.get('etag')]).toEqual([200, '"2"'])
    expect((await call('GET', DOC)).headers.get('etag')).toBe('"2"')
  })

  test('refuses one made for an older revision with 412, and keeps the newer', async () => {
    await call('PUT', DOC, { text: 'one' })
    await call('PUT', DOC, { text: 'two' })
    const { status, body } = await call('PUT', DOC, { text: 'late' }, { 'if-match': '"1"' })
    expect(status).toBe(412)
    expect(body).toMatchObject({ code: 'REVISION_CONFLICT', error: { expected: 1, actual: 2 } })
    expect(await text()).toBe('two')
  })

  test('said in the body, the conflict is 409', async () => {
    await call('PUT', DOC, { text: 'one' })
    expect((await call('PUT', DOC, { text: 'late', expectedRevision: 0 })).status).toBe(409)
  })

  test('of several revisions, weak ones or none is refused rather than passed over', async () => {
    await call('PUT', DOC, { text: 'one' })
    for (const value of ['*', 'W/"1"', '"1", "2"', '1', '"x"', '"-1"'])
      expect((await call('PUT', DOC, { text: 'x' }, { 'if-match': value })).status).toBe(400)
    expect((await call('PUT', DOC, { text: 'x', expectedRevision: 2 }, { 'if-match': '"1"' })).status).toBe(
      400,
    )
    const rename = await call('PATCH', '/v1/collections/notes', { name: 'x' }, { 'if-match': '"1"' })
    expect(rename.status).toBe(400)
    expect(await text()).toBe('one')
  })

  const HERE = '/v1/collections/notes'

  /** Every write of one source, made for a revision, with what it needs. */
  const writes = (keys: string[]): readonly [string, string, unknown?][] => [
    ['PUT', DOC, { text: 'late' }],
    ['POST', `${DOC}/append`, { spans: [{ text: 'late' }] }],
    ['POST', `${HERE}/update`, { keys, metadata: { late: true } }],
    ['POST', `${HERE}/retire`, { keys }],
    ['POST', `${HERE}/erase`, { keys }],
    ['POST', `${HERE}/erase`, { source: 'doc' }],
    ['DELETE', DOC],
  ]

  test('is honoured by every write of a source: of an older revision, 412 tells the actual one and nothing is written', async () => {
    await call('PUT', DOC, { text: 'one' })
    const { body: second } = await call('PUT', DOC, { text: 'two' })
    for (const [method, path, body] of writes(second.added)) {
      for (const [header, expected] of [
        [{ 'if-match': '"1"' }, 1],
        [{ 'if-none-match': '*' }, 0],
      ] as const) {
        const late = await call(method, path, body, header)
        expect([method, path, late.status, late.headers.get('etag')]).toEqual([method, path, 412, '"2"'])
        expect(late.body).toMatchObject({
          code: 'REVISION_CONFLICT',
          error: { source: 'doc', expected, actual: 2 },
        })
      }
      const said =
        method === 'DELETE'
          ? await call(method, `${path}?expectedRevision=1`)
          : await call(method, path, { ...(body as object), expectedRevision: 1 })
      expect([method, path, said.status]).toEqual([method, path, 409])
    }
    expect((await call('GET', HERE)).body.position).toBe(second.position)
    expect(await text()).toBe('two')
  })

  test('of the revision that stands, each of them is done', async () => {
    await call('PUT', DOC, { text: 'one' })
    for (const [i] of writes([]).entries()) {
      // What came before took it away.
      const { body, headers } = await call('PUT', DOC, { text: `text ${i}` })
      const [method, path, given] = writes(body.added)[i]!
      const done = await call(method, path, given, { 'if-match': headers.get('etag')! })
      expect([method, path, done.status]).toEqual([method, path, 200])
    }
  })

  test('of keys of several sources, of none, or of a filter is refused: there is no one revision', async () => {
    const { body: one } = await call('PUT', DOC, { text: 'one' })
    const { body: two } = await call('PUT', `${HERE}/sources/other`, { text: 'two' })
    const header = { 'if-match': '"1"' }
    for (const keys of [[...one.added, ...two.added], ['01JQ0000000000000000000000']])
      for (const verb of ['retire', 'erase', 'update']) {
        const { status, body } = await call('POST', `${HERE}/${verb}`, { keys }, header)
        expect([verb, status, body.code]).toEqual([verb, 400, 'INVALID_ARGUMENT'])
      }
    const filtered = await call('POST', `${HERE}/retire`, { where: { a: 1 } }, header)
    expect([filtered.status, filtered.body.code]).toEqual([400, 'INVALID_ARGUMENT'])
    expect((await call('POST', `${HERE}/count`, {})).body.count).toBe(2)
  })

  test('If-None-Match: * writes only what is new', async () => {
    expect((await call('PUT', DOC, { text: 'one' }, { 'if-none-match': '*' })).status).toBe(200)
    expect((await call('PUT', DOC, { text: 'two' }, { 'if-none-match': '*' })).status).toBe(412)
    expect(await text()).toBe('one')
  })
})

describe('Idempotency-Key', () => {
  test.each([
    ['PUT', DOC, { text: 'one' }],
    ['POST', `${DOC}/append`, { spans: [{ text: 'one' }] }],
    ['POST', '/v1/collections/notes/sources', { puts: [{ source: 'doc', text: 'one' }] }],
    ['POST', '/v1/collections/notes/sessions/s/summaries', { summaries: [{ text: 'Nothing happened.' }] }],
  ])('%s %s sent twice is done once, and answers the same', async (method, path, body) => {
    const first = await call(method, path, body, { 'idempotency-key': 'c-1' })
    const second = await call(method, path, body, { 'idempotency-key': '"c-1"' })
    expect(first.status).toBe(200)
    expect(second.body).toEqual(first.body)
    expect((await call(method, path, { ...body, commandId: 'c-1' })).body).toEqual(first.body)
  })

  test('sent twice after the source moved on, the first answer still stands', async () => {
    const first = await call('PUT', DOC, { text: 'one' }, { 'idempotency-key': 'c-1' })
    await call('PUT', DOC, { text: 'two' })
    expect((await call('PUT', DOC, { text: 'one' }, { 'idempotency-key': 'c-1' })).body).toEqual(first.body)
    expect(await text()).toBe('two')
  })

  test('removing, retiring, updating and erasing remember their answers too', async () => {
    const { body } = await call('PUT', DOC, { spans: [{ text: 'one' }, { text: 'two' }, { text: 'three' }] })
    const [one, two] = body.added
    const here = '/v1/collections/notes'
    const writes: [string, string, unknown?][] = [
      ['POST', `${here}/update`, { keys: [one], metadata: { a: 1 } }],
      ['POST', `${here}/retire`, { keys: [one] }],
      ['POST', `${here}/erase`, { keys: [two] }],
      ['DELETE', DOC],
    ]
    for (const [method, path, body] of writes) {
      const first = await call(method, path, body, { 'idempotency-key': 'c-1' })
      const second = await call(method, path, body, { 'idempotency-key': 'c-1' })
      expect(first.status).toBe(200)
      expect(second.body).toEqual(first.body)
    }
  })

  test('one in the header and another in the body is refused', async () => {
    const { status } = await call('PUT', DOC, { text: 'x', commandId: 'a' }, { 'idempotency-key': 'b' })
    expect(status).toBe(400)
    expect((await call('GET', DOC)).status).toBe(404)
  })

  test('is refused by a write that remembers no answers', async () => {
    const { status } = await call('DELETE', '/v1/collections/notes', undefined, { 'idempotency-key': 'a' })
    expect(status).toBe(400)
    expect((await call('GET', '/v1/collections/notes')).status).toBe(200)
  })
})
