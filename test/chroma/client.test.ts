import { AdminClient, ChromaNotFoundError, ChromaUniqueError, K, Knn, Rrf, Search, Val } from 'chromadb'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Served, serve } from './served.ts'

/** Everything Chroma's own client can do, unchanged, over a socket. */
let served: Served

beforeAll(async () => {
  served = await serve()
})
afterAll(async () => await served[Symbol.asyncDispose]())
beforeEach(async () => await served.client.reset())

const three = {
  ids: ['a', 'b', 'c'],
  embeddings: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0.1, 1],
  ],
  documents: ['Red apple', 'green pear', 'blue sky'],
  metadatas: [
    { n: 1, kind: 'fruit' },
    { n: 2.5, kind: 'fruit', ripe: true },
    { n: 3, tags: ['high', 'wide'] },
  ],
}

async function filled(name = 'things', space: 'l2' | 'cosine' | 'ip' = 'l2') {
  const collection = await served.client.createCollection({
    name,
    embeddingFunction: null,
    configuration: { hnsw: { space } },
  })
  await collection.add(three)
  return collection
}

describe('the server', () => {
  test('says that it is there, which version it speaks, and how much it takes at once', async () => {
    expect(await served.client.heartbeat()).toBeGreaterThan(1e18)
    expect(await served.client.version()).toMatch(/^\d+\.\d+\.\d+$/)
    expect(await served.client.getMaxBatchSize()).toBe(5461)
    expect(await served.client.supportsBase64Encoding()).toBe(true)
    expect(await served.client.getUserIdentity()).toMatchObject({ tenant: 'default_tenant' })
  })

  test('is reset ninety times in no time, and what it was is a tombstone', async () => {
    const { store, client } = served
    const collection = await filled()
    const [span] = await (await store.collection('things')).find({ limit: 1 })
    for (let i = 0; i < 90; i++) {
      await client.reset()
      await client.createCollection({ name: `again-${i % 3}`, embeddingFunction: null })
    }
    expect((await client.listCollections()).map(({ name }) => name)).toEqual(['again-2'])
    await expect(collection.count()).rejects.toThrow(ChromaNotFoundError)
    expect((await store.fetch(span!.key)).status).toBe('tombstone')
  })

  test('a reset leaves alone what was made without this interface', async () => {
    const own = await served.store.collection('own', { metric: 'l2' })
    await own.put({ source: 's', text: 'mine' })
    const adopted = await served.client.getOrCreateCollection({ name: 'own', embeddingFunction: null })
    expect(await adopted.count()).toBe(1)
    await served.client.reset()
    expect(await own.count()).toBe(1)
    await expect(served.client.getCollection({ name: 'own' })).rejects.toThrow(ChromaNotFoundError)
    await expect(served.client.createCollection({ name: 'own', embeddingFunction: null })).rejects.toThrow(
      ChromaUniqueError,
    )
  })
})

