import { invalid } from '../core/given.ts'
import type { Embedder } from '../ports/embedder.ts'
import { Answers } from './answers.ts'
import { batchesOf, inBatches, Slots } from './batches.ts'
import { aborted, count, failed, messageOf, named } from './failure.ts'
import { retrying, Transient } from './retry.ts'

/*
 * Embedding objects of other frameworks, by shape: none of their packages is needed here. All answers are checked.
 */

export interface WrapperOptions {
  /**
   * Names the model and everything that changes its vectors (dimensions, prefixes, …): the store compares vectors of
   * equal ids only.
   */
  readonly id: string
  /** Left out, the first answer decides. */
  readonly dimensions?: number
  readonly maxTokens?: number
}

/** What `@langchain/core` calls `EmbeddingsInterface`. */
export interface LangChainEmbeddings {
  embedDocuments(documents: string[]): Promise<number[][]>
  embedQuery(document: string): Promise<number[]>
}

/** LangChain's objects batch and retry themselves, and cannot be interrupted: an abort only stops the waiting. */
export function fromLangChain(embeddings: LangChainEmbeddings, options: WrapperOptions): Embedder {
  methods('embeddings', embeddings, ['embedDocuments', 'embedQuery'])
  return wrapped(options, {
    documents: (texts) => embeddings.embedDocuments(texts),
    query: async (text) => [await embeddings.embedQuery(text)],
  })
}

/** An embedding function of `chromadb`. */
export interface ChromaEmbeddingFunction {
  generate(texts: string[]): Promise<number[][]>
  generateForQueries?(texts: string[]): Promise<number[][]>
}

/** Queries go through `generateForQueries`, where the function has one. An abort only stops the waiting. */
export function fromChroma(fn: ChromaEmbeddingFunction, options: WrapperOptions): Embedder {
  methods('fn', fn, ['generate'])
  return wrapped(options, {
    documents: (texts) => fn.generate(texts),
    query: (text) =>
      fn.generateForQueries === undefined ? fn.generate([text]) : fn.generateForQueries([text]),
  })
}

/** An embedding model of the AI SDK, specification v2, v3 or v4. */
export interface AiSdkEmbeddingModel {
  readonly specificationVersion: string
  readonly provider: string
  readonly modelId: string
  readonly maxEmbeddingsPerCall: PromiseLike<number | undefined> | number | undefined
  readonly supportsParallelCalls: PromiseLike<boolean> | boolean
  doEmbed(options: {
    values: string[]
    abortSignal?: AbortSignal
    // biome-ignore lint/suspicious/noExplicitAny: the provider's own business, of a type of its own in every version
    providerOptions?: any
    headers?: Record<string, string | undefined>
  }): PromiseLike<{ embeddings: number[][] }>
}

export interface AiSdkOptions extends Partial<WrapperOptions> {
  /** Handed to the provider with every call (`{ openai: { dimensions: 256 } }`). Part of the default id. */
  readonly providerOptions?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly headers?: Readonly<Record<string, string>>
  /** How often a call is repeated after an error the provider calls retryable. Default 5. */
  readonly retries?: number
}

/**
 * Keeps to the model's `maxEmbeddingsPerCall` and `supportsParallelCalls`, and repeats calls as `embedMany` would.
 * The id is `provider/modelId`, with the provider options, unless given.
 */
export function fromAiSdk(model: AiSdkEmbeddingModel, options: AiSdkOptions = {}): Embedder {
  if (typeof model === 'string')
    throw invalid(
      'model',
      model,
      'give a model object, such as openai.embeddingModel("text-embedding-3-small")',
    )
  methods('model', model, ['doEmbed'])
  const { providerOptions, headers } = options
  const retries = count('retries', options.retries, 5, 0)
  const own = `${model.provider}/${model.modelId}${providerOptions === undefined ? '' : `?${JSON.stringify(providerOptions)}`}`
  const slots = new Map<number, Slots>()
  const call = (values: string[], signal: AbortSignal | undefined) =>
    retrying(
      async () => {
        try {
          const { embeddings } = await model.doEmbed({
            values,
            ...(signal === undefined ? {} : { abortSignal: signal }),
            ...(providerOptions === undefined ? {} : { providerOptions }),
            ...(headers === undefined ? {} : { headers: { ...headers } }),
          })
          return embeddings
        } catch (error) {
          if (error instanceof Error && (error as { isRetryable?: unknown }).isRetryable === true)
            throw new Transient(error)
          throw error
        }
      },
      retries,
      signal,
    )
  return wrapped(
    { ...options, id: options.id ?? own },
    {
      documents: call,
      query: (text, signal) => call([text], signal),
      limits: async () => {
        const [most, parallel] = await Promise.all([model.maxEmbeddingsPerCall, model.supportsParallelCalls])
        const lanes = parallel ? 4 : 1
        if (!slots.has(lanes)) slots.set(lanes, new Slots(lanes))
        return { texts: most ?? Number.POSITIVE_INFINITY, slots: slots.get(lanes)! }
      },
    },
  )
}

interface Calls {
  documents(texts: string[], signal: AbortSignal | undefined): Promise<unknown>
  query(text: string, signal: AbortSignal | undefined): Promise<unknown>
  limits?(): Promise<{ readonly texts: number; readonly slots: Slots }>
}

function wrapped(options: WrapperOptions, calls: Calls): Embedder {
  const { maxTokens } = options
  const answers = new Answers(named('id', options.id), options.dimensions)

  const checked = async (
    texts: number,
    signal: AbortSignal | undefined,
    call: () => Promise<unknown>,
  ): Promise<Float32Array[]> => {
    let vectors: unknown
    try {
      vectors = await unlessAborted(call, signal)
    } catch (error) {
      if (signal?.aborted) throw aborted(signal)
      throw failed(answers.id, messageOf(error), error)
    }
    return answers.accept(vectors, texts)
  }

  return {
    id: answers.id,
    get dimensions() {
      return answers.dimensions
    },
    ...(maxTokens === undefined ? {} : { maxTokens: count('maxTokens', maxTokens, 0, 1) }),
    async embedDocuments(texts, signal) {
      if (texts.length === 0) return []
      const embed = (batch: string[], stop?: AbortSignal) =>
        checked(batch.length, stop, () => calls.documents(batch, stop))
      if (calls.limits === undefined) return await embed([...texts], signal)
      const limits = await calls.limits()
      const batches = batchesOf(texts, { texts: limits.texts, characters: Number.POSITIVE_INFINITY })
      return await inBatches(batches, embed, limits.slots, signal)
    },
    async embedQuery(text, signal) {
      const [vector] = await checked(1, signal, () => calls.query(text, signal))
      return vector!
    },
  }
}

/** What cannot be interrupted is at least not waited for. */
async function unlessAborted<T>(call: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return await call()
  if (signal.aborted) throw aborted(signal)
  let onAbort: (() => void) | undefined
  const abort = new Promise<never>((_, reject) => {
    onAbort = () => reject(aborted(signal))
    signal.addEventListener('abort', onAbort, { once: true })
  })
  try {
    return await Promise.race([call(), abort])
  } finally {
    signal.removeEventListener('abort', onAbort!)
  }
}

function methods(path: string, value: unknown, names: readonly string[]): void {
  for (const name of names)
    if (typeof (value as Record<string, unknown> | null)?.[name] !== 'function')
      throw invalid(
        `${path}.${name}`,
        undefined,
        `give an object with ${names.map((n) => `${n}()`).join(' and ')}`,
      )
}
