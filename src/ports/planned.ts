import type { Changeset, Entry, Lead } from '../core/changeset.ts'
import type { Expected } from '../core/expected.ts'
import type { PutResult } from '../core/model.ts'

/** What a source looked like when a write was planned. */
export interface Head {
  /** 0: never seen. Counts every change, so that a plan made on an older one is refused. */
  readonly version: number
  readonly revision: number
  readonly removed: boolean
  readonly live: number
  readonly spans: number
  readonly fingerprint?: string
  readonly chunker?: string
  readonly metadata?: string
  readonly expiresAt?: number
  readonly trailing: string
  /** Where its last revision lies in the collection's log. */
  readonly position: number
}

/** A draft at a glance, to find out where it differs without looking at every span. */
export interface Outline {
  /** Hashes of its chunks, of `HASH_LENGTH` characters each, in one string. */
  readonly hashes: string
  readonly leads: readonly Lead[]
  /** True when no chunk has metadata or a vector: then equal hashes and leads mean equal chunks. */
  readonly plain: boolean
}

/** Characters of a text's hash. */
export const HASH_LENGTH = 22

/** Stands for the hash of a record without text, and of an erased text. */
export const NO_HASH = ' '.repeat(HASH_LENGTH)

/** The first `before` and the last `after` places stay as they are; `entries` are those between. */
export interface Window {
  readonly before: number
  readonly after: number
  readonly entries: readonly Entry[]
}

export interface NewSpan {
  readonly text: string | undefined
  readonly hash: string | undefined
  readonly length: number
  /** Canonical JSON; undefined when empty. */
  readonly metadata: string | undefined
  /** Supplied by the caller. */
  readonly vector: Float32Array | undefined
}

export interface PlannedPut {
  readonly source: string
  readonly version: number
  /** Where the draft may differ; `chunks` and `changeset` are about this part alone. */
  readonly window: Window
  readonly chunks: readonly (NewSpan & { readonly lead: Lead })[]
  readonly trailing: string
  readonly changeset: Changeset
  readonly fingerprint: string
  readonly chunker: string | undefined
  readonly metadata: string | undefined
  readonly expiresAt: number | undefined
  readonly readmit: boolean
  /** The answer where the source is as the put wants it, but for vectors: only the ledger can compare those. */
  readonly unchanged: PutResult | undefined
}

export interface PlannedAppend {
  readonly source: string
  readonly spans: readonly NewSpan[]
  readonly metadata: string | undefined
  readonly expiresAt: number | undefined
  readonly readmit: boolean
}

export interface Computed {
  readonly embedder: string
  readonly dimensions: number
  readonly vectors: ReadonlyMap<string, Float32Array>
}

export interface WriteOptions {
  readonly commandId?: string
  /** Refuse the write unless the source it concerns stands at this revision. */
  readonly expected?: Expected
  /** Vectors computed before the commit, by text hash. */
  readonly computed?: Computed
}
