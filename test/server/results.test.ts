import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { encodeSegment } from '../../src/core/path-segment.ts'
import type { Collection } from '../../src/index.ts'
import { closeServed, type Send, serve } from './served.ts'

let call: Send
let notes: Collection
let then: number
let keys: { ok: string; empty: string; tombstone: string; successor: string; absent: string }

beforeEach(async () => {
  const served = await serve()
  call = served.call
  notes = await served.store.collection('notes')
  const ok = await notes.put({ source: 'a', spans: [{ text: 'The cache has eight slots.' }] })
  const empty = await notes.put({ source: 'b', text: null })
  const before = await notes.put({ source: 'c', text: 'We ship on Friday.' })
  then = before.position
  const after = await notes.put({ source: 'c', text: 'We ship on Monday.' })
  keys = {
    ok: ok.added[0]!,
    empty: empty.added[0]!,
    tombstone: before.added[0]!,
    successor: after.added[0]!,
    absent: '01ARZ3NDEKTSV4RRFFQ69G5FAV',
  }
})

afterEach(closeServed)

describe.each(['/v1', '/v1/collections/notes'])('%s/keys', (prefix) => {
  const fetch = (key: string) => call('GET', `${prefix}/keys/${key}`)

  test('a live key answers 200 with its span', async () => {
    const { status, headers, body } = await fetch(keys.ok)
    expect(status).toBe(200)
    expect(headers.get('spanstore-status')).toBe('ok')
    expect(body).toEqual(await notes.fetch(keys.ok))
  })

  test('a key without text answers 422 empty, and says which kind of empty', async () => {
    const { status, headers, body } = await fetch(keys.empty)
    expect(status).toBe(422)
    expect(headers.get('content-type')).toBe('application/problem+json')
    expect(headers.get('spanstore-status')).toBe('empty')
    expect(body).toMatchObject({ status: 422, outcome: 'empty', result: { detail: 'no-text' } })
    expect(body.result).toEqual(await notes.fetch(keys.empty))
  })

  test('a retired key answers 410 with a link to its successor', async () => {
    const { status, headers, body } = await fetch(keys.tombstone)
    expect(status).toBe(410)
    expect(headers.get('spanstore-status')).toBe('tombstone')
    expect(headers.get('link')).toBe(`<${prefix}/keys/${keys.successor}>; rel="successor-version"`)
    expect(body).toMatchObject({ status: 410, outcome: 'tombstone' })
    expect(body.result).toEqual(await notes.fetch(keys.tombstone))
    const next = /<(.+?)>/.exec(headers.get('link')!)![1]!
    expect((await call('GET', next)).status).toBe(200)
  })

  test('a key never assigned answers 404 absent, whatever it looks like', async () => {
    for (const key of [keys.absent, 'no key', '../../etc/passwd', "'; DROP TABLE span; --", '..', '%00']) {
      const { status, headers, body } = await fetch(encodeSegment(key))
      expect(status).toBe(404)
      expect(headers.get('spanstore-status')).toBe('absent')
      expect(body).toMatchObject({ outcome: 'absent', result: { status: 'absent', key } })
    }
  })

  test('no two of the four answers share a status, a word or a type', async () => {
    const answers = await Promise.all(
      [keys.ok, keys.empty, keys.tombstone, keys.absent].map((key) => fetch(key)),
    )
    expect(new Set(answers.map(({ status }) => status)).size).toBe(4)
    expect(new Set(answers.map(({ headers }) => headers.get('spanstore-status'))).size).toBe(4)
    expect(new Set(answers.map(({ body }) => body.type)).size).toBe(4)
  })

  test('HEAD tells them apart without a body', async () => {
    const statuses = []
    for (const key of [keys.ok, keys.empty, keys.tombstone, keys.absent]) {
      const { status, body } = await call('HEAD', `${prefix}/keys/${key}`)
      expect(body).toBe('')
      statuses.push(status)
    }
    expect(statuses).toEqual([200, 422, 410, 404])
  })
})

test('a path that is not served is no absent key', async () => {
  const { status, headers, body } = await call('GET', `/v1/key/${keys.ok}`)
  expect(status).toBe(404)
  expect(headers.get('spanstore-status')).toBeNull()
  expect(body.code).toBe('ROUTE_UNKNOWN')
})

test('many keys answer in the order asked, one slot each, duplicates kept', async () => {
  const asked = [keys.absent, keys.ok, keys.tombstone, keys.ok, keys.empty, 'no key']
  for (const path of ['/v1/fetch', '/v1/collections/notes/fetch']) {
    const { status, body } = await call('POST', path, { keys: asked })
    expect(status).toBe(200)
    expect(body.results).toEqual(await notes.fetchMany(asked))
  }
})

test('a key of another collection is absent in this one, and found in the store', async () => {
  await call('PUT', '/v1/collections/other')
  expect((await call('GET', `/v1/collections/other/keys/${keys.ok}`)).status).toBe(404)
  expect((await call('GET', `/v1/keys/${keys.ok}`)).status).toBe(200)
})

test('a key answers as of an earlier position what it answered then', async () => {
  const { body } = await call('GET', `/v1/collections/notes/keys/${keys.tombstone}?asOf=${then}`)
  expect(body).toEqual(await notes.fetch(keys.tombstone, { asOf: then }))
  expect(body.span.text).toBe('We ship on Friday.')
  const { status } = await call('GET', `/v1/collections/notes/keys/${keys.successor}?asOf=${then}`)
  expect(status).toBe(404)
  expect((await call('GET', `/v1/collections/notes/keys/${keys.ok}?asOf=999`)).body.code).toBe(
    'POSITION_UNKNOWN',
  )
})

describe('a source', () => {
  const source = (id: string) => call('GET', `/v1/collections/notes/sources/${encodeSegment(id)}`)

  test('has the same four results', async () => {
    await notes.put({ source: 'emptied', text: 'gone tomorrow' })
    await notes.retire({ where: {} })
    await notes.put({ source: 'live', text: 'here' })
    await notes.put({ source: 'removed', text: 'x' })
    await notes.remove({ source: 'removed' })
    const results = []
    for (const id of ['live', 'emptied', 'removed', 'never']) {
      const { status, headers, body } = await source(id)
      results.push([status, headers.get('spanstore-status'), headers.get('etag')])
      expect(status === 200 ? body : body.result).toEqual(await notes.source(id))
    }
    expect(results).toEqual([
      [200, 'ok', '"1"'],
      [422, 'empty', '"1"'],
      [410, 'tombstone', '"2"'],
      [404, 'absent', null],
    ])
  })

  test.each([
    'a/b',
    '.',
    '..',
    '~.',
    '~~..',
    '../../etc/passwd',
    'a%2Fb',
    '100%',
    'ünïcode 🙂',
    "'; DROP TABLE source; --",
    ' ',
    '\u0000\n',
    'a?b#c',
    '+',
    'x'.repeat(1024),
  ])('may be called %j', async (id) => {
    const path = `/v1/collections/notes/sources/${encodeSegment(id)}`
    expect((await call('PUT', path, { text: `text of ${id.slice(0, 20)}` })).status).toBe(200)
    const { status, body } = await call('GET', path)
    expect(status).toBe(200)
    expect(body.source).toBe(id)
    expect((await notes.source(id)).status).toBe('ok')
    const { body: page } = await call('GET', '/v1/collections/notes/sources?limit=1000')
    expect(page.sources.map((one: { source: string }) => one.source)).toContain(id)
  })
})
