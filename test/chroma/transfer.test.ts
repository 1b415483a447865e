import { expect, test } from 'vitest'
import { openStore } from '../../src/index.ts'
import { RemoteChroma } from '../../src/wire/chroma/remote.ts'
import { exportChroma, importChroma } from '../../src/wire/chroma/transfer.ts'
import { serve } from './served.ts'

/** `serve` speaks Chroma's interface; the same transfer was run against a real one (see the differential test). */
async function withRecords(count: number) {
  const served = await serve()
  const { body } = await served.ask('POST', '', {
    name: 'papers',
    metadata: { owner: 'me' },
    configuration: { hnsw: { space: 'cosine', ef_search: 50 } },
  })
  const ids = Array.from({ length: count }, (_, i) => `p${i}`)
  const metadatas = ids.map((_, i) => (i % 3 === 0 ? 'null' : `{"n":${i}.0,"big":9007199254740993}`))
  await served.ask(
    'POST',
    `/${body.id}/add`,
    `{"ids":${JSON.stringify(ids)},"embeddings":${JSON.stringify(ids.map((_, i) => [i, 0.1]))},"documents":${JSON.stringify(
      ids.map((_, i) => (i % 5 === 0 ? null : `text ${i}`)),
    )},"metadatas":[${metadatas.join(',')}],"uris":${JSON.stringify(ids.map((_, i) => (i % 2 === 0 ? `u${i}` : null)))}}`,
  )
  const all = async (id: string = body.id) =>
    (await served.ask('POST', `/${id}/get`, { include: ['embeddings', 'documents', 'metadatas', 'uris'] }))
      .body
  return { served, all, id: body.id as string, [Symbol.asyncDispose]: () => served[Symbol.asyncDispose]() }
}

test('a collection is brought in and out again, and is what it was', async () => {
  await using origin = await withRecords(23)
  await using target = await serve()
  await using store = await openStore(':memory:')
  const progress: number[] = []
  const [done] = await importChroma(store, new RemoteChroma({ url: origin.served.url }), {
    batch: 10,
    onProgress: (_, at) => progress.push(at),
  })
  expect(done).toEqual({ collection: 'papers', records: 23, verified: 23, resumedAt: 0, refused: [] })
  expect(progress).toEqual([0, 10, 20, 23])
  const [out] = await exportChroma(store, new RemoteChroma({ url: target.url }), { batch: 7 })
  expect(out).toEqual({ collection: 'papers', records: 23, verified: 23, resumedAt: 0, refused: [] })
  const { body: arrived } = await target.ask('GET', '/papers')
  expect(arrived).toMatchObject({
    metadata: { owner: 'me' },
    configuration_json: { hnsw: { space: 'cosine', ef_search: 50 } },
  })
  const { body: records } = await target.ask('POST', `/${arrived.id}/get`, {
    include: ['embeddings', 'documents', 'metadatas', 'uris'],
  })
  expect(records).toEqual(await origin.all())
  const found = await target.ask(
    'POST',
    `/${arrived.id}/get`,
    '{"where":{"big":9007199254740993},"include":[]}',
  )
  expect(found.body.ids).toHaveLength(15)
})

test('cut short, it goes on where it was; repeated, it brings what changed and keeps the keys of what did not', async () => {
  await using origin = await withRecords(20)
  await using store = await openStore(':memory:')
  const remote = new RemoteChroma({ url: origin.served.url })
  const controller = new AbortController()
  await importChroma(store, remote, {
    batch: 5,
    signal: controller.signal,
    onProgress: (_, at) => at === 10 && controller.abort(),
  })
  const collection = await store.collection('papers')
  expect(await collection.count()).toBe(10)
  expect(await importChroma(store, remote, { batch: 5 })).toMatchObject([{ resumedAt: 10, verified: 20 }])
  const keys = async () => new Map((await collection.find()).map(({ source, key }) => [source, key]))
  const before = await keys()
  await origin.served.ask('POST', `/${origin.id}/update`, { ids: ['p7'], documents: ['changed'] })
  expect(await importChroma(store, remote)).toMatchObject([{ resumedAt: 0, records: 20, verified: 20 }])
  const after = await keys()
  expect([...after].filter(([source, key]) => before.get(source) !== key).map(([source]) => source)).toEqual([
    'p7',
  ])
})

test('a collection made without Chroma goes out, too; a record without a vector is refused by name', async () => {
  await using target = await serve()
  await using store = await openStore(':memory:')
  const own = await store.collection('own', { metric: 'l2' })
  await own.put({ source: 'doc', text: 'hello', vector: [1, 2] })
  const remote = new RemoteChroma({ url: target.url })
  expect(await exportChroma(store, remote, { collections: ['own'] })).toMatchObject([{ verified: 1 }])
  await own.put({ source: 'bare', text: 'no vector' })
  await expect(exportChroma(store, remote, { collections: ['own'] })).rejects.toThrow(
    '"bare" of own has no vector',
  )
  await expect(exportChroma(store, remote, { collections: ['nope'] })).rejects.toThrow(
    'there is no collection "nope"',
  )
})
