import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import { openaiEmbedder } from '../../src/embed/index.ts'
import { listOf, serve, stopServers, vectorOf } from './server.ts'
import { embedder, FAILED, letters, numbers } from './tiny.ts'

afterEach(stopServers)

describe('a request', () => {
  test('says what OpenAI expects, and nothing else', async () => {
    const server = await serve()
    expect(numbers(await embedder(server.baseUrl).embedDocuments(['one', 'two']))).toEqual([
      vectorOf('one'),
      vectorOf('two'),
    ])
    expect(server.asked).toMatchObject([
      { path: '/v1/embeddings', body: { model: 'tiny', input: ['one', 'two'] } },
    ])
    expect(Object.keys(server.asked[0]!.body)).toEqual(['model', 'input'])
    expect(server.asked[0]!.headers.authorization).toBeUndefined()
  })

  test('carries the key, the headers and the wished dimensions', async () => {
    const server = await serve()
    const one = embedder(`${server.baseUrl}/`, { apiKey: 'sk-1', headers: { 'x-team': 'a' }, dimensions: 3 })
    await one.embedQuery('one')
    expect(server.asked[0]).toMatchObject({
      path: '/v1/embeddings',
      headers: { authorization: 'Bearer sk-1', 'x-team': 'a' },
      body: { dimensions: 3 },
    })
  })

  test('puts the prefixes of documents and queries in front', async () => {
    const server = await serve()
    const one = embedder(server.baseUrl, { prefix: { document: 'd: ', query: 'q: ' } })
    await one.embedDocuments(['x'])
    await one.embedQuery('x')
    expect(server.asked.map(({ body }) => body.input)).toEqual([['d: x'], ['q: x']])
    expect(one.id).toBe('openai-compatible/tiny?document=d%3A+&query=q%3A+')
  })

  test('is not made for no texts', async () => {
    const server = await serve()
    expect(await embedder(server.baseUrl).embedDocuments([])).toEqual([])
    expect(server.asked).toEqual([])
  })
})

describe('identity', () => {
  test('is the model and what changes its vectors, not the machine', () => {
    const options = { model: 'nomic-embed-text:v1.5', apiKey: 'sk-1', baseUrl: 'http://10.0.0.7:11434/v1' }
    expect(openaiEmbedder(options).id).toBe('openai-compatible/nomic-embed-text:v1.5')
    expect(openaiEmbedder({ ...options, dimensions: 256 })).toMatchObject({
      id: 'openai-compatible/nomic-embed-text:v1.5?dimensions=256',
      dimensions: 256,
    })
  })

  test('dimensions are those of the first answer, where none were asked for', async () => {
    const server = await serve()
    const one = embedder(server.baseUrl)
    expect(one.dimensions).toBe(0)
    await one.embedQuery('one')
    expect(one.dimensions).toBe(3)
  })

  test('a model that changes its dimensions is another model', async () => {
    const server = await serve((_, before) => ({
      body: { data: [{ index: 0, embedding: [1, 2, 3, 4].slice(before) }] },
    }))
    const one = embedder(server.baseUrl)
    await one.embedQuery('one')
    await expect(one.embedQuery('one')).rejects.toMatchObject({ ...FAILED, message: /3 numbers where 4/ })
  })

  test.each([
    [{ baseUrl: 'localhost:11434' }, 'baseUrl'],
    [{ baseUrl: 'file:///v1' }, 'baseUrl'],
    [{ baseUrl: 'http://user:pass@host/v1' }, 'baseUrl'],
    [{ model: ' ' }, 'model'],
    [{ dimensions: 0 }, 'dimensions'],
    [{ batch: { texts: 0 } }, 'batch.texts'],
    [{ retries: -1 }, 'retries'],
    [{ timeout: Number.NaN }, 'timeout'],
    // What JSON has no words for.
    [{ dimensions: 3n }, 'dimensions'],
  ])('%o is refused', (wrong, path) => {
    const make = () => openaiEmbedder({ baseUrl: 'http://127.0.0.1/v1', model: 'tiny', ...(wrong as object) })
    expect(make).toThrow(
      expect.objectContaining({ code: 'INVALID_ARGUMENT', detail: expect.objectContaining({ path }) }),
    )
    expect(make).not.toThrow(/pass/)
  })
})

describe('batches', () => {
  test('hold so many texts and so many characters', async () => {
    const server = await serve()
    const texts = ['aa', 'bb', 'cc', 'dd', 'a'.repeat(50), 'ee']
    const one = embedder(server.baseUrl, { batch: { texts: 3, characters: 10 }, concurrency: 1 })
    expect(numbers(await one.embedDocuments(texts))).toEqual(texts.map(vectorOf))
    expect(server.asked.map(({ body }) => body.input.length)).toEqual([3, 1, 1, 1])
  })

  test('are answered in any order, and given back in the order of the texts', async () => {
    const server = await serve(async ({ body }, before) => {
      await sleep(before % 2 === 0 ? 60 : 5)
      const { data } = listOf(body.input)
      return { body: { data: data.reverse() } }
    })
    const texts = letters(100)
    const one = embedder(server.baseUrl, { batch: { texts: 7 }, concurrency: 3 })
    expect(numbers(await one.embedDocuments(texts))).toEqual(texts.map(vectorOf))
    expect(server.asked).toHaveLength(15)
    expect(server.busiest()).toBe(3)
  })

  test('of several callers share the limit, and queries pass them', async () => {
    let release = () => {}
    const gate = new Promise<void>((resolve) => {
      release = resolve
    })
    const server = await serve(async ({ body }) => {
      if (body.input[0] !== 'query') await gate
      return { body: listOf(body.input) }
    })
    const one = embedder(server.baseUrl, { batch: { texts: 1 }, concurrency: 2 })
    const callers = [one.embedDocuments(letters(5)), one.embedDocuments(letters(5))]
    expect([...(await one.embedQuery('query'))]).toEqual(vectorOf('query'))
    release()
    await Promise.all(callers)
    // Two for documents, one for the query.
    expect(server.busiest()).toBeLessThanOrEqual(3)
  })

  test('stop when one fails', async () => {
    const server = await serve(({ body }) =>
      body.input[0] === 'a0'
        ? { status: 400, body: { error: { message: 'no' } } }
        : { body: listOf(body.input) },
    )
    const one = embedder(server.baseUrl, { batch: { texts: 1 }, concurrency: 1 })
    await expect(one.embedDocuments(letters(20))).rejects.toMatchObject(FAILED)
    await sleep(50)
    expect(server.asked).toHaveLength(1)
  })
})
