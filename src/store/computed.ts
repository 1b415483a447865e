import { isSpanStoreError, SpanStoreError } from '../core/errors.ts'
import type { Embedder } from '../ports/embedder.ts'
import type { Ledger } from '../ports/ledger.ts'
import type { Computed } from '../ports/planned.ts'
import { nextTurn } from '../threads/turn.ts'
import { invalid } from './input.ts'

/** @throws INVALID_ARGUMENT */
export function embedderOf(path: string, embedder: unknown): Embedder {
  const { id, dimensions, embedDocuments, embedQuery } = (embedder ?? {}) as Partial<Embedder>
  if (
    typeof id === 'string' &&
    typeof dimensions === 'number' &&
    typeof embedDocuments === 'function' &&
    typeof embedQuery === 'function'
  )
    return embedder as Embedder
  throw invalid(path, embedder, 'give an object with id, dimensions, embedDocuments and embedQuery')
}

/** Vectors looked at in one go. */
const CHECKED = 250

export interface Embedding {
  readonly ledger: Ledger
  /** The collection's name, for messages. */
  readonly collection: string
  /** What this process holds. */
  readonly embedder: Embedder | undefined
  /** The id of the collection's own embedder, as far as is known. */
  readonly active: string | undefined
}

/**
 * The vectors of texts, by hash, that the ledger does not have yet. Embeds before the commit, so that a failing
 * embedder leaves the old revision live. Undefined: a commit needs none.
 * @throws EMBEDDER_MISMATCH, EMBEDDER_FAILED
 */
export async function computeVectors(
  { ledger, collection, embedder, active }: Embedding,
  texts: ReadonlyMap<string, string>,
): Promise<Computed | undefined> {
  if (embedder === undefined || texts.size === 0) return undefined
  if (active !== undefined && active !== embedder.id)
    throw new SpanStoreError(
      'EMBEDDER_MISMATCH',
      `collection ${JSON.stringify(collection)} uses the embedder ${active}, this process holds ${embedder.id}; open the store with the former, or switch the collection`,
      { collection: collection, expected: active, actual: embedder.id },
    )
  const known = await ledger.embedded(embedder.id, [...texts.keys()])
  const missing = [...texts].filter(([hash, text]) => !known.has(hash) && text.trim() !== '')
  if (missing.length === 0) {
    // Another collection embedded these texts; this one has to learn whose vectors it has.
    const words = active === undefined && [...texts.values()].some((text) => text.trim() !== '')
    // Some know the length of their vectors only once they made one.
    if (words && embedder.dimensions === 0) await embedder.embedQuery([...texts.values()][0]!)
    return words ? { embedder: embedder.id, dimensions: embedder.dimensions, vectors: new Map() } : undefined
  }
  const failed = (why: string, cause?: unknown) =>
    new SpanStoreError(
      'EMBEDDER_FAILED',
      `embedder ${embedder.id} ${why}; nothing was written. Try again, or put with defer: true to store the text now`,
      { embedder: embedder.id },
      { cause },
    )
  let vectors: readonly Float32Array[]
  try {
    vectors = await embedder.embedDocuments(missing.map(([, text]) => text))
  } catch (error) {
    // The package's own embedders say already what failed and what to do.
    if (isSpanStoreError(error)) throw error
    throw failed(`failed (${(error as Error)?.message ?? error})`, error)
  }
  if (vectors.length !== missing.length)
    throw failed(`answered ${vectors.length} vectors for ${missing.length} texts`)
  for (const [i, vector] of vectors.entries()) {
    // Many numbers.
    if (i % CHECKED === CHECKED - 1) await nextTurn()
    if (vector.length !== embedder.dimensions || !vector.every(Number.isFinite))
      throw failed(`answered a vector of ${vector.length} dimensions or with numbers that are not finite`)
  }
  return {
    embedder: embedder.id,
    dimensions: embedder.dimensions,
    vectors: new Map(missing.map(([hash], i) => [hash, vectors[i]!])),
  }
}
