import type { Key } from '../core/key.ts'
import type { Embedder } from './embedder.ts'

/** Computes vectors after the fact: those that deferred puts left out, and those of another embedder. */
export interface DeferredVectors {
  /** Call after a deferred put: with an embedder, they are computed in the background. */
  wake(collection: number): void
  /**
   * Computes every vector that is missing. What was computed before an error is kept; calling again goes on from there.
   * @throws NO_VECTORS without an embedder, EMBEDDER_FAILED, EMBEDDER_MISMATCH, COLLECTION_DROPPED, ABORTED
   */
  embed(collection: number, options?: EmbedOptions): Promise<{ readonly embedded: number }>
  /** What `switch` would have to compute. */
  estimate(collection: number, embedder: Embedder): Promise<EmbedEstimate>
  /**
   * Computes every vector by another embedder beside the active one, and makes it active when none is missing.
   * @throws as `embed`, and COLLECTION_MISMATCH where vectors were supplied by callers
   */
  switch(collection: number, embedder: Embedder, options?: EmbedOptions): Promise<Switched>
  /** Embeds some texts anew and compares. @throws as `embed` */
  check(collection: number, count: number, options?: EmbedOptions): Promise<EmbeddingCheck>
  close(): Promise<void>
}

export interface EmbedEstimate {
  readonly texts: number
  /** UTF-16 units. */
  readonly characters: number
  /** At four characters a token, which is usual for English. */
  readonly tokens: number
}

/** How stored vectors compare with those that the embedder makes of the same texts now. */
export interface EmbeddingCheck {
  readonly embedder: string
  /** How many were compared; fewer than asked for where there are no more. */
  readonly compared: number
  /** Cosine between the stored vector and the new one: 1 where the model is what it was. 1 where nothing was compared. */
  readonly least: number
  readonly mean: number
  /** The furthest first, at most ten. */
  readonly furthest: readonly { readonly key: Key; readonly cosine: number }[]
}

export interface Switched {
  readonly embedded: number
  /** Of the event `index.rebuilt`, or where the collection stood if the embedder was active already. */
  readonly position: number
}

export interface EmbedOptions {
  readonly signal?: AbortSignal
  /** Called after each batch. */
  readonly onProgress?: (embedded: number) => void
  /** Texts given to the embedder at once. Default 64. */
  readonly batch?: number
  /** Milliseconds to wait between batches. */
  readonly pause?: number
  /** At most so many texts a minute, where a provider limits the rate. */
  readonly perMinute?: number
}