describe('tenants and databases', () => {
  test('are made, listed, told apart and taken away', async () => {
    const admin = new AdminClient({ host: '127.0.0.1', port: served.port, ssl: false })
    await admin.createTenant({ name: 'acme' })
    expect(await admin.getTenant({ name: 'acme' })).toBe('acme')
    await expect(admin.createTenant({ name: 'acme' })).rejects.toThrow(ChromaUniqueError)
    for (const name of ['one', 'two', 'three']) await admin.createDatabase({ name, tenant: 'acme' })
    expect((await admin.listDatabases({ tenant: 'acme', limit: 2 })).map(({ name }) => name)).toEqual([
      'one',
      'three',
    ])
    expect((await admin.listDatabases({ tenant: 'acme', offset: 2 })).map(({ name }) => name)).toEqual([
      'two',
    ])
    await expect(admin.createDatabase({ name: 'one', tenant: 'acme' })).rejects.toThrow(ChromaUniqueError)
    await admin.deleteDatabase({ name: 'two', tenant: 'acme' })
    await expect(admin.getDatabase({ name: 'two', tenant: 'acme' })).rejects.toThrow()
    // A tenant that nobody made is made with its first database.
    await admin.createDatabase({ name: 'somewhere', tenant: 'nobody' })
    expect(await admin.getDatabase({ name: 'somewhere', tenant: 'nobody' })).toMatchObject({
      name: 'somewhere',
    })
  })

  test('a database whose name is too short to be one is refused as such, not answered as empty', async () => {
    const { ChromaClient } = await import('chromadb')
    const short = new ChromaClient({
      host: '127.0.0.1',
      port: served.port,
      database: 'ab',
      tenant: 'default_tenant',
    })
    const refused = 'database name must be at least 3 characters'
    await expect(short.listCollections()).rejects.toThrow(refused)
    await expect(short.countCollections()).rejects.toThrow(refused)
    await expect(short.createCollection({ name: 'things', embeddingFunction: null })).rejects.toThrow(refused)
    await expect(short.getCollection({ name: 'things' })).rejects.toThrow(refused)
    const admin = new AdminClient({ host: '127.0.0.1', port: served.port, ssl: false })
    await expect(admin.getDatabase({ name: 'ab', tenant: 'default_tenant' })).rejects.toThrow(refused)
    // Bytes are counted: this name could be one, and is not there.
    await expect(admin.getDatabase({ name: 'éé', tenant: 'default_tenant' })).rejects.toThrow(
      ChromaNotFoundError,
    )
  })

  test('collections of one name in two databases are two', async () => {
    const { ChromaClient } = await import('chromadb')
    const admin = new AdminClient({ host: '127.0.0.1', port: served.port, ssl: false })
    await admin.createDatabase({ name: 'second', tenant: 'default_tenant' })
    const other = new ChromaClient({
      host: '127.0.0.1',
      port: served.port,
      database: 'second',
      tenant: 'default_tenant',
    })
    const here = await filled('same')
    const there = await other.createCollection({ name: 'same', embeddingFunction: null })
    expect(there.id).not.toBe(here.id)
    expect([await here.count(), await there.count(), await other.countCollections()]).toEqual([3, 0, 1])
  })
})

describe('collections', () => {
  test('keep configuration, schema and metadata, and give them back', async () => {
    const made = await served.client.createCollection({
      name: 'configured',
      embeddingFunction: null,
      metadata: { owner: 'me', rank: 1.5 },
      configuration: { hnsw: { space: 'cosine', ef_construction: 150, max_neighbors: 15 } },
    })
    expect(made.configuration.hnsw).toMatchObject({
      space: 'cosine',
      ef_construction: 150,
      max_neighbors: 15,
      ef_search: 100,
    })
    await made.modify({ configuration: { hnsw: { ef_search: 20 } } })
    const again = await served.client.getCollection({ name: 'configured' })
    expect(again.configuration.hnsw).toMatchObject({ space: 'cosine', ef_search: 20, max_neighbors: 15 })
    expect(again.metadata).toEqual({ owner: 'me', rank: 1.5 })
    await expect(
      served.client.createCollection({
        name: 'bad',
        embeddingFunction: null,
        configuration: { hnsw: { space: 'cosine', ef_construction: -1 } },
      }),
    ).rejects.toThrow()
    await expect(served.client.getCollection({ name: 'bad' })).rejects.toThrow(ChromaNotFoundError)
  })

  test('are renamed, and their metadata replaced, independently', async () => {
    const collection = await served.client.createCollection({
      name: 'first',
      embeddingFunction: null,
      metadata: { a: 1 },
    })
    await collection.add(three)
    await collection.modify({ name: 'second' })
    expect((await served.client.getCollection({ name: 'second' })).metadata).toEqual({ a: 1 })
    await collection.modify({ metadata: { b: 2 } })
    const again = await served.client.getCollection({ name: 'second' })
    expect([again.metadata, await again.count(), again.id]).toEqual([{ b: 2 }, 3, collection.id])
    await expect(served.client.getCollection({ name: 'first' })).rejects.toThrow(ChromaNotFoundError)
    // The store knows it under its new name, too.
    expect((await served.store.collections()).map(({ name }) => name)).toContain('second')
    await served.client.createCollection({ name: 'first', embeddingFunction: null })
    await expect(collection.modify({ name: 'first' })).rejects.toThrow()
  })

  test('are listed in the order they were made, page by page, and counted', async () => {
    for (const name of ['one', 'two', 'three'])
      await served.client.createCollection({ name, embeddingFunction: null })
    expect((await served.client.listCollections({ limit: 2, offset: 1 })).map(({ name }) => name)).toEqual([
      'two',
      'three',
    ])
    expect(await served.client.countCollections()).toBe(3)
    await served.client.deleteCollection({ name: 'two' })
    await expect(served.client.deleteCollection({ name: 'two' })).rejects.toThrow(ChromaNotFoundError)
    expect((await served.client.getOrCreateCollection({ name: 'one', embeddingFunction: null })).name).toBe(
      'one',
    )
    await expect(served.client.createCollection({ name: 'one', embeddingFunction: null })).rejects.toThrow(
      ChromaUniqueError,
    )
  })

  test('one dropped by another hand is not there any more', async () => {
    const collection = await filled('gone')
    await served.store.dropCollection('gone')
    await expect(collection.count()).rejects.toThrow(ChromaNotFoundError)
    expect(await served.client.listCollections()).toEqual([])
    expect(
      await (await served.client.createCollection({ name: 'gone', embeddingFunction: null })).count(),
    ).toBe(0)
  })
})

