import { describe, expect, test } from 'vitest'
import { type AiSdkEmbeddingModel, fromAiSdk, fromChroma, fromLangChain } from '../../src/embed/index.ts'
import { vectorOf } from './server.ts'

const numbers = (vectors: readonly Float32Array[]) => vectors.map((vector) => [...vector])

describe('LangChain embeddings', () => {
  const embeddings = {
    embedDocuments: async (texts: string[]) => texts.map(vectorOf),
    embedQuery: async (text: string) => vectorOf(`?${text}`),
  }

  test('give their vectors', async () => {
    const embedder = fromLangChain(embeddings, { id: 'lc/tiny' })
    expect(embedder).toMatchObject({ id: 'lc/tiny', dimensions: 0 })
    expect(numbers(await embedder.embedDocuments(['a', 'bc']))).toEqual([vectorOf('a'), vectorOf('bc')])
    expect([...(await embedder.embedQuery('a'))]).toEqual(vectorOf('?a'))
    expect(embedder.dimensions).toBe(3)
    expect(await embedder.embedDocuments([])).toEqual([])
  })

  test('keep `this`', async () => {
    class Own {
      suffix = '!'
      async embedDocuments(texts: string[]) {
        return texts.map((text) => vectorOf(text + this.suffix))
      }
      async embedQuery(text: string) {
        return vectorOf(text + this.suffix)
      }
    }
    expect(numbers(await fromLangChain(new Own(), { id: 'own' }).embedDocuments(['a']))).toEqual([
      vectorOf('a!'),
    ])
  })

  test.each([
    ['throws', async () => Promise.reject(new Error('no credit')), /no credit/],
    ['gives too few', async () => [], /0 vectors for 1/],
    ['gives no list', async () => undefined, /instead of a list/],
    ['gives other dimensions', async () => [[1, 2]], /2 numbers where 3/],
    ['gives NaN', async () => [[1, Number.NaN, 2]], /NaN/],
  ])('one that %s fails with a code', async (_, embedDocuments, message) => {
    const one = { ...embeddings, embedDocuments: embedDocuments as () => Promise<number[][]> }
    await expect(fromLangChain(one, { id: 'lc', dimensions: 3 }).embedDocuments(['a'])).rejects.toMatchObject(
      {
        code: 'EMBEDDER_FAILED',
        detail: { embedder: 'lc' },
        message,
      },
    )
  })

  test('are not waited for after an abort', async () => {
    const control = new AbortController()
    const never = { ...embeddings, embedDocuments: () => new Promise<number[][]>(() => {}) }
    const result = fromLangChain(never, { id: 'lc' }).embedDocuments(['a'], control.signal)
    control.abort()
    await expect(result).rejects.toMatchObject({ code: 'ABORTED' })
  })

  test('of the wrong shape are refused at once', () => {
    expect(() => fromLangChain({} as never, { id: 'x' })).toThrow(/embedDocuments\(\) and embedQuery\(\)/)
    expect(() => fromLangChain(embeddings, { id: '' })).toThrow(
      expect.objectContaining({ code: 'INVALID_ARGUMENT' }),
    )
  })
})

describe('Chroma functions', () => {
  const generate = async (texts: string[]) => texts.map(vectorOf)

  test('embed queries their own way, if they have one', async () => {
    const plain = fromChroma({ generate }, { id: 'c' })
    const own = fromChroma(
      { generate, generateForQueries: async (t) => t.map((q) => vectorOf(`?${q}`)) },
      { id: 'c' },
    )
    expect([...(await plain.embedQuery('a'))]).toEqual(vectorOf('a'))
    expect([...(await own.embedQuery('a'))]).toEqual(vectorOf('?a'))
    expect(numbers(await own.embedDocuments(['a', 'bc']))).toEqual([vectorOf('a'), vectorOf('bc')])
  })
})

