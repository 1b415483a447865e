import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { SpanStoreError } from './core/errors.ts'
import type { DeferredVectors, Embedder, EmbedOptions, VectorRecords } from './ports.ts'

export interface IndexerOptions {
  /** How long after a deferred put the embedding begins, in milliseconds. Default 200. */
  readonly delay?: number
  /** How long to wait after a failure, at first and at most, in milliseconds. Default 1 000 and 60 000. */
  readonly retry?: readonly [first: number, most: number]
}

/** Texts given to an embedder at once. */
const BATCH = 64

/** Computes the vectors that deferred puts left out, in batches that are kept as they come. */
export class Indexer implements DeferredVectors {
  readonly #records: VectorRecords
  readonly #embedder: Embedder
  readonly #delay: number
  readonly #retry: readonly [number, number]
  readonly #asked = new Set<number>()
  readonly #closing = new AbortController()
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> = Promise.resolve()

  constructor(records: VectorRecords, embedder: Embedder, options: IndexerOptions = {}) {
    this.#records = records
    this.#embedder = embedder
    this.#delay = options.delay ?? 200
    this.#retry = options.retry ?? [1_000, 60_000]
  }

  /** Goes on trying when the embedder fails. */
  wake(collection: number): void {
    if (this.#closing.signal.aborted) return
    this.#asked.add(collection)
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      this.#running = this.#running.then(() => this.#work())
    }, this.#delay).unref()
  }

  async #work(): Promise<void> {
    const { signal } = this.#closing
    let [pause] = this.#retry
    for (;;) {
      const [collection] = this.#asked
      if (collection === undefined || signal.aborted) return
      this.#asked.delete(collection)
      try {
        await this.embed(collection, { signal })
        ;[pause] = this.#retry
      } catch (error) {
        // Nobody waits for this: searches say that vectors are pending. Only what may pass is tried again.
        if (!(error instanceof SpanStoreError) || !['EMBEDDER_FAILED', 'STORE_BUSY'].includes(error.code))
          continue
        this.#asked.add(collection)
        await sleep(pause, undefined, { signal, ref: false }).catch(() => {})
        pause = Math.min(2 * pause, this.#retry[1])
      }
    }
  }

  async embed(collection: number, options: EmbedOptions = {}): Promise<{ readonly embedded: number }> {
    const { id } = this.#embedder
    const { space, name } = this.#records.head(collection)
    if (space !== undefined && space.embedder !== '' && space.embedder !== id)
      throw new SpanStoreError(
        'EMBEDDER_MISMATCH',
        `collection ${JSON.stringify(name)} uses the embedder ${space.embedder}, this process holds ${id}; open the store with the former, or switch the collection`,
        { collection: name, expected: space.embedder, actual: id },
      )
    let embedded = 0
    for (let after: number | undefined = 0; after !== undefined; ) {
      if (options.signal?.aborted)
        throw new SpanStoreError(
          'ABORTED',
          `embedding was aborted after ${embedded} texts; call again to go on`,
          {},
        )
      const { texts, last } = this.#records.waiting(collection, id, after, BATCH)
      if (texts.size > 0) {
        const vectors = await this.#compute([...texts.values()], options.signal)
        await this.#records.keep(collection, {
          embedder: id,
          dimensions: this.#embedder.dimensions,
          vectors: new Map([...texts.keys()].map((hash, i) => [hash, vectors[i]!])),
        })
        embedded += texts.size
        options.onProgress?.(embedded)
      }
      after = last
      await nextTurn()
    }
    return { embedded }
  }

  async #compute(
    texts: readonly string[],
    signal: AbortSignal | undefined,
  ): Promise<readonly Float32Array[]> {
    const { id, dimensions } = this.#embedder
    const failed = (why: string, cause?: unknown) =>
      new SpanStoreError(
        'EMBEDDER_FAILED',
        `embedder ${id} ${why}; the texts are stored and still wait for their vectors`,
        { embedder: id },
        { cause },
      )
    let vectors: readonly Float32Array[]
    try {
      vectors = await this.#embedder.embedDocuments(texts, signal)
    } catch (error) {
      if (signal?.aborted) throw new SpanStoreError('ABORTED', 'embedding was aborted by its signal', {})
      throw failed(`failed (${(error as Error)?.message ?? error})`, error)
    }
    if (vectors.length !== texts.length)
      throw failed(`answered ${vectors.length} vectors for ${texts.length} texts`)
    for (const vector of vectors)
      if (vector.length !== dimensions || !vector.every(Number.isFinite))
        throw failed(`answered a vector of ${vector.length} dimensions or with numbers that are not finite`)
    return vectors
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer)
    this.#closing.abort()
    await this.#running
  }
}
