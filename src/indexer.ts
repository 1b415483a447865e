import { setTimeout as sleep } from 'node:timers/promises'
import { SpanStoreError } from './core/errors.ts'
import type { Key } from './core/key.ts'
import type { Embedder } from './ports/embedder.ts'
import type {
  DeferredVectors,
  EmbeddingCheck,
  EmbedEstimate,
  EmbedOptions,
  Switched,
} from './ports/embedding.ts'
import type { VectorHead, VectorIndex, VectorRecords } from './ports/vectors.ts'
import { nextTurn } from './threads/turn.ts'

export interface IndexerOptions {
  /** How long after a deferred put the embedding begins, in milliseconds. Default 200. */
  readonly delay?: number
  /** How long to wait after a failure, at first and at most, in milliseconds. Default 1 000 and 60 000. */
  readonly retry?: readonly [first: number, most: number]
  /** Makes the table of the new vectors before they are searched. */
  readonly tables?: Pick<VectorIndex, 'prepare'>
}

/** Characters of a token, about. */
const CHARACTERS = 4

/** How many of the furthest are named. */
const FURTHEST = 10

/** Texts given to an embedder at once. */
const BATCH = 64

/** Computes vectors in batches that are kept as they come, so that nothing is computed twice after a crash. */
export class Indexer implements DeferredVectors {
  readonly #records: VectorRecords
  readonly #embedder: Embedder | undefined
  readonly #delay: number
  readonly #retry: readonly [number, number]
  readonly #tables: Pick<VectorIndex, 'prepare'> | undefined
  readonly #asked = new Set<number>()
  readonly #closing = new AbortController()
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> = Promise.resolve()

  constructor(records: VectorRecords, embedder: Embedder | undefined, options: IndexerOptions = {}) {
    this.#records = records
    this.#embedder = embedder
    this.#delay = options.delay ?? 200
    this.#retry = options.retry ?? [1_000, 60_000]
    this.#tables = options.tables
  }

  /** Goes on trying when the embedder fails. */
  wake(collection: number): void {
    if (this.#embedder === undefined || this.#closing.signal.aborted) return
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

  /** The embedder of this process, if it is the collection's. @throws NO_VECTORS, EMBEDDER_MISMATCH */
  #own({ space, name }: VectorHead): Embedder {
    const embedder = this.#embedder
    if (embedder === undefined)
      throw new SpanStoreError(
        'NO_VECTORS',
        'this process holds no embedder; open the store with one to compute vectors',
        { collection: name },
      )
    const { id } = embedder
    if (space !== undefined && space.embedder !== '' && space.embedder !== id)
      throw new SpanStoreError(
        'EMBEDDER_MISMATCH',
        `collection ${JSON.stringify(name)} uses the embedder ${space.embedder}, this process holds ${id}; open the store with the former, or switch the collection`,
        { collection: name, expected: space.embedder, actual: id },
      )
    return embedder
  }

  async embed(collection: number, options: EmbedOptions = {}): Promise<{ readonly embedded: number }> {
    const head = this.#records.head(collection)
    const { space, live } = head
    const embedder = this.#own(head)
    const { embedded } = await this.#pass(collection, embedder, options, 0, false)
    // Every text may have had its vector already, from another collection.
    if (space === undefined && embedded === 0 && live > 0)
      await this.#records.keep(
        collection,
        {
          embedder: embedder.id,
          dimensions: await dimensionsOf(embedder, options.signal),
          vectors: new Map(),
        },
        { after: 0, through: 0 },
      )
    return { embedded }
  }

  async check(collection: number, count: number, options: EmbedOptions = {}): Promise<EmbeddingCheck> {
    const head = this.#records.head(collection)
    const embedder = this.#own(head)
    const { space } = head
    const chosen = space === undefined ? [] : this.#records.sample(collection, space, count)
    const { signal, batch = BATCH } = options
    const compared: { readonly key: Key; readonly cosine: number }[] = []
    for (let i = 0; i < chosen.length; i += batch) {
      const part = chosen.slice(i, i + batch)
      const fresh = await compute(
        embedder,
        part.map(({ text }) => text),
        signal,
      )
      part.forEach(({ key, vector }, j) => {
        compared.push({ key, cosine: cosine(vector, fresh[j]!) })
      })
      options.onProgress?.(compared.length)
      await rest(options, part.length)
    }
    compared.sort((a, b) => a.cosine - b.cosine)
    const sum = compared.reduce((total, one) => total + one.cosine, 0)
    return {
      embedder: embedder.id,
      compared: compared.length,
      least: compared[0]?.cosine ?? 1,
      mean: compared.length === 0 ? 1 : sum / compared.length,
      furthest: compared.slice(0, FURTHEST),
    }
  }

  async estimate(collection: number, embedder: Embedder): Promise<EmbedEstimate> {
    const texts = new Map<string, number>()
    for (let after: number | undefined = 0; after !== undefined; await nextTurn()) {
      const found = this.#records.waiting(collection, embedder.id, after, 1_000)
      for (const [hash, text] of found.texts) texts.set(hash, text.length)
      after = found.last
    }
    const characters = [...texts.values()].reduce((sum, length) => sum + length, 0)
    return { texts: texts.size, characters, tokens: Math.ceil(characters / CHARACTERS) }
  }