describe('AI SDK models', () => {
  interface Call {
    values: string[]
    abortSignal?: AbortSignal
    providerOptions?: unknown
  }
  const modelOf = (
    options: Partial<AiSdkEmbeddingModel>,
    answer: (call: Call, before: number) => number[][] = ({ values }) => values.map(vectorOf),
  ) => {
    const calls: Call[] = []
    let busy = 0
    let busiest = 0
    const model: AiSdkEmbeddingModel = {
      specificationVersion: 'v3',
      provider: 'acme.embedding',
      modelId: 'tiny',
      maxEmbeddingsPerCall: 2,
      supportsParallelCalls: false,
      async doEmbed(call) {
        busiest = Math.max(busiest, ++busy)
        calls.push(call)
        await new Promise(setImmediate)
        busy--
        return { embeddings: answer(call, calls.length - 1) }
      },
      ...options,
    }
    return { model, calls, busiest: () => busiest }
  }

  test('are called with as many texts as they take, one call at a time', async () => {
    const { model, calls, busiest } = modelOf({})
    const embedder = fromAiSdk(model)
    expect(numbers(await embedder.embedDocuments(['a', 'b', 'c', 'd', 'e']))).toEqual(
      ['a', 'b', 'c', 'd', 'e'].map(vectorOf),
    )
    expect(calls.map(({ values }) => values.length)).toEqual([2, 2, 1])
    expect(busiest()).toBe(1)
    expect(embedder.id).toBe('acme.embedding/tiny')
  })

  test('may promise their limits, allow parallel calls, and have no limit', async () => {
    const parallel = modelOf({
      maxEmbeddingsPerCall: Promise.resolve(1),
      supportsParallelCalls: Promise.resolve(true),
    })
    await fromAiSdk(parallel.model).embedDocuments(Array.from({ length: 12 }, (_, i) => `text ${i}`))
    expect(parallel.busiest()).toBe(4)
    const unlimited = modelOf({ maxEmbeddingsPerCall: undefined })
    await fromAiSdk(unlimited.model).embedDocuments(Array.from({ length: 500 }, (_, i) => `text ${i}`))
    expect(unlimited.calls).toHaveLength(1)
  })

  test('get the provider options, which are part of the id', async () => {
    const { model, calls } = modelOf({})
    const embedder = fromAiSdk(model, { providerOptions: { acme: { dimensions: 3 } } })
    expect([...(await embedder.embedQuery('q'))]).toEqual(vectorOf('q'))
    expect(calls[0]).toMatchObject({ values: ['q'], providerOptions: { acme: { dimensions: 3 } } })
    expect(embedder.id).toBe('acme.embedding/tiny?{"acme":{"dimensions":3}}')
    expect(fromAiSdk(model, { id: 'mine' }).id).toBe('mine')
  })

  test('are asked again after an error they call retryable, and after no other', async () => {
    const failing = (isRetryable: boolean) =>
      modelOf({}, ({ values }, before) => {
        if (before === 0) throw Object.assign(new Error('busy'), { isRetryable })
        return values.map(vectorOf)
      })
    const passing = failing(true)
    expect(await fromAiSdk(passing.model).embedDocuments(['a'])).toHaveLength(1)
    expect(passing.calls).toHaveLength(2)
    await expect(fromAiSdk(failing(false).model).embedDocuments(['a'])).rejects.toMatchObject({
      code: 'EMBEDDER_FAILED',
      message: /busy/,
    })
  })

  test('get the signal', async () => {
    const { model, calls } = modelOf({})
    const control = new AbortController()
    const result = fromAiSdk(model).embedDocuments(['a', 'b', 'c'], control.signal)
    result.catch(() => {})
    await expect.poll(() => calls.length).toBeGreaterThan(0)
    control.abort()
    expect(calls[0]!.abortSignal!.aborted).toBe(true)
  })

  test('cannot be a name', () => {
    expect(() => fromAiSdk('openai/text-embedding-3-small' as never)).toThrow(/give a model object/)
  })
})
