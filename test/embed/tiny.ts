import { type OpenAiOptions, openaiEmbedder } from '../../src/embed/index.ts'

/** An embedder that asks the servers of `server.ts`. */
export const embedder = (baseUrl: string, options: Partial<OpenAiOptions> = {}) =>
  openaiEmbedder({ baseUrl, model: 'tiny', ...options })

export const numbers = (vectors: readonly Float32Array[]) => vectors.map((vector) => [...vector])

/** So many unlike short texts. */
export const letters = (count: number) =>
  Array.from({ length: count }, (_, i) => `${String.fromCharCode(97 + (i % 26))}${i}`)

/** What its failures are. */
export const FAILED = { code: 'EMBEDDER_FAILED', detail: { embedder: 'openai-compatible/tiny' } }
