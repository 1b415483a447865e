import { createRequire } from 'node:module'
import { Schema, VectorIndexConfig } from 'chromadb'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  ChromaClient,
  ChromaError,
  ChromaNotFoundError,
  ChromaUniqueError,
  ChromaValueError,
  type EmbeddingFunction,
  type Space,
} from '../../src/adapters/chroma.ts'
import { openStore, type Store } from '../../src/index.ts'

let store: Store
let client: ChromaClient

beforeEach(async () => {
  store = await openStore(':memory:')
  client = new ChromaClient({ store })
})
afterEach(async () => await store.close())

/** Letters counted: texts with the same letters are near. */
const letters: EmbeddingFunction = {
  generate: async (texts) => texts.map((text) => [...'aeiou'].map((letter) => 1 + text.split(letter).length)),
}

test('a program that used a server goes on without one', async () => {
  const collection = await client.getOrCreateCollection({
    name: 'notes',
    embeddingFunction: letters,
    metadata: { a: 1 },
  })
  await collection.add({
    ids: ['1', '2'],
    documents: ['banana', 'plum'],
    metadatas: [{ n: 1, x: null }, { n: 2 }],
  })
  await collection.upsert({ ids: ['2', '3'], documents: ['plums', 'kiwi'], metadatas: [{ m: true }, null] })
  await collection.update({ ids: ['3'], metadatas: [{ n: 3 }] })
  expect(await collection.count()).toBe(3)
  const got = await collection.get({ where: { n: { $gte: 2 } } })
  expect(got.rows().map(({ id, document, metadata }) => [id, document, metadata])).toEqual([
    ['2', 'plums', { m: true, n: 2 }],
    ['3', 'kiwi', { n: 3 }],
  ])
  const near = await collection.query({
    queryTexts: ['banana'],
    nResults: 2,
    include: ['distances', 'documents'],
  })
  expect(near.rows()[0]![0]).toMatchObject({ id: '1', document: 'banana', distance: 0 })
  expect((await collection.peek({ limit: 1 })).ids).toEqual(['1'])
  await collection.modify({ name: 'renamed', metadata: { b: 2 } })
  expect([collection.name, collection.metadata]).toEqual(['renamed', { b: 2 }])
  expect((await client.listCollections()).map(({ name }) => name)).toEqual(['renamed'])
  expect((await (await collection.fork({ name: 'forked' })).get()).ids).toEqual(['1', '2', '3'])
  expect(await collection.forkCount()).toBe(1)
  const ranked = await collection.search({
    rank: { $knn: { query: [4, 1, 1, 1, 1] } },
    select: { keys: ['#score'] },
  })
  expect(ranked.ids[0]).toHaveLength(3)
  await client.deleteCollection({ name: 'renamed' })
  await expect(client.getCollection({ name: 'renamed' })).rejects.toMatchObject({
    name: 'ChromaNotFoundError',
  })
  await client.reset()
  expect(await client.countCollections()).toBe(0)
})

test('what was passed over is told', async () => {
  const collection = await client.createCollection({ name: 'notes' })
  await collection.add({ ids: ['a', 'b'], embeddings: [[1], [2]] })
  expect((await collection.add({ ids: ['a'], embeddings: [[3]] })).missing?.exists).toEqual(['a'])
  expect(await collection.delete({ ids: ['b', 'c'] })).toMatchObject({
    deleted: 2,
    spanstore: { deleted: 1 },
  })
  const { missing } = (await collection.get({ ids: ['a', 'b', 'c'] })).spanstore
  expect([missing?.absent, missing?.tombstone.map(({ id }) => id)]).toEqual([['c'], ['b']])
})

test('null takes a member of the metadata away, which the client of a server cannot', async () => {
  const collection = await client.createCollection({ name: 'notes' })
  await collection.add({ ids: ['a'], embeddings: [new Float32Array([1])], metadatas: [{ x: 1, y: 2 }] })
  await collection.update({ ids: ['a'], metadatas: [{ x: null }] })
  expect((await collection.get()).metadatas).toEqual([{ y: 2 }])
})

