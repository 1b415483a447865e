import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Store } from '../../src/index.ts'
import { axes } from './axes.ts'
import { closeServed, type Send, serve } from './served.ts'

let call: Send
let store: Store
const HERE = '/v1/collections/notes'

beforeEach(async () => {
  const served = await serve()
  call = served.call
  store = served.store
  await call('PUT', HERE, { metric: 'l2' })
})

afterEach(closeServed)

const put = async (source: string, body: unknown) =>
  (await call('PUT', `${HERE}/sources/${source}`, body)).body

describe('collections', () => {
  test('one is made once, and opened after that', async () => {
    expect((await call('PUT', '/v1/collections/new', {})).status).toBe(201)
    expect((await call('PUT', '/v1/collections/new')).status).toBe(200)
    expect(
      (await call('GET', '/v1/collections')).body.collections.map((one: { name: string }) => one.name),
    ).toEqual(['new', 'notes'])
  })

  test('another metric is refused', async () => {
    const { status, body } = await call('PUT', HERE, { metric: 'cosine' })
    expect(status).toBe(409)
    expect(body).toMatchObject({
      code: 'COLLECTION_MISMATCH',
      error: { collection: 'notes', expected: 'l2', actual: 'cosine' },
    })
  })

  test('nothing that names a collection makes one', async () => {
    const requests: [string, string, unknown?][] = [
      ['GET', ''],
      ['GET', '/sources'],
      ['PUT', '/sources/a', { text: 'x' }],
      ['POST', '/sources', { puts: [] }],
      ['POST', '/search', { text: 'x' }],
      ['POST', '/sessions/s/summaries', { summaries: [{ text: 'x' }] }],
      ['DELETE', ''],
    ]
    for (const [method, path, body] of requests) {
      const answer = await call(method, `/v1/collections/nothere${path}`, body)
      expect([answer.status, answer.body.code]).toEqual([404, 'COLLECTION_UNKNOWN'])
    }
    expect(await store.collections()).toHaveLength(1)
  })

  test('a renamed one keeps its keys; its old name says what became of it', async () => {
    const { added } = await put('a', { text: 'here' })
    expect((await call('PATCH', HERE, { name: 'records' })).body.name).toBe('records')
    expect((await call('GET', `/v1/collections/records/keys/${added[0]}`)).status).toBe(200)
    const { status, body } = await call('GET', HERE)
    expect([status, body.code, body.error.now]).toEqual([410, 'COLLECTION_RENAMED', 'records'])
    expect((await call('PUT', HERE, { recreate: true })).status).toBe(201)
  })

  test('the keys of a dropped one are tombstones', async () => {
    const { added } = await put('a', { text: 'here' })
    expect((await call('DELETE', HERE)).status).toBe(200)
    const { status, body } = await call('GET', `/v1/keys/${added[0]}`)
    expect([status, body.result.tombstone.reason]).toEqual([410, 'deleted'])
    expect((await call('GET', HERE)).body.code).toBe('COLLECTION_DROPPED')
  })
})

