/**
 * What `plan` decides with and what it decides: plain data between the store, which plans, and a ledger, which
 * commits. Spans of the old revision are named by their index in `Head.entries`, chunks by their index in
 * `Draft.chunks`, so nothing here needs a key or a database.
 */

/** One place of the last manifest. A span retired by key or expiry keeps its place until the next revision. */
export interface Entry {
  /** The ledger's integer id. */
  readonly id: number
  readonly live: boolean
  /** Of the text; equal hash means equal text. `undefined`: a record without text, or an erased one. */
  readonly hash: string | undefined
  /** UTF-16 units. */
  readonly length: number
  /** Canonical JSON; `undefined` when empty. */
  readonly metadata: string | undefined
  readonly lead: Lead
}

/**
 * How a span joins what was covered before it: `gap` is text between (kept, so that a revision can be given back
 * byte for byte), `overlap` is how many UTF-16 units before the end of what was covered it starts; more than its own
 * length for a span inside an earlier one. At most one of the two.
 */
export interface Lead {
  readonly gap: string
  readonly overlap: number
}

export interface DraftChunk {
  readonly hash: string | undefined
  readonly length: number
  readonly metadata: string | undefined
  readonly lead: Lead
}

export interface Draft {
  readonly chunks: readonly DraftChunk[]
  /** Text after the last chunk. */
  readonly trailing: string
}

/** Texts, read only for the places that turn out to have changed. `undefined`: erased, pruned or without text. */
export interface Texts {
  /** Texts of old entries, by index, in the order asked for. */
  old(indices: readonly number[]): readonly (string | undefined)[]
  chunk(index: number): string | undefined
}

/** A place of the new manifest: an old entry that keeps its key, or a chunk that gets a new one. */
export type Slot = { readonly keep: number; readonly chunk: number } | { readonly mint: number }

export interface Retirement {
  readonly entry: number
  /** `edited` where the source's text changed, `rechunked` where only the borders of chunks did. */
  readonly reason: 'edited' | 'rechunked'
  /** What covers the text it covered, in order: minted chunks, or kept ones where they overlap it. By chunk index. */
  readonly successors: readonly number[]
}

export interface Changeset {
  /** One for each chunk, in order. */
  readonly slots: readonly Slot[]
  readonly retired: readonly Retirement[]
  /** Kept entries whose order among the kept ones changed. */
  readonly moved: readonly number[]
  /** Kept entries whose metadata changed; the new value is the chunk's. */
  readonly updated: readonly number[]
  /** Chunks minted at the place of an entry retired earlier that held the same text: `[entry, chunk]`. */
  readonly restored: readonly (readonly [entry: number, chunk: number])[]
}