  async switch(collection: number, embedder: Embedder, options: EmbedOptions = {}): Promise<Switched> {
    const { space, name, position } = this.#records.head(collection)
    if (space?.supplied)
      throw new SpanStoreError(
        'COLLECTION_MISMATCH',
        `collection ${JSON.stringify(name)} has vectors that callers supplied, which no embedder can compute anew; put them into a new collection`,
        { collection: name, expected: 'supplied vectors', actual: embedder.id },
      )
    if (space?.embedder === embedder.id) return { embedded: 0, position }
    let embedded = 0
    let prepared = space === undefined || this.#tables === undefined
    for (let after = 0; ; ) {
      // Ids only grow: what others write meanwhile is found behind what was seen.
      const pass = await this.#pass(collection, embedder, options, after, true, embedded)
      embedded = pass.embedded
      after = pass.end
      if (!prepared) {
        prepared = true
        const { id } = embedder
        const dimensions = await dimensionsOf(embedder, options.signal)
        const next = { metric: space!.metric, dimensions, embedder: id, supplied: false }
        await this.#tables!.prepare(
          collection,
          next,
          options.signal === undefined ? {} : { signal: options.signal },
        )
        continue
      }
      const dimensions = await dimensionsOf(embedder, options.signal)
      const switched = await this.#records.switchTo(collection, embedder.id, dimensions, after)
      if (switched !== undefined) return { embedded, position: switched }
    }
  }

  /** Embeds what is missing above an id. `end`: the last id seen. */
  async #pass(
    collection: number,
    embedder: Embedder,
    options: EmbedOptions,
    from: number,
    beside: boolean,
    before = 0,
  ): Promise<{ readonly embedded: number; readonly end: number }> {
    const { id } = embedder
    const { signal, batch = BATCH } = options
    let embedded = before
    let end = from
    for (;;) {
      if (signal?.aborted)
        throw new SpanStoreError(
          'ABORTED',
          `embedding was aborted after ${embedded} texts; call again to go on`,
          {},
        )
      const { texts, last } = this.#records.waiting(collection, id, end, batch)
      if (texts.size > 0) {
        const vectors = await compute(embedder, [...texts.values()], signal)
        const computed = new Map([...texts.keys()].map((hash, i) => [hash, vectors[i]!]))
        const { dimensions } = embedder
        await this.#records.keep(
          collection,
          { embedder: id, dimensions, vectors: computed },
          { after: end, through: last ?? Number.MAX_SAFE_INTEGER, beside },
        )
        embedded += texts.size
        options.onProgress?.(embedded)
        await rest(options, texts.size)
      }
      if (last === undefined) return { embedded, end }
      end = last
      await nextTurn()
    }
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer)
    this.#closing.abort()
    await this.#running
  }
}

/** Of an embedder that has not been asked anything yet: some know only from an answer. */
async function dimensionsOf(embedder: Embedder, signal: AbortSignal | undefined): Promise<number> {
  if (embedder.dimensions === 0) await compute(embedder, ['How long are your vectors?'], signal)
  return embedder.dimensions
}

/** As long as the next batch has to wait. Aborting ends it; whoever comes next says so. */
async function rest({ signal, pause = 0, perMinute }: EmbedOptions, texts: number): Promise<void> {
  const wait = Math.max(pause, perMinute === undefined ? 0 : (60_000 * texts) / perMinute)
  if (wait > 0) await sleep(wait, undefined, signal === undefined ? {} : { signal }).catch(() => {})
}

function cosine(a: Float32Array, b: Float32Array): number {
  let [dot, aa, bb] = [0, 0, 0]
  for (let i = 0; i < a.length; i++) {
    dot += a[i]! * b[i]!
    aa += a[i]! * a[i]!
    bb += b[i]! * b[i]!
  }
  // Two zero vectors are the same.
  return aa === 0 || bb === 0 ? Number(aa === bb) : dot / Math.sqrt(aa * bb)
}

async function compute(
  embedder: Embedder,
  texts: readonly string[],
  signal: AbortSignal | undefined,
): Promise<readonly Float32Array[]> {
  const { id } = embedder
  const failed = (why: string, cause?: unknown) =>
    new SpanStoreError(
      'EMBEDDER_FAILED',
      `embedder ${id} ${why}; the texts are stored and still wait for their vectors`,
      { embedder: id },
      { cause },
    )
  let vectors: readonly Float32Array[]
  try {
    vectors = await embedder.embedDocuments(texts, signal)
  } catch (error) {
    if (signal?.aborted) throw new SpanStoreError('ABORTED', 'embedding was aborted by its signal', {})
    throw failed(`failed (${(error as Error)?.message ?? error})`, error)
  }
  if (vectors.length !== texts.length)
    throw failed(`answered ${vectors.length} vectors for ${texts.length} texts`)
  // Some know it only now.
  const { dimensions } = embedder
  for (const vector of vectors)
    if (vector.length !== dimensions || !vector.every(Number.isFinite))
      throw failed(`answered a vector of ${vector.length} dimensions or with numbers that are not finite`)
  return vectors
}