describe('writing', () => {
  test('put keeps the keys of what is still there, and says what it retired', async () => {
    const first = await put('doc', { spans: [{ text: 'one' }, { text: 'two' }, { text: 'three' }] })
    const second = await put('doc', { spans: [{ text: 'one' }, { text: 'TWO' }, { text: 'three' }] })
    expect(second).toMatchObject({ outcome: 'revised', kept: 2, retired: [first.added[1]] })
    expect(await put('doc', { spans: [{ text: 'one' }, { text: 'TWO' }, { text: 'three' }] })).toMatchObject({
      outcome: 'unchanged',
    })
  })

  test('put cuts by the chunker it is told, by name or by id', async () => {
    const text = '# A\n\none\n\n# B\n\ntwo'
    await put('doc', { text, chunker: 'whole' })
    expect((await store.collection('notes').then((c) => c.source('doc'))) as object).toMatchObject({
      info: { chunker: 'whole/1', live: 1 },
    })
    await put('doc', { text, chunker: 'markdown/1?max=80' })
    expect((await call('GET', `${HERE}/sources/doc`)).body.info.chunker).toBe('markdown/1?max=80')
    for (const chunker of ['toString', '__proto__', 'whole/2', 'markdown?max=-1', '']) {
      const { status, body } = await call('PUT', `${HERE}/sources/doc`, { text, chunker })
      expect([status, body.code]).toEqual([400, 'INVALID_ARGUMENT'])
    }
  })

  test('putMany is all or nothing', async () => {
    const { status, body } = await call('POST', `${HERE}/sources`, {
      puts: [
        { source: 'a', text: 'one' },
        { source: 'b', spans: [{ text: 'two', vector: [1, 2] }] },
      ],
    })
    expect(status).toBe(200)
    expect(body.results.map((one: { outcome: string }) => one.outcome)).toEqual(['created', 'created'])
    const refused = await call('POST', `${HERE}/sources`, {
      puts: [
        { source: 'c', text: 'three' },
        { source: 'd', spans: [{ text: 'four', vector: [1, 2, 3] }] },
      ],
    })
    expect([refused.status, refused.body.code]).toEqual([400, 'INVALID_VECTOR'])
    expect((await call('GET', `${HERE}/sources/c`)).status).toBe(404)
    const twice = {
      puts: [
        { source: 'a', text: '1' },
        { source: 'a', text: '2' },
      ],
    }
    expect((await call('POST', `${HERE}/sources`, twice)).body.code).toBe('DUPLICATE_SOURCE')
  })

  test('append, update, retire, remove and erase do what the library does', async () => {
    const { added } = await put('chat', { spans: [{ text: 'Anna: hello' }], metadata: { room: 1 } })
    const { body: appended } = await call('POST', `${HERE}/sources/chat/append`, {
      spans: [{ text: 'Bert: hello', metadata: { speaker: 'Bert' } }],
    })
    expect(appended).toMatchObject({ revision: 2, kept: 1 })
    const [first, second] = [added[0], appended.added[0]]
    const { body: updated } = await call('POST', `${HERE}/update`, {
      keys: [first],
      metadata: { speaker: 'Anna' },
      unset: ['room'],
    })
    expect(updated.updated).toEqual([first])
    expect((await call('GET', `/v1/keys/${first}`)).body.span.metadata).toEqual({ speaker: 'Anna' })
    const { body: retired } = await call('POST', `${HERE}/retire`, {
      where: { speaker: 'Bert' },
      reason: 'evicted',
    })
    expect(retired.retired).toEqual([second])
    const { body: removed } = await call('DELETE', `${HERE}/sources/chat`)
    expect(removed.retired).toEqual([first])
    const { body: erased } = await call('POST', `${HERE}/erase`, { source: 'chat' })
    expect(erased).toMatchObject({ complete: true })
    expect(erased.erased.toSorted()).toEqual([first, second].toSorted())
    expect((await call('GET', `/v1/keys/${first}`)).body.result.tombstone.erasedAt).toBeTypeOf('number')
    const back = await call('PUT', `${HERE}/sources/chat`, { spans: [{ text: 'Anna: hello' }] })
    expect([back.status, back.body.code]).toEqual([409, 'ERASED_TEXT'])
  })

  test('a summary goes stale with what it stands on, and its dependents say so', async () => {
    const { added } = await put('doc', { text: 'We ship on Friday.' })
    const session = `${HERE}/sessions/agent-7`
    const { body } = await call('POST', `${session}/summaries`, {
      summaries: [{ text: `Shipping is on Friday [[${added[0]}]].`, covers: added }],
    })
    const [{ key, epoch }] = body.registrations
    expect(epoch).toBe(1)
    expect((await call('GET', `${session}/authoritative/${added[0]}`)).body.key).toBe(key)
    expect((await call('POST', `${session}/context`, { maxTokens: 100 })).body.entries).toMatchObject([
      { key },
    ])
    const second = await put('doc', { text: 'We ship on Monday.' })
    expect(second.stale).toEqual([key])
    expect((await call('GET', `${session}/stale`)).body.summaries).toMatchObject([{ key, state: 'stale' }])
    expect((await call('GET', `${session}/summaries`)).body.summaries).toHaveLength(1)
    expect((await call('GET', `${HERE}/keys/${added[0]}/dependents`)).body.dependents).toMatchObject([
      { key, depth: 1, state: 'stale' },
    ])
    const refused = await call('POST', `${session}/summaries`, {
      summaries: [{ text: `Still on Friday [[${added[0]}]].` }],
    })
    expect([refused.status, refused.body.code]).toEqual([409, 'DEPENDENCY_UNSATISFIED'])
    expect(refused.body.error.dependencies[0]).toMatchObject({ status: 'tombstone' })
  })
})

