import type { Embedder } from '../index.ts'
import { UsageError } from './exit.ts'

/** How an embedder is named on a command line. */
const EMBEDDER_HELP = 'local, or MODEL@URL of an OpenAI-compatible server'

/**
 * `local` is the model that comes as an npm package; `nomic-embed-text@http://127.0.0.1:11434/v1` is one behind an
 * OpenAI-compatible server, whose key, if it wants one, is in OPENAI_API_KEY. @throws UsageError
 */
export async function embedderOf(typed: string): Promise<Embedder> {
  const { localEmbedder, openaiEmbedder } = await import('../embed/index.ts')
  if (typed === 'local') return localEmbedder()
  // A model's name may hold an @, an address after its scheme may not.
  const [, model, baseUrl] = /^(.+)@(https?:\/\/[^@]+)$/.exec(typed) ?? []
  if (model === undefined || baseUrl === undefined)
    throw new UsageError(
      `the embedder is ${JSON.stringify(typed)}; give ${EMBEDDER_HELP}, such as nomic-embed-text@http://127.0.0.1:11434/v1`,
    )
  const apiKey = process.env.OPENAI_API_KEY
  return openaiEmbedder({ model, baseUrl, ...(apiKey ? { apiKey } : {}) })
}