describe('records', () => {
  test('come back as they were given, in the order they came', async () => {
    const collection = await filled()
    const got = await collection.get({
      ids: ['c', 'a'],
      include: ['embeddings', 'documents', 'metadatas', 'uris'],
    })
    expect(got.ids).toEqual(['a', 'c'])
    expect(got.embeddings).toEqual([three.embeddings[0], three.embeddings[2]])
    expect(got.documents).toEqual(['Red apple', 'blue sky'])
    expect(got.metadatas).toEqual([three.metadatas[0], three.metadatas[2]])
    expect((await collection.peek({ limit: 2 })).ids).toEqual(['a', 'b'])
    expect((await collection.get({ limit: 1, offset: 2 })).ids).toEqual(['c'])
    await collection.delete({ ids: ['a'] })
    await collection.add({ ids: ['a'], embeddings: [[9, 9, 9]] })
    expect((await collection.get()).ids).toEqual(['b', 'c', 'a'])
    expect(await collection.count()).toBe(3)
  })

  test('vectors are printed as the floats they are, however they were sent', async () => {
    const collection = await filled()
    const vector = [0.1, -1 / 3, 1e-7]
    await collection.upsert({ ids: ['v'], embeddings: [vector] })
    await served.ask('POST', `/${collection.id}/upsert`, { ids: ['w'], embeddings: [vector] })
    const { body } = await served.ask('POST', `/${collection.id}/get`, {
      ids: ['v', 'w'],
      include: ['embeddings'],
    })
    expect(body.embeddings).toEqual([
      [0.1, -0.33333334, 1e-7],
      [0.1, -0.33333334, 1e-7],
    ])
  })

  test('integers, doubles and large integers keep their kind', async () => {
    const collection = await filled()
    const sent =
      '{"ids":["n"],"embeddings":[[1,2,3]],"metadatas":[{"i":1,"d":1.0,"e":1e16,"big":9007199254740993,"list":[1.0,2.5]}]}'
    await served.ask('POST', `/${collection.id}/upsert`, sent)
    const response = await fetch(
      `${served.url}/api/v2/tenants/default_tenant/databases/default_database/collections/${collection.id}/get`,
      {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"ids":["n"],"include":["metadatas"]}',
      },
    )
    const text = await response.text()
    expect(text).toContain('"big":9007199254740993')
    expect(text).toContain('"d":1.0')
    expect(text).toContain('"e":1e+16')
    expect(text).toContain('"i":1,')
    expect(text).toContain('"list":[1.0,2.5]')
    const found = async (where: string) =>
      (await served.ask('POST', `/${collection.id}/get`, `{"where":${where},"include":[]}`)).body.ids
    expect(await found('{"d":1}')).toEqual(['n'])
    expect(await found('{"big":9007199254740993}')).toEqual(['n'])
    expect(await found('{"big":9007199254740992}')).toEqual([])
    expect(await found('{"list":{"$contains":1.0}}')).toEqual(['n'])
    expect(await found('{"list":{"$contains":1}}')).toEqual([])
  })

  test('an upsert merges metadata, keeps the document it does not name, and its vector follows the last write', async () => {
    const collection = await filled()
    await collection.upsert({ ids: ['a'], embeddings: [[1, 1, 1]], metadatas: [{ more: true }] })
    await served.ask('POST', `/${collection.id}/update`, { ids: ['b'], documents: ['green PEAR'] })
    await served.ask('POST', `/${collection.id}/update`, { ids: ['b'], metadatas: [{ ripe: null }] })
    const got = await collection.get({ ids: ['a', 'b'], include: ['embeddings', 'documents', 'metadatas'] })
    expect(got.documents).toEqual(['Red apple', 'green PEAR'])
    expect(got.embeddings).toEqual([
      [1, 1, 1],
      [0, 1, 0],
    ])
    expect(got.metadatas).toEqual([
      { kind: 'fruit', more: true, n: 1 },
      { kind: 'fruit', n: 2.5 },
    ])
    // The changed document is found where its vector was.
    expect((await collection.query({ queryEmbeddings: [[0, 1, 0]], nResults: 1 })).documents).toEqual([
      ['green PEAR'],
    ])
  })

  test('an update of one that is not there leaves nothing behind for the one that is added later', async () => {
    const collection = await filled()
    await collection.update({ ids: ['late'], embeddings: [[9, 9, 9]], documents: ['never there'] })
    await collection.add({ ids: ['late'], embeddings: [[-1, -1, -1]] })
    await collection.get()
    await collection.add({ ids: ['after'], embeddings: [[5, 5, 5]] })
    const { embeddings, documents } = await collection.get({
      ids: ['late'],
      include: ['embeddings', 'documents'],
    })
    expect([embeddings, documents]).toEqual([[[-1, -1, -1]], [null]])
    const { ids, distances } = await collection.query({ queryEmbeddings: [[-1, -1, -1]], nResults: 1 })
    expect([ids, distances]).toEqual([[['late']], [[0]]])
  })

  test('one of another dimension is refused, and nothing of its batch is written', async () => {
    const collection = await filled()
    await expect(
      collection.add({
        ids: ['x', 'y'],
        embeddings: [
          [1, 2, 3],
          [1, 2],
        ],
      }),
    ).rejects.toThrow()
    expect(await collection.count()).toBe(3)
  })

  test('a record without a document is empty, and is found by its vector', async () => {
    const collection = await filled()
    await collection.add({ ids: ['bare'], embeddings: [[7, 7, 7]] })
    const own = await served.store.collection('things')
    const [hit] = (await own.search({ vector: [7, 7, 7], k: 1 })).hits
    expect(hit!.source).toBe('bare')
    expect(await own.fetch(hit!.key)).toMatchObject({ status: 'empty', detail: 'no-text' })
    expect((await collection.query({ queryEmbeddings: [[7, 7, 7]], nResults: 1 })).ids).toEqual([['bare']])
  })
})

