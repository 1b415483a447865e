import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import { type OpenAiOptions, openaiEmbedder } from '../../src/embed/index.ts'
import { type Answer, listOf, serve, stopServers, vectorOf } from './server.ts'

afterEach(stopServers)

const embedder = (baseUrl: string, options: Partial<OpenAiOptions> = {}) =>
  openaiEmbedder({ baseUrl, model: 'tiny', ...options })

const numbers = (vectors: readonly Float32Array[]) => vectors.map((vector) => [...vector])

const letters = (count: number) =>
  Array.from({ length: count }, (_, i) => `${String.fromCharCode(97 + (i % 26))}${i}`)

/** What a server answers to one text, given as the whole body. */
const answering = async (answer: Answer, options: Partial<OpenAiOptions> = {}) => {
  const server = await serve(() => answer)
  const result = embedder(server.baseUrl, { retries: 0, ...options }).embedDocuments(['one'])
  return { server, result }
}

const FAILED = { code: 'EMBEDDER_FAILED', detail: { embedder: 'openai-compatible/tiny' } }

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
  ])('%j is refused', (wrong, path) => {
    const make = () => openaiEmbedder({ baseUrl: 'http://127.0.0.1/v1', model: 'tiny', ...wrong })
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

describe('trying again', () => {
  test('after 429 waits as long as Retry-After asks', async () => {
    const server = await serve(({ body }, before) =>
      before === 0
        ? { status: 429, headers: { 'retry-after': '1' }, body: '' }
        : { body: listOf(body.input) },
    )
    const begun = performance.now()
    await embedder(server.baseUrl).embedDocuments(['one'])
    expect(performance.now() - begun).toBeGreaterThan(990)
    expect(server.asked).toHaveLength(2)
  })

  test.each<[string, Answer]>([
    ['500', { status: 500, body: 'oops' }],
    ['503', { status: 503, headers: { 'retry-after-ms': '20' }, body: '' }],
    ['a connection that breaks', 'hang up'],
  ])('helps after %s', async (_, trouble) => {
    const server = await serve(({ body }, before) => (before === 0 ? trouble : { body: listOf(body.input) }))
    expect(numbers(await embedder(server.baseUrl).embedDocuments(['one']))).toEqual([vectorOf('one')])
    expect(server.asked).toHaveLength(2)
  })

  test('ends after so many times', async () => {
    const server = await serve(() => ({ status: 503, headers: { 'retry-after-ms': '1' }, body: 'too busy' }))
    await expect(embedder(server.baseUrl, { retries: 2 }).embedDocuments(['one'])).rejects.toMatchObject({
      ...FAILED,
      message: /503 \(too busy\)/,
    })
    expect(server.asked).toHaveLength(3)
  })

  test.each<[string, Answer]>([
    ['who wants an hour', { status: 429, headers: { 'retry-after': '3600' }, body: '' }],
    [
      'whose account is empty',
      { status: 429, body: { error: { message: 'pay', code: 'insufficient_quota' } } },
    ],
  ])('is no use with one %s', async (_, answer) => {
    const { server, result } = await answering(answer, { retries: 5 })
    await expect(result).rejects.toMatchObject({ ...FAILED, message: /429.*quota/ })
    expect(server.asked).toHaveLength(1)
  })

  test.each([
    [400, 'longer than the model takes'],
    [401, 'check `apiKey`'],
    [404, 'check the base URL'],
    [301, 'change the base URL'],
  ])('is no use after %i, which says: %s', async (status, advice) => {
    const { server, result } = await answering(
      { status, headers: { location: '/elsewhere' }, body: { error: { message: 'bad key sk-123 here' } } },
      { retries: 5, apiKey: 'sk-123' },
    )
    const error = await result.catch((e: Error) => e)
    expect(error).toMatchObject(FAILED)
    expect((error as Error).message).toContain(advice)
    expect((error as Error).message).toContain(`status ${status} (bad key [key] here)`)
    expect(server.asked).toHaveLength(1)
  })

  test('a server that is not there is named, with its reason', async () => {
    const server = await serve()
    await stopServers()
    await expect(embedder(server.baseUrl, { retries: 0 }).embedQuery('one')).rejects.toMatchObject({
      ...FAILED,
      message: /cannot be reached \(ECONNREFUSED\)/,
    })
  })
})

describe('an answer', () => {
  const data = (...items: unknown[]): Answer => ({ body: { data: items } })
  const vector = Float32Array.of(0.1, -2.5, 3e-20)

  test('may be base64', async () => {
    const base64 = Buffer.from(vector.buffer).toString('base64')
    const { server, result } = await answering(data({ index: 0, embedding: base64 }), { encoding: 'base64' })
    expect(await result).toEqual([vector])
    expect(server.asked[0]!.body.encoding_format).toBe('base64')
  })

  test('of numbers becomes the nearest float32', async () => {
    const { result } = await answering(data({ index: 0, embedding: [0.1, -2.5, 3e-20] }))
    expect(await result).toEqual([vector])
  })

  test('without indexes is in the order of the texts', async () => {
    const server = await serve(({ body }) => ({
      body: { data: body.input.map((t) => ({ embedding: vectorOf(t) })) },
    }))
    expect(numbers(await embedder(server.baseUrl).embedDocuments(['one', 'three']))).toEqual([
      vectorOf('one'),
      vectorOf('three'),
    ])
  })

  test.each<[string, Answer, RegExp]>([
    ['no JSON', { body: '<html>hello</html>' }, /no JSON \(<html>hello<\/html>\).*\/v1/],
    ['half a JSON', { body: '{"data":[{"embedding":[1,2' }, /no JSON/],
    ['JSON without data', { body: { vectors: [] } }, /without a list/],
    ['null', { body: 'null' }, /without a list/],
    ['too few', data(), /0 vectors for 1 texts/],
    ['too many', data({ index: 0, embedding: [1] }, { index: 1, embedding: [1] }), /2 vectors for 1 texts/],
    ['a wrong index', data({ index: 1, embedding: [1] }), /index 1/],
    ['an empty vector', data({ index: 0, embedding: [] }), /empty/],
    ['no vector', data({ index: 0 }), /not a vector/],
    ['null for a number', data({ index: 0, embedding: [1, null] }), /number 1 is null/],
    ['text for a number', data({ index: 0, embedding: ['1'] }), /number 0 is "1"/],
    ['beyond float32', data({ index: 0, embedding: [1e39] }), /number 0 is 1e\+39/],
    [
      'NaN in base64',
      data({ index: 0, embedding: Buffer.from(Float32Array.of(1, Number.NaN).buffer).toString('base64') }),
      /number 1 is NaN/,
    ],
    ['half a float in base64', data({ index: 0, embedding: 'AAAA' }), /3 bytes/],
  ])('with %s is refused at once', async (_, answer, message) => {
    const { server, result } = await answering(answer, { retries: 5 })
    await expect(result).rejects.toMatchObject({ ...FAILED, message })
    expect(server.asked).toHaveLength(1)
  })

  test('with an index twice is refused', async () => {
    const server = await serve(() => data({ index: 0, embedding: [1] }, { index: 0, embedding: [2] }))
    await expect(embedder(server.baseUrl).embedDocuments(['a', 'b'])).rejects.toMatchObject({
      message: /two vectors/,
    })
  })

  test('of other dimensions than were asked for is refused', async () => {
    const { result } = await answering(data({ index: 0, embedding: [1, 2, 3] }), { dimensions: 2 })
    await expect(result).rejects.toMatchObject({ code: 'EMBEDDER_FAILED', message: /3 numbers where 2/ })
  })
})

describe('patience', () => {
  test('ends with the timeout, and the request with it', async () => {
    const server = await serve((_, before) => (before === 0 ? 'silence' : { status: 400, body: 'enough' }))
    const one = embedder(server.baseUrl, { timeout: 100, retries: 0 })
    await expect(one.embedDocuments(['one'])).rejects.toMatchObject({ ...FAILED, message: /within 100 ms/ })
    await expect.poll(server.abandoned).toBe(1)
  })

  test('a late answer may be there the next time', async () => {
    const server = await serve(({ body }, before) =>
      before === 0 ? 'silence' : { body: listOf(body.input) },
    )
    expect(await embedder(server.baseUrl, { timeout: 200 }).embedDocuments(['one'])).toHaveLength(1)
  })

  test('a signal stops every request under way, and starts no other', async () => {
    const server = await serve(() => 'silence')
    const one = embedder(server.baseUrl, { batch: { texts: 1 }, concurrency: 2 })
    const control = new AbortController()
    const result = one.embedDocuments(letters(30), control.signal)
    result.catch(() => {})
    await expect.poll(() => server.asked.length).toBe(2)
    control.abort(new Error('enough'))
    await expect(result).rejects.toMatchObject({ code: 'ABORTED', cause: { message: 'enough' } })
    await expect.poll(server.abandoned).toBe(2)
    expect(server.asked).toHaveLength(2)
  })

  test('a signal ends the wait before the next attempt', async () => {
    const server = await serve(() => ({ status: 429, headers: { 'retry-after': '30' }, body: '' }))
    const control = new AbortController()
    const result = embedder(server.baseUrl).embedQuery('one', control.signal)
    result.catch(() => {})
    await expect.poll(() => server.asked.length).toBe(1)
    control.abort()
    await expect(result).rejects.toMatchObject({ code: 'ABORTED' })
  })

  test('a signal that has fired asks nothing', async () => {
    const server = await serve()
    await expect(embedder(server.baseUrl).embedDocuments(['a'], AbortSignal.abort())).rejects.toMatchObject({
      code: 'ABORTED',
    })
    await expect(embedder(server.baseUrl).embedQuery('a', AbortSignal.abort())).rejects.toMatchObject({
      code: 'ABORTED',
    })
    expect(server.asked).toEqual([])
  })
})