test('without vectors and without anything to make them, a write is refused', async () => {
  const collection = await client.createCollection({ name: 'notes' })
  await expect(collection.add({ ids: ['a'], documents: ['x'] })).rejects.toMatchObject({
    name: 'ChromaValueError',
    message: expect.stringContaining('"notes"'),
  })
  await expect(collection.query({})).rejects.toMatchObject({ name: 'ChromaValueError' })
  expect(await collection.count()).toBe(0)
  expect(() => new ChromaClient({})).toThrow('give either store or path')
})

/** Tells what another client needs to make it again. */
class Told implements EmbeddingFunction {
  readonly name = 'told'
  readonly #space: Space
  constructor(space: Space) {
    this.#space = space
  }
  static buildFromConfig({ space }: { space: Space }) {
    return new Told(space)
  }
  getConfig() {
    return { space: this.#space }
  }
  async generate(texts: string[]) {
    return await letters.generate(texts)
  }
  defaultSpace() {
    return this.#space
  }
  supportedSpaces() {
    return [this.#space]
  }
}

test('a new collection names its embedding function, the default one where none is given', async () => {
  const named = async (args: object) =>
    (await client.createCollection({ name: `notes${await client.countCollections()}`, ...args }))
      .configuration.embedding_function
  expect(await named({ embeddingFunction: new Told('ip') })).toEqual({
    type: 'known',
    name: 'told',
    config: { space: 'ip' },
  })
  expect(await named({ configuration: { embeddingFunction: new Told('l2') } })).toMatchObject({
    name: 'told',
  })
  expect(await named({ embeddingFunction: letters })).toEqual({ type: 'legacy' })
  expect(await named({})).toEqual({ type: 'known', name: 'default', config: {} })
  expect(await named({ embeddingFunction: null })).toBeNull()
  await expect(
    named({ embeddingFunction: letters, configuration: { embeddingFunction: letters } }),
  ).rejects.toThrow(ChromaValueError)
  expect(await client.countCollections()).toBe(5)
})

test('an embedder of the client is not passed off as the default embedding function', async () => {
  const embedder = {
    id: 'letters',
    dimensions: 5,
    embedDocuments: async (texts: readonly string[]) =>
      (await letters.generate([...texts])).map((vector) => Float32Array.from(vector)),
    embedQuery: async (text: string) => Float32Array.from((await letters.generate([text]))[0]!),
  }
  const collection = await new ChromaClient({ store, embedder }).createCollection({ name: 'notes' })
  expect(collection.configuration.embedding_function).toEqual({ type: 'legacy' })
  await collection.add({ ids: ['a'], documents: ['banana'] })
  expect((await collection.query({ queryTexts: ['banana'] })).ids).toEqual([['a']])
})

test("the embedding function's own space holds where none is asked for", async () => {
  const embeddingFunction = new Told('cosine')
  const space = async (name: string, args: object) => {
    const { configuration } = await client.createCollection({ name, embeddingFunction, ...args })
    return (configuration.hnsw as { space: string }).space
  }
  expect(await space('none', {})).toBe('cosine')
  expect(await space('others', { configuration: { hnsw: { ef_search: 50 } } })).toBe('cosine')
  const warned: string[] = []
  const listen = ({ message }: Error) => void warned.push(message)
  process.on('warning', listen)
  expect(await space('asked', { configuration: { hnsw: { space: 'ip' } } })).toBe('ip')
  expect(await space('before', { metadata: { 'hnsw:space': 'l2' } })).toBe('l2')
  await new Promise(setImmediate) // warnings are told at the next tick
  process.off('warning', listen)
  expect(warned).toEqual([
    "Space 'ip' is not supported by embedding function 'told'. Supported spaces: cosine",
    "Space 'l2' is not supported by embedding function 'told'. Supported spaces: cosine",
  ])
})

test("a Schema of Chroma's client says itself which embedding function it has", async () => {
  const schema = new Schema().createIndex(new VectorIndexConfig({ embeddingFunction: new Told('ip') }))
  const collection = await client.createCollection({ name: 'notes', schema })
  expect(collection.configuration).toMatchObject({
    embedding_function: { type: 'known', name: 'told' },
  })
  await collection.add({ ids: ['a'], documents: ['banana'] })
  expect((await collection.query({ queryTexts: ['banana'] })).ids).toEqual([['a']])
  const serialized = await client.createCollection({ name: 'other', schema: schema.serializeToJSON() })
  expect(serialized.configuration).toMatchObject({ embedding_function: { name: 'told' } })
})

test("refusals are classes with the names of Chroma's", async () => {
  const collection = await client.createCollection({ name: 'notes' })
  const again = client.createCollection({ name: 'notes' })
  await expect(again).rejects.toThrow(ChromaUniqueError)
  await expect(again).rejects.toMatchObject({ name: 'ChromaUniqueError', status: 409 })
  await client.deleteCollection({ name: 'notes' })
  const late = collection.update({ ids: ['a'], embeddings: [[1]] })
  await expect(late).rejects.toThrow(ChromaNotFoundError)
  await expect(late).rejects.toThrow(ChromaError)
  await expect(late).rejects.toMatchObject({ name: 'ChromaNotFoundError', status: 404 })
})

test('an empty vector is refused by its index, and nothing is written', async () => {
  const collection = await client.createCollection({ name: 'notes' })
  const message =
    'Expected each embedding to be a non-empty array of numbers, but got an empty array at index 1'
  await expect(collection.add({ ids: ['a', 'b'], embeddings: [[1], []] })).rejects.toMatchObject({
    name: 'ChromaValueError',
    message,
  })
  await expect(collection.query({ queryEmbeddings: [[1], []] })).rejects.toThrow(message)
  expect(await collection.count()).toBe(0)
})

test('what is set on a collection changes that object alone, until modify', async () => {
  const collection = await client.createCollection({ name: 'notes', metadata: { a: 1 } })
  collection.metadata = { a: 2 }
  expect(collection.metadata).toEqual({ a: 2 })
  expect((await client.getCollection({ name: 'notes' })).metadata).toEqual({ a: 1 })
  await collection.modify({ metadata: { a: 2 }, configuration: { embeddingFunction: new Told('l2') } })
  const read = await client.getCollection({ name: 'notes' })
  expect(read.metadata).toEqual({ a: 2 })
  expect(read.configuration.embedding_function).toMatchObject({ name: 'told' })
  await collection.add({ ids: ['a'], documents: ['banana'] })
  expect(await read.count()).toBe(1)
})

test('a collection by its id alone takes vectors, and says where texts can go', async () => {
  const { id } = await client.createCollection({ name: 'notes', embeddingFunction: letters })
  const byId = client.collection(id)
  await byId.add({ ids: ['a', 'b'], embeddings: [[1], [2]] })
  expect([
    byId.id,
    await byId.count(),
    (await byId.query({ queryEmbeddings: [[2]], nResults: 1 })).ids,
  ]).toEqual([id, 2, [['b']]])
  const refused = [
    byId.add({ ids: ['c'], documents: ['x'] }),
    byId.query({ queryTexts: ['x'] }),
    byId.search({ rank: { $knn: { query: 'x' } } }),
    byId.modify({ name: 'other' }),
    byId.fork({ name: 'other' }),
  ]
  for (const one of await Promise.allSettled(refused))
    expect(one).toMatchObject({
      reason: { name: 'ChromaValueError', message: expect.stringContaining('client.getCollection()') },
    })
  expect((await client.listCollections()).map(({ name }) => name)).toEqual(['notes'])
  await expect(client.collection('00000000-0000-4000-8000-000000000000').count()).rejects.toThrow(
    ChromaNotFoundError,
  )
})

test('a search by text is embedded as a query is', async () => {
  const collection = await client.createCollection({ name: 'notes', embeddingFunction: letters })
  await collection.add({ ids: ['a', 'b'], documents: ['banana', 'plum'] })
  const found = await collection.search({ rank: { $sum: [{ $knn: { query: 'plum' } }, { $val: 1 }] } })
  expect(found.ids).toEqual([['b', 'a']])
})

/**
 * Packages that take a Chroma client in place of an address. `npm run test:consumers` installs them beside the project
 * and runs these tests; without CHROMA_CONSUMERS, which names where they are, they are listed as skipped.
 */
describe.skipIf(process.env.CHROMA_CONSUMERS === undefined)(
  'stores of frameworks over a store in this process',
  () => {
    const load = async (name: string) => {
      const require = createRequire(`${process.env.CHROMA_CONSUMERS}/package.json`)
      return (await import(require.resolve(name))) as Record<string, never>
    }

    test('LangChain adds, searches, filters and deletes', async () => {
      const { Chroma } = (await load('@langchain/community/vectorstores/chroma')) as never as {
        Chroma: new (embeddings: unknown, args: object) => LangChainStore
      }
      const embeddings = {
        embedDocuments: (texts: string[]) => letters.generate(texts),
        embedQuery: async (text: string) => (await letters.generate([text]))[0],
      }
      const chroma = new Chroma(embeddings, {
        index: client,
        collectionName: 'documents',
        collectionMetadata: { 'hnsw:space': 'cosine' },
      })
      const ids = await chroma.addDocuments([
        { pageContent: 'banana', metadata: { kind: 'fruit', loc: { lines: { from: 1, to: 2 } } } },
        { pageContent: 'iii', metadata: { kind: 'letters' } },
      ])
      const [nearest] = await chroma.similaritySearchWithScore('banana', 1)
      expect(nearest![0]).toMatchObject({
        pageContent: 'banana',
        metadata: { kind: 'fruit', loc: { lines: { from: 1, to: 2 } } },
      })
      expect(nearest![1]).toBeCloseTo(0, 6)
      expect(await chroma.similaritySearch('banana', 5, { kind: 'letters' })).toMatchObject([
        { pageContent: 'iii' },
      ])
      await chroma.delete({ ids: [ids[0]!] })
      await chroma.delete({ filter: { kind: 'letters' } })
      expect(await chroma.similaritySearch('banana', 5)).toEqual([])
    })

    test('mem0 inserts, searches, lists, updates and deletes', async () => {
      const { VectorStoreFactory } = (await load('mem0ai/oss')) as never as {
        VectorStoreFactory: { create(provider: string, config: object): Mem0Store }
      }
      const mem0 = VectorStoreFactory.create('chroma', { collectionName: 'memories', client })
      await mem0.initialize()
      await mem0.insert(
        [
          [1, 0],
          [0, 1],
        ],
        ['m1', 'm2'],
        [
          { data: 'likes tea', userId: 'u1' },
          { data: 'likes rain', userId: 'u2' },
        ],
      )
      expect((await mem0.search([1, 0], 1)).map(({ id }) => id)).toEqual(['m1'])
      expect((await mem0.search([1, 0], 5, { userId: 'u2' })).map(({ id }) => id)).toEqual(['m2'])
      await mem0.update('m1', [0.5, 0.5], { data: 'likes coffee', userId: 'u1' })
      expect((await mem0.get('m1'))?.payload).toMatchObject({ data: 'likes coffee' })
      expect((await mem0.list({ userId: 'u1' }))[0]).toHaveLength(1)
      await mem0.delete('m1')
      expect(await mem0.get('m1')).toBeNull()
      await mem0.setUserId('someone')
      expect(await mem0.getUserId()).toBe('someone')
      await mem0.deleteCol()
    })
  },
)

interface LangChainStore {
  addDocuments(documents: object[]): Promise<string[]>
  similaritySearch(text: string, k: number, filter?: object): Promise<object[]>
  similaritySearchWithScore(text: string, k: number): Promise<[object, number][]>
  delete(what: object): Promise<void>
}

interface Mem0Store {
  initialize(): Promise<void>
  insert(vectors: number[][], ids: string[], payloads: object[]): Promise<void>
  search(vector: number[], k: number, filters?: object): Promise<{ id: string }[]>
  get(id: string): Promise<{ payload: object } | null>
  list(filters?: object): Promise<[object[], number]>
  update(id: string, vector: number[], payload: object): Promise<void>
  delete(id: string): Promise<void>
  deleteCol(): Promise<void>
  getUserId(): Promise<string>
  setUserId(id: string): Promise<void>
}