describe('queries', () => {
  test.each([
    ['l2', [0, 2, 2.01]],
    ['cosine', [0, 1, 1]],
    ['ip', [0, 1, 1]],
  ] as const)('by %s say the distances Chroma says', async (space, expected) => {
    const collection = await filled(`by-${space}`, space)
    const { ids, distances } = await collection.query({ queryEmbeddings: [[1, 0, 0]], nResults: 5 })
    expect(ids).toEqual([['a', 'b', 'c']])
    expect(distances).toEqual([expected])
  })

  test('take conditions on metadata, on documents, and on ids', async () => {
    const collection = await filled()
    const found = async (args: object) =>
      (await collection.query({ queryEmbeddings: [[1, 0, 0]], ...args })).ids[0]!.sort()
    expect(await found({ where: { kind: 'fruit' } })).toEqual(['a', 'b'])
    expect(await found({ where: { n: { $ne: 1 } } })).toEqual(['b', 'c'])
    expect(await found({ where: { ripe: { $ne: true } } })).toEqual(['a', 'c'])
    expect(await found({ where: { $or: [{ n: { $gt: 2.6 } }, { kind: { $in: ['fruit'] } }] } })).toEqual([
      'a',
      'b',
      'c',
    ])
    expect(await found({ where: { tags: { $contains: 'wide' } } })).toEqual(['c'])
    expect(await found({ whereDocument: { $contains: 'apple' } })).toEqual(['a'])
    expect(await found({ whereDocument: { $contains: 'Apple' } })).toEqual([])
    expect(await found({ whereDocument: { $regex: '^(?i:GREEN)|sky$' } })).toEqual(['b', 'c'])
    expect(await found({ where: { kind: 'fruit' }, whereDocument: { $not_contains: 'pear' } })).toEqual(['a'])
    expect(await found({ ids: ['b', 'c'] })).toEqual(['b', 'c'])
    await expect(found({ where: { n: { $regex: 'x' } } })).rejects.toThrow()
  })

  test('see every write at once', async () => {
    const collection = await filled()
    for (let i = 0; i < 20; i++) {
      await collection.upsert({ ids: ['moving'], embeddings: [[i, i, i]], documents: [`at ${i}`] })
      const { documents } = await collection.query({ queryEmbeddings: [[i, i, i]], nResults: 1 })
      expect(documents).toEqual([[`at ${i}`]])
    }
  })

  test('a hostile pattern is answered like any other', async () => {
    const collection = await filled()
    await collection.upsert({ ids: ['long'], embeddings: [[1, 1, 1]], documents: [`${'a'.repeat(50_000)}!`] })
    const started = performance.now()
    expect((await collection.get({ whereDocument: { $regex: '(a+)+$' } })).ids).toEqual([])
    expect((await collection.get({ whereDocument: { $regex: '(a|a)*!$' } })).ids).toEqual(['long'])
    // Not a matter of speed: an engine that goes back and forth would not end.
    expect(performance.now() - started).toBeLessThan(10_000)
  })
})