describe('reading', () => {
  test('a source is read back byte for byte, at every revision', async () => {
    const texts = ['one\n\ntwo  \n', 'one\r\n\r\n🙂 two']
    for (const text of texts) await put('doc', { text })
    expect((await call('GET', `${HERE}/sources/doc/text`)).body.text).toBe(texts[1])
    expect((await call('GET', `${HERE}/sources/doc/text?revision=1`)).body.text).toBe(texts[0])
    const unknown = await call('GET', `${HERE}/sources/doc/text?revision=9`)
    expect([unknown.status, unknown.body.code]).toEqual([404, 'REVISION_UNKNOWN'])
    expect((await call('GET', `${HERE}/sources/doc/history`)).body.revisions).toHaveLength(2)
    const { body } = await call('GET', `${HERE}/sources/doc/diff?from=1&to=2`)
    expect(body).toEqual(await (await store.collection('notes')).diff('doc', 1, 2))
    expect((await call('GET', `${HERE}/sources/never/history`)).body.code).toBe('SOURCE_UNKNOWN')
  })

  test('sources come in pages', async () => {
    for (const name of ['a', 'b', 'c', 'd', 'e']) await put(name, { text: name })
    const seen: string[] = []
    let after = ''
    for (;;) {
      const { body } = await call('GET', `${HERE}/sources?limit=2${after}`)
      seen.push(...body.sources.map((one: { source: string }) => one.source))
      if (body.next === undefined) break
      after = `&after=${body.next}`
    }
    expect(seen).toEqual(['a', 'b', 'c', 'd', 'e'])
  })

  test('find and count answer filters', async () => {
    await put('a', {
      spans: [
        { text: 'old', metadata: { year: 1990 } },
        { text: 'new', metadata: { year: 2020 } },
      ],
    })
    const where = { year: { $gte: 2000 } }
    const { body } = await call('POST', `${HERE}/find`, { where })
    expect(body.spans.map((span: { text: string }) => span.text)).toEqual(['new'])
    expect((await call('POST', `${HERE}/find`)).body.spans).toHaveLength(2)
    expect((await call('POST', `${HERE}/count`, { where })).body).toEqual({ count: 1 })
    expect((await call('POST', `${HERE}/count`)).body).toEqual({ count: 2 })
    const bad = await call('POST', `${HERE}/find`, { where: { $where: 'sleep(1)' } })
    expect([bad.status, bad.body.code]).toEqual([400, 'INVALID_FILTER'])
  })

  test('search finds what was just written, by words and by vectors', async () => {
    await put('a', { spans: axes(3) })
    const words = await call('POST', `${HERE}/search`, { text: 'axis two', highlight: true, explain: true })
    expect(words.body.hits[0].span.text).toBe('axis two')
    expect(words.body.complete).toBe(true)
    const near = await call('POST', `${HERE}/search`, { vector: [0, 1, 0], k: 1 })
    expect(near.body.hits).toMatchObject([{ distance: 0, span: { text: 'axis one' } }])
    const similar = await call('POST', `${HERE}/similar`, { key: near.body.hits[0].key, k: 5 })
    expect(similar.body.hits).toHaveLength(2)
    const wrong = await call('POST', `${HERE}/search`, { vector: [0, 1] })
    expect([wrong.status, wrong.body.code]).toEqual([400, 'INVALID_VECTOR'])
  })

  test('a vector search where there are no vectors is refused, not empty', async () => {
    await put('a', { text: 'words alone' })
    const { status, body } = await call('POST', `${HERE}/search`, { vector: [1, 2, 3] })
    expect([status, body.code]).toEqual([409, 'NO_VECTORS'])
  })

  test('lineage says what became of a key', async () => {
    const first = await put('doc', { text: 'We ship on Friday.' })
    const second = await put('doc', { text: 'We ship on Monday.' })
    const { body } = await call('GET', `${HERE}/keys/${first.added[0]}/lineage`)
    expect(body.edges).toEqual([{ from: first.added[0], to: second.added[0], kind: 'successor' }])
  })

  test('the store tells its id, its cursor, its counts, and whether all is well', async () => {
    await put('a', { text: 'x' })
    expect((await call('GET', '/v1/store')).body).toEqual({ id: store.id })
    expect((await call('GET', '/v1/cursor')).body).toEqual({ cursor: await store.cursor() })
    expect((await call('GET', '/v1/stats')).body).toEqual(JSON.parse(JSON.stringify(await store.stats())))
    expect((await call('POST', '/v1/verify')).body).toEqual({ problems: [] })
    await put('a', { text: 'y' })
    expect((await call('POST', '/v1/prune', { before: Date.now() + 1000 })).body).toMatchObject({ pruned: 1 })
  })
})
