import { afterEach, describe, expect, test } from 'vitest'
import type { OpenAiOptions } from '../../src/embed/index.ts'
import { type Answer, listOf, serve, stopServers, vectorOf } from './server.ts'
import { embedder, FAILED, letters, numbers } from './tiny.ts'

afterEach(stopServers)

/** What a server answers to one text, given as the whole body. */
const answering = async (answer: Answer, options: Partial<OpenAiOptions> = {}) => {
  const server = await serve(() => answer)
  const result = embedder(server.baseUrl, { retries: 0, ...options }).embedDocuments(['one'])
  return { server, result }
}

describe('trying again', () => {
  test('of a query happens twice at most: somebody waits for it', async () => {
    const server = await serve(() => ({ status: 503, headers: { 'retry-after-ms': '1' }, body: '' }))
    await expect(embedder(server.baseUrl).embedQuery('one')).rejects.toMatchObject(FAILED)
    expect(server.asked).toHaveLength(3)
  })

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