describe('what a local Chroma cannot do', () => {
  test('a fork has the same records under new keys, and goes its own way', async () => {
    const collection = await filled()
    const fork = await collection.fork({ name: 'copy' })
    expect(await fork.get({ include: ['embeddings', 'documents', 'metadatas'] })).toEqual(
      await collection.get({ include: ['embeddings', 'documents', 'metadatas'] }),
    )
    await fork.delete({ ids: ['a'] })
    expect([await collection.count(), await fork.count()]).toEqual([3, 2])
    expect([await collection.forkCount(), await fork.forkCount()]).toEqual([1, 1])
    const keys = async (name: string) =>
      (await (await served.store.collection(name)).find()).map(({ key }) => key)
    expect(new Set([...(await keys('things')), ...(await keys('copy'))]).size).toBe(5)
    await expect(collection.fork({ name: 'copy' })).rejects.toThrow(ChromaUniqueError)
  })

  test('search ranks by expressions over neighbours', async () => {
    const collection = await filled()
    const byDistance = await collection.search(
      new Search()
        .rank(
          Knn({ query: [1, 0, 0], limit: 3 })
            .multiply(Val(2))
            .add(Val(1)),
        )
        .limit(2)
        .select(K.SCORE, K.DOCUMENT, 'n'),
    )
    expect(byDistance.ids).toEqual([['a', 'b']])
    expect(byDistance.scores).toEqual([[1, 5]])
    expect(byDistance.metadatas).toEqual([[{ n: 1 }, { n: 2.5 }]])
    const fused = await collection.search(
      new Search()
        .rank(
          Rrf({
            ranks: [Knn({ query: [1, 0, 0], returnRank: true }), Knn({ query: [0, 0, 1], returnRank: true })],
            weights: [1, 3],
            k: 10,
          }),
        )
        .select(K.SCORE),
    )
    expect(fused.ids[0]![0]).toBe('c')
    expect(fused.scores[0]![0]).toBeCloseTo(-(1 / 12 + 3 / 10), 6)
  })

  test('search filters, pages, selects, and leaves out what is no neighbour', async () => {
    const collection = await filled()
    const onlyNear = await collection.search(
      new Search().rank(Knn({ query: [1, 0, 0], limit: 1 })).selectAll(),
    )
    expect(onlyNear.ids).toEqual([['a']])
    expect(onlyNear.embeddings).toEqual([[[1, 0, 0]]])
    const withDefault = await collection.search(
      new Search().rank(
        Knn({ query: [1, 0, 0], limit: 1, default: 9 }).add(Knn({ query: [0, 1, 0], limit: 1, default: 9 })),
      ),
    )
    expect(withDefault.ids[0]!.sort()).toEqual(['a', 'b'])
    const filtered = await collection.search(
      new Search().where(
        K('kind')
          .eq('fruit')
          .and(K.ID.isIn(['b', 'c'])),
      ),
    )
    expect(filtered.ids).toEqual([['b']])
    const paged = await collection.search(new Search().rank(Knn({ query: [1, 0, 0] })).limit(1, 1))
    expect(paged.ids[0]).toHaveLength(1)
  })

  test('search groups: the best of each', async () => {
    const collection = await filled()
    await collection.update({ ids: ['c'], embeddings: [[0, 0.1, 1]], metadatas: [{ kind: 'air' }] })
    const { body } = await served.ask('POST', `/${collection.id}/search`, {
      searches: [
        {
          rank: { $knn: { query: [1, 0, 0], limit: 10 } },
          group_by: { keys: ['kind'], aggregate: { $min_k: { keys: ['#score'], k: 1 } } },
          select: { keys: ['kind'] },
        },
      ],
    })
    expect(body.ids).toEqual([['a', 'c']])
    expect(body.metadatas).toEqual([[{ kind: 'fruit' }, { kind: 'air' }]])
  })

  test('a conditional commit stands only on what it read', async () => {
    const collection = await filled()
    const read = async (ids: string[], token: number | null = null) =>
      await served.ask('POST', `/${collection.id}/conditional/get`, { ids, read_token: token, include: [] })
    const commit = async (token: number | null, ids: string[], operations: unknown[]) =>
      await served.ask('POST', `/${collection.id}/conditional/commit`, {
        read_token: token,
        read_ids: ids,
        operations,
      })
    const { read_token } = (await read(['a', 'new'])).body
    expect(typeof read_token).toBe('number')
    await collection.update({ ids: ['b'], embeddings: [[0, 2, 0]] })
    const add = { operation: 'add', payload: { ids: ['new'], embeddings: [[1, 2, 3]] } }
    const committed = await commit(
      read_token,
      ['a', 'new'],
      [add, { operation: 'delete', payload: { ids: ['c'] } }],
    )
    expect(committed.body).toMatchObject({ record_count: 2 })
    const again = await commit(read_token, ['a', 'new'], [add])
    expect([again.status, again.body.error]).toEqual([409, 'ConditionalWriteConflictError'])
    const stale = await read(['a', 'new'], read_token)
    expect([stale.status, stale.body.error]).toEqual([412, 'StaleReadError'])
    expect((await read(['a'], read_token)).status).toBe(200)
    expect((await collection.get()).ids).toEqual(['a', 'b', 'new'])
  })
})
