import { invalid } from '../core/given.ts'
import type { Embedder } from '../ports/embedder.ts'
import { Answers } from './answers.ts'
import { type BatchLimits, batchesOf, inBatches, Slots } from './batches.ts'
import { count, named } from './failure.ts'
import { type Endpoint, requestVectors } from './request.ts'
import { retrying } from './retry.ts'

export interface OpenAiOptions {
  /** Where the API begins: `https://api.openai.com/v1`, `http://127.0.0.1:11434/v1` (Ollama), … */
  readonly baseUrl: string | URL
  readonly model: string
  /** Sent as a bearer token; servers on the own machine need none. */
  readonly apiKey?: string
  /**
   * Asks the model for vectors of this length; only models made for it can (OpenAI's third generation, Matryoshka
   * models). Left out, the model answers its own length, and the first answer decides the embedder's `dimensions`.
   */
  readonly dimensions?: number
  /** Longest input in tokens, where you know it. The server decides what becomes of longer texts; Ollama cuts them. */
  readonly maxTokens?: number
  /** Put before every text, for models that expect it (`search_document: ` and `search_query: `, for instance). */
  readonly prefix?: { readonly document?: string; readonly query?: string }
  /** How much one request carries at most. Default 100 texts and 100 000 characters. */
  readonly batch?: Partial<BatchLimits>
  /** How many requests may be under way at once. Default 4; queries do not wait for documents. */
  readonly concurrency?: number
  /** How long one attempt may take, in milliseconds. Default 60 000. */
  readonly timeout?: number
  /**
   * How often a request is repeated after 429, 408, 5xx, a timeout or a network error. Default 5, which is about 15
   * seconds; a query is repeated at most twice, because somebody waits for it.
   */
  readonly retries?: number
  /** `base64` makes answers a quarter of the size where the server knows it. Default `float`; both are understood. */
  readonly encoding?: 'float' | 'base64'
  readonly headers?: Readonly<Record<string, string>>
  readonly fetch?: typeof fetch
}

/**
 * An embedder behind an OpenAI-compatible `POST /embeddings`: OpenAI, Ollama, vLLM, LM Studio, llama.cpp, and others.
 * Nothing is requested before the first text. The id names the model and what changes its vectors, not the machine:
 * vectors stay comparable when the server moves.
 */
export function openaiEmbedder(options: OpenAiOptions): Embedder {
  const { dimensions, prefix = {}, maxTokens } = options
  const model = named('model', options.model)
  const id = idOf(model, dimensions, prefix)
  const endpoint: Endpoint = {
    url: urlOf(options.baseUrl),
    model,
    answers: new Answers(id, dimensions),
    apiKey: options.apiKey === undefined ? undefined : named('apiKey', options.apiKey),
    dimensions,
    base64: options.encoding === 'base64',
    headers: options.headers ?? {},
    timeout: count('timeout', options.timeout, 60_000, 1),
    fetch: options.fetch ?? fetch,
  }
  const limits = {
    texts: count('batch.texts', options.batch?.texts, 100, 1),
    characters: count('batch.characters', options.batch?.characters, 100_000, 1),
  }
  const retries = count('retries', options.retries, 5, 0)
  const documents = new Slots(count('concurrency', options.concurrency, 4, 1))
  const embed = (batch: string[], signal: AbortSignal | undefined, most = retries) =>
    retrying(() => requestVectors(endpoint, batch, signal), most, signal)

  return {
    id,
    get dimensions() {
      return endpoint.answers.dimensions
    },
    ...(maxTokens === undefined ? {} : { maxTokens: count('maxTokens', maxTokens, 0, 1) }),
    async embedDocuments(texts, signal) {
      const batches = batchesOf(before(prefix.document, texts), limits)
      return await inBatches(batches, (batch, stop) => embed(batch, stop), documents, signal)
    },
    async embedQuery(text, signal) {
      const [vector] = await embed(before(prefix.query, [text]), signal, Math.min(retries, 2))
      return vector!
    },
  }
}

const before = (prefix: string | undefined, texts: readonly string[]): string[] =>
  texts.map((text) => `${prefix ?? ''}${text}`)

function idOf(model: string, dimensions: number | undefined, prefix: NonNullable<OpenAiOptions['prefix']>) {
  const parameters = new URLSearchParams()
  if (dimensions !== undefined) parameters.set('dimensions', String(dimensions))
  if (prefix.document) parameters.set('document', prefix.document)
  if (prefix.query) parameters.set('query', prefix.query)
  return `openai-compatible/${model}${parameters.size > 0 ? `?${parameters}` : ''}`
}

function urlOf(baseUrl: unknown): URL {
  const text = baseUrl instanceof URL ? baseUrl.href : baseUrl
  const url = typeof text === 'string' && URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '')
    throw invalid(
      'baseUrl',
      url === undefined ? baseUrl : `${url.protocol}//…`,
      'give an http or https address without a user name, such as http://127.0.0.1:11434/v1; a key goes to apiKey',
    )
  url.pathname = `${url.pathname.replace(/\/+$/, '').replace(/\/embeddings$/, '')}/embeddings`
  return url
}
